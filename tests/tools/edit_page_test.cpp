// Tests the page that vox-edit writes with --html.
#include "tests/tools/browser.h"
#include "tests/tools/page_tables.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

class EditPage : public CubesTest {
 protected:
  EditPage() : CubesTest("vox-edit") {}
  std::string page() const { return read_bytes(folder_ / "page.html"); }
  std::string edited(const std::string& script) const {
    write("script.txt", script);
    return printed({"cube.h5", "-s", "script.txt", "--json", "-q", "--html", "page.html"});
  }
};

const std::string kEdits =
    "repeat 30 jitter 20,20,20 seed 3\n  sphere add center 32,32,32 radius 5 material 2\nend\n"
    "box remove min 0,0,0 max 20,20,20\ngc\n";

TEST_F(EditPage, NumbersAreThoseOfTheJson) {
  write("result.json", edited(kEdits));
  EXPECT_EQ(python(kReadTables + std::string(R"(
r = json.load(open('result.json'))
times, nodes = table('Time of a pass'), table('Nodes of a pass')
assert sorted(times) == ['all', 'box remove', 'sphere add'], times
for name, tool in list(r['tools'].items()) + [('all', r)]:
    assert times[name]['edits'] == count(tool['edits']) and times[name]['passes'] == count(tool['passes'])
    for key in 'mean', 'median', 'longest':
        assert times[name][key] == ('%.2f' % tool['pass_ms'][key], tool['pass_ms'][key])
    for key in 'made', 'new':
        assert nodes[name][key] == count(tool['nodes'][key] + tool['leaves'][key])
    assert nodes[name]['changed'] == count(tool['changed_voxels'])
assert 'removed in 1 collection' in open('page.html', encoding='utf-8').read()
print('good')
)")),
            "good\n");
}

TEST_F(EditPage, NamesThePassesOfAShortScriptAndTheToolsOfALongOne) {
  edited("sphere add center 32,32,32 radius 5 material 2\nbox remove min 0,0,0 max 20,20,20\n");
  for (const char* row : {"1 sphere add", "2 box remove"})
    EXPECT_NE(page().find(std::string(">") + row + "<"), std::string::npos) << row;
  edited(kEdits);
  for (const char* line : {"</i>sphere add<", "</i>box remove<"})
    EXPECT_NE(page().find(line), std::string::npos) << line;
}

TEST_F(EditPage, CountsWhatChangedWithoutBeingAskedTo) {
  write("script.txt", kEdits);
  printed({"cube.h5", "-s", "script.txt", "-q", "--html", "page.html"});
  EXPECT_EQ(python(kReadTables + std::string("print(table('Nodes of a pass')['all']['changed'][1] > 0)")),
            "True\n");
}

TEST_F(EditPage, ShowsNoFaultsInABrowser) {
  if (!have_browser()) GTEST_SKIP() << "no chromium";
  for (const std::string& script :
       {kEdits, std::string("sphere add center 32,32,32 radius 5 material 2\n"),
        std::string(
            "repeat 900 jitter 30,30,30 seed 1\n  sphere add center 32,32,32 radius 2 material 1\nend\n")}) {
    edited(script);
    const PageLook look = look_at(folder_ / "page.html");
    EXPECT_EQ(look.faults, std::vector<std::string>{}) << script;
    EXPECT_EQ(look.charts, 2);
  }
  EXPECT_NE(page().find("Each point is the median of 5 passes"), std::string::npos);
}

TEST_F(EditPage, OfAScriptWithoutEditsSaysSo) {
  edited("# nothing\n");
  EXPECT_NE(page().find("The script has no edits."), std::string::npos);
  EXPECT_EQ(page().find("<svg"), std::string::npos);
}

TEST_F(EditPage, HostileNamesAreText) {
  write("<b onclick='x'>.txt", kEdits);
  printed({"cube.h5", "-s", "<b onclick='x'>.txt", "-q", "--html", "page.html"});
  EXPECT_EQ(page().find("<b onclick"), std::string::npos);
  EXPECT_NE(page().find("&lt;b onclick=&#39;x&#39;&gt;.txt"), std::string::npos);
}

TEST_F(EditPage, ReplacesNothingThatIsReadOrWrittenBesides) {
  write("script.txt", kEdits);
  for (const char* target : {"cube.h5", "script.txt"})
    expect_failure(kBadUsage, "--html", {"cube.h5", "-s", "script.txt", "--html", target});
  expect_failure(kBadUsage, "--html", {"cube.h5", "-s", "script.txt", "--html", "x.h5", "-o", "x.h5"});
  expect_failure(kBadUsage, "--html", {"cube.h5", "-s", "script.txt", "--html", "x.h5", "--log", "x.h5"});
  expect_failure(kFailed, "missing/page.html",
                 {"cube.h5", "-s", "script.txt", "--html", "missing/page.html"});
  expect_failure(kFailed, "page.html", {"cube.h5", "-s", "script.txt", "-q", "--html", "page.html"},
                 {.folder = {}, .file_size_limit = 4000});
}

}  // namespace
}  // namespace vox
