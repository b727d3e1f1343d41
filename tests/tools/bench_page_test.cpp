// Tests the page that vox-bench hash writes with --html.
#include "tests/common/test_engine.h"
#include "tests/tools/browser.h"
#include "tests/tools/page_tables.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

class BenchPage : public ProgramTest {
 protected:
  BenchPage() : ProgramTest("vox-bench") {}
  Finished bench(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"hash", "--device", test_device(), "--scale", "1/4096"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program("vox-bench", arguments, {.folder = folder_, .file_size_limit = {}});
  }
  // The run has two sizes of items and two load factors.
  std::string measured() const {
    const Finished run = bench({"--item-words", "2,5", "--load-factors", "32,96", "--hit-rates", "50",
                                "--json", "-q", "--html", "page.html"});
    EXPECT_EQ(run.code, 0) << run.err;
    return run.out;
  }
};

TEST_F(BenchPage, NumbersAreThoseOfTheRows) {
  write("result.json", measured());
  EXPECT_EQ(python(kReadTables + std::string(R"(
rows = json.load(open('result.json'))['rows']
titles = {'insert': 'New items', 'search': '50 % of the items are stored', 'duplicates': '50 % of a batch are copies'}
seen = 0
for row in rows:
    if row['op'] == 'fill': continue
    panel = ', %d items per bucket' % row['load_factor'] if row['load_factor'] else ''
    cell = table(titles[row['op']] + panel)[str(row['item_words'])][row['table']]
    assert cell == ('%.3f' % row['ms'], row['ms']), (cell, row)
    if row['op'] == 'insert':
        mib(table('After the insertion' + panel)[str(row['item_words'])][row['table']], row['bytes'])
    seen += 1
assert seen > 20
print('good')
)")),
            "good\n");
}

TEST_F(BenchPage, ShowsNoFaultsInABrowser) {
  if (!have_browser()) GTEST_SKIP() << "no chromium";
  measured();
  const PageLook look = look_at(folder_ / "page.html");
  EXPECT_EQ(look.faults, std::vector<std::string>{});
  EXPECT_EQ(look.charts, 2 + 2 + 2 + 1);  // insertion, search and memory with two load factors, duplicates
}

TEST_F(BenchPage, GoesAlongTheLoadFactorsOfFigure8) {
  EXPECT_EQ(
      bench({"--figure8", "--hit-rates", "50", "--tables", "accel8,sector", "-q", "--html", "page.html"})
          .code,
      0);
  const std::string page = read_bytes(folder_ / "page.html");
  EXPECT_NE(page.find("New items, 6 words"), std::string::npos);
  EXPECT_NE(page.find(">512</text>"), std::string::npos);
  if (!have_browser()) return;
  EXPECT_EQ(look_at(folder_ / "page.html").faults, std::vector<std::string>{});
}

TEST_F(BenchPage, FindsATargetThatCannotBeWrittenBeforeTheWork) {
  const Finished run = bench({"--html", "missing/page.html"});
  EXPECT_EQ(run.code, kFailed);
  EXPECT_TRUE(one_error(run, "missing/page.html", "vox-bench"));
}

}  // namespace
}  // namespace vox
