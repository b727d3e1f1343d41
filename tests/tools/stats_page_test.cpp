// Tests the page that vox-stats writes with --html.

#include <fmt/format.h>

#include <array>

#include "formats/scene/scene_file.h"
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
  std::string make_hostile() const {
    dag::VoxelScene scene = read_scene(folder_ / "cube.h5");
    scene.palette.names[0] = "<img src=x onerror=alert(1)>";
    scene.source = scene.command = "</dd></style><script>alert(1)</script>";
    const std::string name = "<script>alert('2') & \"so\" on.h5";
    write_scene(scene, folder_ / name);
    return name;
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
        assert materials[str(i)]['color'][0] == material['color']
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
  // The frame has another color at the cube than in its corner.
  EXPECT_EQ(python(fmt::format(R"(
import json, os, time
from chromium import Chromium
with Chromium('{}', os.getcwd(), 400, 450) as page:
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

TEST_F(StatsPage, ShowsVoxelsThatAreNoCubesWithTheirSides) {
  dag::VoxelScene scene = read_scene(folder_ / "cube.h5");
  scene.voxel_size = VoxelSize(1, 2, 1);
  write_scene(scene, folder_ / "tall.h5");
  const auto picture = [&](const char* file) {
    printed({file, "--only", "scene", "--html", "page.html"});
    const std::string text = page();
    const size_t begin = text.find("base64,");
    return text.substr(begin, text.find('"', begin) - begin);
  };
  EXPECT_NE(picture("cube.h5"), picture("tall.h5"));
}

TEST_F(StatsPage, ShowsNoFaultsInABrowser) {
  if (!have_browser()) GTEST_SKIP() << "no chromium";
  converted({"cube.h5", "--structure", "both", "-o", "both.h5", "-q"});
  converted({"cube.h5", "--structure", "bricks", "-o", "bricks.h5", "-q"});
  make_empty();
  std::vector<std::string> pages;
  for (std::vector<std::string> arguments : {std::vector<std::string>{"cube.h5"},
                                             {"bare.h5"},
                                             {"cube.h5", "--load-factor", "16,4096"},
                                             {"both.h5"},
                                             {"bricks.h5"},
                                             {"empty.h5"},
                                             {make_hostile(), "--only", "scene,materials"}}) {
    pages.push_back(fmt::format("{}.html", pages.size()));
    arguments.insert(arguments.end(), {"--html", pages.back()});
    printed(arguments);
  }
  const std::vector<PageLook> looks = look_at(folder_, pages);
  for (size_t i = 0; i < pages.size(); ++i)
    EXPECT_EQ(looks[i].faults, std::vector<std::string>{}) << pages[i];
  const int charts[] = {5, 3, 6};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(looks[i].pictures, 1) << pages[i];
    EXPECT_EQ(looks[i].charts, charts[i]) << pages[i];
    EXPECT_GT(looks[i].texts, 100) << pages[i];
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
  printed({make_hostile(), "--only", "scene,materials", "--html", "page.html"});
  for (const char* markup : {"<script", "<img src=x", "onerror=\""})
    EXPECT_FALSE(has(page(), markup)) << markup;
  for (const char* text : {"&lt;img src=x onerror=alert(1)&gt;", "&lt;script&gt;alert(1)",
                           "alert(&#39;2&#39;) &amp; &quot;so&quot;"})
    EXPECT_TRUE(has(page(), text)) << text;
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
  expect_failure(kBadUsage, "--html and -o", {"cube.h5", "-o", "x.h5", "--html", "x.h5"});
}

// Tests vox-stats on bricks, on screen, as JSON and as HDF5.

class StatsOfBricks : public CubesTest {
 protected:
  StatsOfBricks() : CubesTest("vox-stats") {}
};

TEST_F(StatsOfBricks, ShowsWhatBricksTakeBesideTheSceneOrAlone) {
  converted({"cube.h5", "--structure", "both", "--brick-size", "8", "-o", "both.h5"});
  converted({"cube.h5", "--structure", "bricks", "--brick-size", "8", "-o", "alone.h5"});
  const std::string page = printed({"both.h5", "--only", "bricks"});
  for (const char* part :
       {"Bricks\n", "bits of overhead for each filled voxel", "thesis", "four types", "64³"})
    EXPECT_NE(page.find(part), std::string::npos) << part << page;
  EXPECT_NE(printed({"both.h5"}).find("Hash tables"), std::string::npos);
  EXPECT_EQ(printed({"cube.h5"}).find("Bricks\n"), std::string::npos);

  const std::string both = printed({"both.h5", "--only", "bricks", "--json"}),
                    alone = printed({"alone.h5", "--json"});
  for (const char* key :
       {"bricks.bytes", "bricks.size", "bricks.filled", "bricks.types.empty", "bricks.overhead_bits"}) {
    EXPECT_FALSE(json_value(both, key).empty()) << key;
    EXPECT_EQ(json_value(both, key), json_value(alone, key)) << key;
  }
  expect_failure(kFailed, "cube.h5: the file holds no bricks", {"cube.h5", "--only", "bricks"});
  EXPECT_NE(printed({"alone.h5", "--only", "levels"}).find("Levels\n"), std::string::npos);
  converted({"cube.h5", "-o", "cube.nrrd"});
  converted({"cube.nrrd", "-o", "volume.h5"});
  expect_failure(kFailed, "volume.h5: the file holds the bricks of a volume",
                 {"volume.h5", "--only", "levels"});
}

// The bytes are compared in the form that they have in the file.
TEST_F(StatsOfBricks, PutsBricksBesideTheSvdagOfTheSameVoxels) {
  converted({"cube.h5", "--structure", "both", "-o", "both.h5"});
  converted({"cube.h5", "--structure", "bricks", "-o", "alone.h5"});
  write("both.json", printed({"both.h5", "--only", "bricks", "--json", "-o", "report.h5"}));
  EXPECT_EQ(python(R"(
import h5py, json
file, report = h5py.File('both.h5'), h5py.File('report.h5')['bricks/forms']
svdag = sum(4 * level['words'].size for level in file['svdag'].values())
bricks = sum(4 * words.size for name, words in file['bricks'].items() if name != 'types')
voxels = int(file['scene'].attrs['voxels'])
b = json.load(open('both.json'))['bricks']
assert (b['bytes'], b['svdag']['bytes']) == (bricks, svdag), b
expected = [bricks * 8 / voxels, svdag * 8 / voxels, bricks / svdag]
found = [b['bits_per_voxel'], b['svdag']['bits_per_voxel'], b['svdag']['bricks_to_svdag']]
assert all(abs(e - f) < 1e-4 * e for e, f in zip(expected, found)), (expected, found)
assert list(report['name'][()]) == [b'bricks', b'svdag'] and list(report['bytes'][()]) == [bricks, svdag]
assert list(report['bits_per_voxel'][()]) == expected[:2]
assert list(report['to_svdag'][()]) == [bricks / svdag, 1]
print('good')
)"),
            "good\n");
  const std::string title = "Beside the SVDAG of the same voxels\n";
  EXPECT_NE(printed({"both.h5", "--only", "bricks"}).find(title), std::string::npos);
  EXPECT_EQ(printed({"alone.h5"}).find(title), std::string::npos);
  EXPECT_EQ(json_value(printed({"alone.h5", "--json"}), "bricks.svdag"), "");
}

TEST_F(StatsOfBricks, GivesTheSharesOfTypesThatConvertingToEachSizeGives) {
  converted({"cube.h5", "--structure", "bricks", "-o", "bricks.h5"});
  write("stats.json", printed({"bricks.h5", "--json", "-o", "report.h5"}));
  for (const std::string size : {"4", "8", "16", "32", "64"})
    write(size + ".json",
          converted({"cube.h5", "--structure", "bricks", "--brick-size", size, "-o", "a.h5", "--json"}));
  EXPECT_EQ(python(R"(
import h5py, json
report = h5py.File('report.h5')['bricks/shares']
sizes = json.load(open('stats.json'))['bricks']['sizes']
for row, entry in enumerate(sizes):
    made = json.load(open('%d.json' % entry['size']))['bricks']
    assert report['size'][row] == entry['size']
    for name, count in made['types'].items():
        share = count / made['count']
        assert report[name][row] == share and abs(entry['shares'][name] - share) < 1e-5, (name, entry)
print(len(sizes))
)"),
            "5\n");
}

// The brick size does not divide the sides of these volumes; parts of bricks outside a volume must not count.
TEST_F(StatsOfBricks, SharesOfAVolumeSumToOneWhateverItsSides) {
  for (const auto& [x, y, z] :
       std::vector<std::array<int, 3>>{{68, 41, 59}, {5, 130, 3}, {1, 1, 1}, {64, 64, 65}, {33, 20, 100}}) {
    std::string values;
    for (int i = 0; i < x * y * z; ++i) values += static_cast<char>(i % x < x / 2 ? i * 7 % 251 : 0);
    const std::string name = fmt::format("odd_{}x{}x{}_uint8.raw", x, y, z);
    write(name, values);
    converted({name, "-q", "-o", "odd.h5"});
    write("odd.json", printed({"odd.h5", "--json", "-o", "report.h5", "--html", "page.html"}));
    EXPECT_EQ(python(kReadTables + std::string(R"py(
import h5py
report = h5py.File('report.h5')['bricks/shares']
rows = [sum(report[name][row] for name in report if name != 'size') for row in range(5)]
rows += [sum(entry['shares'].values()) for entry in json.load(open('odd.json'))['bricks']['sizes']]
rows += [sum(cell[1] for cell in row.values()) / 100 for row in table('Types of other sides').values()]
assert all(abs(row - 1) < 1e-4 for row in rows), rows
print(len(rows))
)py")),
              "15\n")
        << name;
  }
}

TEST_F(StatsOfBricks, CountsForEveryBrickSizeWhatConvertingGives) {
  converted({"cube.h5", "--structure", "bricks", "-o", "bricks.h5"});
  printed({"bricks.h5", "-o", "report.h5"});
  for (const auto& [column, types] :
       std::vector<std::pair<std::string, std::string>>{{"dense", "empty,dense"},
                                                        {"list", "empty,list"},
                                                        {"four types", "empty,dense,octree,list"},
                                                        {"all types", "all"}}) {
    std::string sizes;
    for (const char* size : {"4", "8", "16", "32", "64"})
      sizes += json_value(converted({"cube.h5", "--structure", "bricks", "--types", types, "--brick-size",
                                     size, "-o", "a.h5", "--json"}),
                          "bricks.bytes") +
               " ";
    EXPECT_EQ(
        python("import h5py\nprint(*h5py.File('report.h5')['bricks/sizes/" + column + "'][()], end=' ')"),
        sizes);
  }
}

}  // namespace
}  // namespace vox
