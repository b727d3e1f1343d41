// Tests the page that vox-stats writes with --html.
#include <fmt/format.h>

#include "formats/scene/scene_file.h"
#include "tests/tools/browser.h"
#include "tests/tools/chromium_driver.h"
#include "tests/tools/page_tables.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

class StatsPage : public CubesTest {
 protected:
  StatsPage() : CubesTest("vox-stats") {}
  std::string page() const { return read_bytes(folder_ / "page.html"); }
  void make_empty() const {
    EXPECT_EQ(convert({"cube.obj", "--res", "64", "--clip", "5,5,5,6,6,6", "-q", "-o", "empty.h5"}).code, 0);
  }
};

TEST_F(StatsPage, NumbersAreThoseOfTheOtherReports) {
  write("result.json", printed({"cube.h5", "--json", "--html", "page.html", "-o", "report.h5"}));
  ASSERT_TRUE(exists("report.h5"));
  EXPECT_EQ(python(kReadTables + std::string(R"(
r = json.load(open('result.json'))
text = open('page.html', encoding='utf-8').read()
assert r['scene']['digest'] in text and '{:,} voxels in 64³'.format(r['scene']['voxels']) in text
materials = table('Materials')
assert len(materials) > 0
for i, material in enumerate(r['scene']['materials']):
    if str(i) in materials:
        assert materials[str(i)]['voxels'] == count(material['voxels'])
        assert materials[str(i)]['colour'][0] == material['color']
    else:
        assert material['voxels'] == 0
for title, pick in ('Nodes of each level', lambda l: l), ('The same without materials', lambda l: l['geometry']):
    levels = table(title)
    assert len(levels) == len(r['levels']) + 1
    for level in r['levels']:
        row = levels[str(level['side'])]
        assert row['octree nodes'] == count(level['svo_nodes'])
        assert row['unique nodes'] == count(pick(level)['unique_nodes'])
        assert row['reduction'][0] == '%.2f' % pick(level)['reduction']
        mib(row['size'], pick(level)['bytes'])
    assert levels['all']['unique nodes'][1] == sum(pick(l)['unique_nodes'] for l in r['levels'])
sizes = table('The same voxels in other forms')
for size in r['sizes'].values():
    mib(sizes[size['what']]['size'], size['bytes'])
    assert sizes[size['what']]['a filled voxel'][0] == '%.3f' % size['bits_per_voxel']
memory = table('Memory with 96 items a bucket')
assert len(memory['items']) == len(r['tables'])
keys = {'items': 'items', 'empty slots': 'empty', 'fingerprints': 'fingerprint', 'links': 'link', 'padding': 'padding',
        'buckets': 'bucket', 'bitmaps': 'bitmap', 'slack': 'slack', 'total': 'total', 'allocated': 'allocated'}
for name, t in r['tables'].items():
    for row, key in keys.items():
        mib(memory[row][name], t[key + '_bytes'])
    mib(memory['predicted total'][name], t['prediction']['total_bytes'])
    assert memory['overhead'][name][0] == '%.1f' % (t['overhead'] * 100)
    assert memory['built in'][name][1] == t['build_seconds']
try:
    import h5py
    h5 = h5py.File('report.h5')
    for name in r['tables']:
        t = h5['tables'][name]['load_factor_96'].attrs
        assert memory['total'][name][1] == t['total_bytes'] and memory['built in'][name][1] == t['build_seconds']
except ImportError:
    pass
print('good')
)")),
            "good\n");
}

TEST_F(StatsPage, MayHaveAPageToFlyThroughInPlaceOfThePicture) {
  printed({"cube.h5", "--html", "page.html", "--viewer", "--only", "scene"});
  EXPECT_TRUE(has(page(), "<iframe") && !has(page(), "<img"));
  printed({"cube.h5", "--html", "still.html", "--only", "scene"});
  EXPECT_FALSE(has(read_bytes(folder_ / "still.html"), "script-src"));
  expect_failure(kBadUsage, "--viewer has no effect", {"cube.h5", "--viewer"});
  expect_failure(kBadUsage, "--viewer has no effect",
                 {"cube.h5", "--html", "a.html", "--viewer", "--only", "levels"});
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  write("chromium.py", chromium_driver());
  // The frame has another colour at the cube than in its corner.
  EXPECT_EQ(python(fmt::format(R"(
import json, os, time
from chromium import Chromium
with Chromium('{}', os.getcwd(), 800, 900) as page:
    page.open('page.html')
    page.wait('document.readyState === "complete" && document.querySelector("iframe") !== null')
    box = json.loads(page.value('JSON.stringify(document.querySelector("iframe").getBoundingClientRect())'))
    def color(x, y):
        at = dict(x=box['x'] + x * box['width'], y=box['y'] + y * box['height'], width=1, height=1, scale=1)
        return page.call('Page.captureScreenshot', format='png', clip=at)['data']
    for _ in range(300):
        if color(0.5, 0.3) != color(0.04, 0.6):
            break
        time.sleep(0.1)
    print(color(0.5, 0.3) != color(0.04, 0.6))
    print([m for m in page.messages if 'GPU stall due to ReadPixels' not in m])
)",
                               browser_name())),
            "True\n[]\n");
}

TEST_F(StatsPage, ShowsNoFaultsInABrowser) {
  if (!have_browser()) GTEST_SKIP() << "no chromium";
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"cube.h5"}, {"bare.h5"}, {"cube.h5", "--load-factor", "16,4096"}}) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--html", "page.html"});
    printed(all);
    const PageLook look = look_at(folder_ / "page.html");
    EXPECT_EQ(look.faults, std::vector<std::string>{}) << arguments.front();
    EXPECT_EQ(look.pictures, 1);
    EXPECT_EQ(look.charts, arguments.size() > 1 ? 6 : arguments.front() == "bare.h5" ? 3 : 5);
    EXPECT_GT(look.texts, 100);
  }
}

TEST_F(StatsPage, ShowsTheBricksOfAFileThatHoldsThem) {
  converted({"cube.h5", "--structure", "both", "-o", "both.h5", "-q"});
  converted({"cube.h5", "--structure", "bricks", "-o", "bricks.h5", "-q"});
  for (const char* file : {"both.h5", "bricks.h5"}) {
    write("result.json", printed({file, "--json", "--html", "page.html"}));
    EXPECT_EQ(python(kReadTables + std::string(R"(
b = json.load(open('result.json'))['bricks']
types = table('Types of the bricks of {0} × {0} × {0} voxels'.format(b['size']))
for name, bricks in b['types'].items():
    assert types[name]['bricks'] == count(bricks) and types[name]['size'] == count(b['type_bytes'][name])
assert types['all']['bricks'] == count(b['count']) and types['all']['size'] == count(b['bytes'])
sizes = table('What other sides and types would take')
assert len(sizes) == len(b['sizes']) == 5
for entry in b['sizes']:
    for name, size in entry['bytes'].items():
        assert sizes[str(entry['size'])][name] == count(size)
    assert sizes[str(entry['size'])]['thesis'] == count(entry['thesis_bytes'])
shares = table('Types of other sides')
for entry in b['sizes']:
    for name, share in entry['shares'].items():
        assert abs(shares[str(entry['size'])][name][1] - 100 * share) < 1e-3
title = 'Beside the SVDAG of the same voxels'
assert (title in reader.tables) == ('svdag' in b)
if 'svdag' in b:
    forms = table(title)
    bricks, svdag = forms['bricks of {}³'.format(b['size'])], forms['SVDAG']
    assert bricks['size'] == count(b['bytes']) and svdag['size'] == count(b['svdag']['bytes'])
    assert abs(bricks['of the SVDAG'][1] - b['svdag']['bricks_to_svdag']) < 1e-3
print('good')
)")),
              "good\n")
        << file;
    if (!have_browser()) continue;
    EXPECT_EQ(look_at(folder_ / "page.html").faults, std::vector<std::string>{}) << file;
  }
}

TEST_F(StatsPage, WhoeverLooksAtPagesSeesTheirFaults) {
  if (!have_browser()) GTEST_SKIP() << "no chromium";
  write("bad.html",
        "<!DOCTYPE html><body style='margin:0'><script>console.error('oh')</script>"
        "<p style='width:1000px'>wide</p><svg viewBox='0 0 360 100' width='360'><text x='5' y='50'>one"
        "</text><text x='8' y='52'>two</text><text x='340' y='90'>beyond</text></svg>"
        "<p style='font-size:5px'>small</p><img src='data:image/png;base64,AAAA'>");
  const std::string faults = testing::PrintToString(look_at(folder_ / "bad.html").faults);
  for (const char* fault :
       {"390 px: the page is 1000 wide", "\\\"one\\\" overlaps \\\"two\\\"",
        "\\\"beyond\\\" leaves its chart", "has no marks", "has no title", "has no table",
        "\\\"small\\\" is 5 px", "picture is not shown", "there is a script", "console: "})
    EXPECT_TRUE(has(faults, fault)) << fault << "\n" << faults;
}

TEST_F(StatsPage, HostileNamesAreText) {
  dag::VoxelScene scene = read_scene(folder_ / "cube.h5");
  scene.palette.names[0] = "<img src=x onerror=alert(1)>";
  scene.source = scene.command = "</dd></style><script>alert(1)</script>";
  write_scene(scene, folder_ / "evil.h5");
  const std::string name = "<script>alert('2') & \"so\" on.h5";
  std::filesystem::rename(folder_ / "evil.h5", folder_ / name);
  printed({name, "--only", "scene,materials", "--html", "page.html"});
  for (const char* markup : {"<script", "<img src=x", "onerror=\""})
    EXPECT_FALSE(has(page(), markup)) << markup;
  for (const char* text : {"&lt;img src=x onerror=alert(1)&gt;", "&lt;script&gt;alert(1)",
                           "alert(&#39;2&#39;) &amp; &quot;so&quot;"})
    EXPECT_TRUE(has(page(), text)) << text;
  if (!have_browser()) return;
  EXPECT_EQ(look_at(folder_ / "page.html").faults, std::vector<std::string>{});
}

TEST_F(StatsPage, IsInTheHelp) {
  EXPECT_TRUE(has(printed({"--help"}), "--html FILE"));
}

TEST_F(StatsPage, HasOnlyTheSectionsThatAreAsked) {
  printed({"cube.h5", "--only", "memory", "--html", "page.html"});
  EXPECT_TRUE(has(page(), "Memory with 96 items a bucket"));
  for (const char* part : {"<img", "Materials", "Deduplication"}) EXPECT_FALSE(has(page(), part)) << part;
}

TEST_F(StatsPage, OfAnEmptySceneSaysThatItIsEmpty) {
  make_empty();
  printed({"empty.h5", "--html", "page.html"});
  EXPECT_TRUE(has(page(), "The scene is empty"));
  EXPECT_TRUE(has(page(), "0 voxels in 64³"));
  EXPECT_FALSE(has(page(), "<svg"));
  if (!have_browser()) return;
  EXPECT_EQ(look_at(folder_ / "page.html").faults, std::vector<std::string>{});
}

TEST_F(StatsPage, IsWrittenAsAWholeOrNotAtAll) {
  std::filesystem::create_directory(folder_ / "folder");
  write("old.html", "kept");
  for (const char* target : {"folder", "missing/page.html", "cube.obj/page.html"})
    expect_failure(kFailed, target, {"cube.h5", "--html", target});
  for (const char* target : {"page.html", "old.html"})
    expect_failure(kFailed, target, {"cube.h5", "-q", "--html", target, "--force"},
                   {.folder = {}, .file_size_limit = 4000});
  expect_failure(kBadUsage, "the page would replace 'cube.h5', which is the scene",
                 {"cube.h5", "--html", "cube.h5"});
  expect_failure(kBadUsage, "-o and --html", {"cube.h5", "-o", "x", "--html", "x"});
}

}  // namespace
}  // namespace vox
