// Tests vox-stats on bricks, on screen, as JSON and as HDF5.
#include <fmt/format.h>

#include <array>

#include "tests/tools/page_tables.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

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
  expect_failure(kFailed, "alone.h5: the file holds bricks alone", {"alone.h5", "--only", "levels"});
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
