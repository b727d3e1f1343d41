// Tests vox-convert --solid with meshes that are not closed, and voxels that are no cubes.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "formats/io/scan.h"
#include "formats/scene/scene_file.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

class SolidProgram : public ProgramTest {};

TEST_F(SolidProgram, SolidClosesHolesAndShowsWhereTheyAre) {
  ASSERT_EQ(scene({"bumpy-sphere", "--triangles", "2000", "-o", "whole.obj"}).code, 0);
  std::istringstream lines(read_bytes(folder_ / "whole.obj"));
  std::ofstream torn(folder_ / "torn.obj");
  int faces = 0;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("f ") || ++faces % 100 != 0) torn << line << '\n';
  torn.close();
  const std::string whole = converted({"whole.obj", "--res", "128", "--solid", "--json", "-o", "whole.h5"}),
                    closed = converted({"torn.obj", "--res", "128", "--solid", "--json", "-o", "closed.h5",
                                        "--holes-out", "holes.glb"}),
                    open = converted({"torn.obj", "--res", "128", "--solid", "--inside", "parity", "--json",
                                      "-o", "open.h5"});
  write("two.hex", "101010\nf0f0f0\n");
  EXPECT_EQ(json_value(whole, "holes"), "0");
  EXPECT_EQ(json_value(closed, "holes"), "20");
  EXPECT_EQ(json_value(closed, "open_edges"), "60");
  EXPECT_EQ(json_value(open, "holes"), "0");
  EXPECT_NE(json_value(open, "open_rays"), "0");
  const auto voxels = [](const std::string& json) { return std::stod(json_value(json, "voxels")); };
  EXPECT_NEAR(voxels(closed), voxels(whole), 0.001 * voxels(whole));
  EXPECT_TRUE(has(converted({"holes.glb", "--res", "64", "--materials", "mesh", "--json", "-o", "holes.h5"}),
                  "\"triangles\": 20"));
  // A cube of six squares that do not touch.
  std::ofstream apart(folder_ / "apart.obj");
  int vertices = 0;
  for (int axis = 0; axis < 3; ++axis)
    for (const double at : {0., 10.}) {
      for (const auto& [a, b] : {std::pair{0.1, 0.1}, {9.9, 0.1}, {9.9, 9.9}, {0.1, 9.9}}) {
        std::array<double, 3> place = {};
        place[static_cast<size_t>(axis)] = at;
        place[static_cast<size_t>(axis + 1) % 3] = a;
        place[static_cast<size_t>(axis + 2) % 3] = b;
        apart << "v " << place[0] << ' ' << place[1] << ' ' << place[2] << '\n';
      }
      apart << "f " << vertices + 1 << ' ' << vertices + 2 << ' ' << vertices + 3 << ' ' << vertices + 4
            << '\n';
      vertices += 4;
    }
  apart.close();
  const std::string alone = converted({"apart.obj", "--res", "64", "--solid", "--json", "-o", "alone.h5"}),
                    joined = converted(
                        {"apart.obj", "--res", "64", "--solid", "--close", "2", "--json", "-o", "joined.h5"});
  EXPECT_EQ(json_value(alone, "sheets"), "6");
  EXPECT_EQ(json_value(joined, "sheets"), "0");
  EXPECT_EQ(json_value(joined, "joined_vertices"), "16");
  EXPECT_GT(voxels(joined), 62. * 62 * 62);
  expect_failure(kBadUsage, "--close needs --solid",
                 {"apart.obj", "--res", "64", "--close", "2", "-o", "x.h5"});
  EXPECT_TRUE(
      has(convert({"whole.obj", "--res", "64", "--solid", "--holes-out", "none.glb", "-o", "x.h5"}).err,
          "no holes"));
  EXPECT_FALSE(exists("none.glb"));
  expect_failure(kBadUsage, "--holes-out", {"torn.obj", "--res", "64", "--holes-out", "h.glb", "-o", "x.h5"});
  converted({"whole.obj", "--res", "64", "--solid", "--interior", "#0a141e", "-o", "filled.h5", "--verify"});
  EXPECT_TRUE(has(converted({"filled.h5", "--info"}), "#0a141e  interior"));
  expect_failure(kBadUsage, "--interior", {"whole.obj", "--res", "64", "--interior", "3", "-o", "x.h5"});
  expect_failure(
      kBadUsage, "#rrggbb, joins the palette",
      {"whole.obj", "--res", "64", "--solid", "--interior", "15", "--palette", "two.hex", "-o", "x.h5"});
  expect_failure(kBadUsage, "--interior",
                 {"whole.obj", "--res", "64", "--solid", "--interior", "16", "-o", "x.h5"});
  expect_failure(kBadUsage, "--inside", {"torn.obj", "--res", "64", "--inside", "parity", "-o", "x.h5"});
}

TEST_F(SolidProgram, FloodsAndShellsAreThoseOfTheSameSolid) {
  ASSERT_EQ(scene({"bumpy-sphere", "--triangles", "2000", "-o", "ball.obj"}).code, 0);
  write("few.hex", "101010\nf0f0f0\n808080\n404040\n");
  const std::vector<std::string> grid = {"--res",  "128",      "--palette", "few.hex",
                                         "--json", "--verify", "--solid"};
  const auto digest = [&](std::vector<std::string> more) {
    more.insert(more.begin(), "ball.obj");
    more.insert(more.end(), grid.begin(), grid.end());
    more.insert(more.end(), {"--force", "-o", "made.h5"});
    return json_value(converted(more), "digest");
  };
  const std::string filled = digest({"--interior", "3"}), flooded = digest({"--inside", "flood"});
  EXPECT_NE(filled, flooded);
  EXPECT_EQ(digest({"--interior", "3", "--shell", "2=3"}), filled);
  const std::string shells = digest({"--interior", "3", "--shell", "2=1,6.5=2"});
  EXPECT_NE(shells, filled);
  EXPECT_EQ(digest({"--interior", "3", "--shell", "2=1,6.5=2", "--spill", "host", "--memory-limit", "600M"}),
            shells);
  EXPECT_EQ(digest({"--interior", "3", "--shell", "2=1,6.5=2", "--device", "cpu,cpu"}), shells);
  EXPECT_TRUE(has(converted({"ball.obj", "--res", "64", "--solid", "--interior", "#0a141e", "--shell",
                             "3=#0b151f", "-o", "colors.h5"}),
                  ""));
  const std::string shown = converted({"colors.h5", "--info"});
  EXPECT_TRUE(has(shown, "#0a141e  interior") && has(shown, "#0b151f  interior")) << shown;
  const auto refused = [&](const char* message, std::vector<std::string> more) {
    more.insert(more.begin(), {"ball.obj", "--res", "64", "-o", "x.h5"});
    expect_failure(kBadUsage, message, more);
  };
  refused("--shell", {"--shell", "2=1"});
  refused("needs --interior", {"--solid", "--shell", "2=1"});
  refused("ascend", {"--solid", "--interior", "1", "--shell", "2=1,2=0"});
  refused("a unit at each", {"--solid", "--interior", "1", "--shell", "2=1,3mm=0"});
  refused("DEPTH=MATERIAL", {"--solid", "--interior", "1", "--shell", "2"});
  refused("does not state the unit", {"--solid", "--interior", "1", "--shell", "2mm=1"});
  refused("--parts does not go", {"--solid", "--interior", "1", "--shell", "2=1", "--parts"});
  refused("--close needs", {"--solid", "--inside", "flood", "--close", "1"});
}

TEST_F(SolidProgram, AFloodSaysThatItFillsNothing) {
  write("open.obj", "v 0 0 0\nv 9 0 0\nv 0 9 0\nv 0 0 9\nf 1 2 3\nf 1 2 4\nf 1 3 4\n");
  const auto run = convert({"open.obj", "--res", "64", "--solid", "--inside", "flood", "-o", "open.h5"});
  EXPECT_EQ(run.code, 0);
  EXPECT_TRUE(has(run.err, "nothing is filled")) << run.err;
}

TEST_F(SolidProgram, AReportSaysWhatIsWrongWithAMesh) {
  // A box without its lid, with a flap across it.
  write("box.obj",
        "o box\nv 0 0 0\nv 8 0 0\nv 8 8 0\nv 0 8 0\nv 0 0 8\nv 8 0 8\nv 8 8 8\nv 0 8 8\n"
        "f 1 4 3 2\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
        "o flap\nv -2 3 3\nv 10 3 4\nv 10 5 3.5\nf 9 10 11\n");
  const std::vector<std::string> plain = {"box.obj", "--res", "64", "--solid", "--json", "-o", "x.h5"};
  std::vector<std::string> reported = plain;
  reported.insert(reported.end(), {"--report", "faults.json", "--holes-out", "faults.glb"});
  const std::string before = json_value(converted(plain), "digest");
  reported.emplace_back("--force");
  EXPECT_EQ(json_value(converted(reported), "digest"), before);
  const std::string report = read_bytes(folder_ / "faults.json");
  EXPECT_TRUE(has(report, "vox mesh faults 1")) << report;
  EXPECT_EQ(json_value(report, "open_edges"), "7");
  EXPECT_EQ(json_value(report, "objects_at_fault"), "2");
  EXPECT_NE(json_value(report, "crossings"), "0");
  EXPECT_TRUE(has(report, "\"name\": \"box\"") && has(report, "\"name\": \"flap\"")) << report;
  EXPECT_TRUE(exists("faults.glb"));
  write("kept.json", "{}");
  expect_failure(1, "kept.json", {"box.obj", "--res", "64", "--report", "kept.json", "-o", "y.h5"});
  expect_failure(kBadUsage, "--report", {"box.obj", "--res", "64", "--report", "faults.txt", "-o", "y.h5"});
}

TEST_F(SolidProgram, DistancesAreWrittenAsDenseGrids) {
  ASSERT_EQ(scene({"bumpy-sphere", "--triangles", "2000", "-o", "ball.obj"}).code, 0);
  converted({"ball.obj", "--res", "40", "--solid", "--sdf", "3", "--materials", "mesh", "-o", "d.npy"});
  const std::string bytes = read_bytes(folder_ / "d.npy");
  ASSERT_GT(bytes.size(), 40u * 40 * 40 * 4);
  std::vector<float> values(40 * 40 * 40);
  std::memcpy(values.data(), bytes.data() + bytes.size() - values.size() * 4, values.size() * 4);
  const auto [low, high] = std::ranges::minmax(values);
  EXPECT_GT(high, 0);
  EXPECT_EQ(low, -high);
  EXPECT_EQ(values[20 + 40 * (20 + 40 * 20)], low);
  EXPECT_EQ(values[0], high);
  EXPECT_TRUE(exists("d-materials.npy"));
  converted({"ball.obj", "--res", "40", "--sdf", "3", "-o", "d.nrrd"});
  EXPECT_TRUE(has(read_bytes(folder_ / "d.nrrd"), "type: float"));
  converted({"ball.obj", "--res", "40", "--solid", "--sdf", "3", "--sdf-type", "f16", "-o", "half.npy"});
  const std::string halves = read_bytes(folder_ / "half.npy");
  EXPECT_TRUE(has(halves, "'<f2'"));
  ASSERT_GT(halves.size(), values.size() * 2);
  for (size_t i = 0; i < values.size(); ++i) {
    uint16_t half = 0;
    std::memcpy(&half, halves.data() + halves.size() - 2 * (values.size() - i), 2);
    ASSERT_EQ(half, half_of(values[i]));
  }
  const std::vector<std::string> plain = {"ball.obj", "--res", "40", "--sdf-type", "f16", "-o", "e.nrrd"};
  expect_failure(kBadUsage, "give both", plain);
  std::vector<std::string> with_band = plain;
  with_band.insert(with_band.end(), {"--sdf", "3"});
  expect_failure(kBadUsage, "for .npy, .vdb and .nvdb files", with_band);
  expect_failure(kBadUsage, "--sdf", {"ball.obj", "--res", "40", "--sdf", "3", "-o", "d.h5"});
  expect_failure(kBadUsage, "--inside flood",
                 {"ball.obj", "--res", "40", "--solid", "--inside", "flood", "--sdf", "3", "-o", "d.npy"});
}

// Python reads with the OpenVDB library itself, and gives every third voxel as f32, x fastest.
TEST_F(SolidProgram, DistancesOfVdbFilesAreThoseOfDenseGrids) {
  if (std::system("/usr/bin/python3 -c 'import pyopenvdb' > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "python3-openvdb is not installed";
  ASSERT_EQ(scene({"bumpy-sphere", "--triangles", "2000", "-o", "ball.obj"}).code, 0);
  write("read.py",
        "import array, sys, pyopenvdb\n"
        "grid = pyopenvdb.read(sys.argv[1], sys.argv[2])\n"
        "at, side = grid.getConstAccessor(), range(0, 150, 3)\n"
        "values = array.array('f', (at.getValue((x, y, z)) for z in side for y in side for x in side))\n"
        "values.append(grid.background)\n"
        "values.append(grid.activeVoxelCount())\n"
        "values.tofile(open(sys.argv[3], 'wb'))\n");
  const auto floats_of = [](const std::string& bytes, size_t skip) {
    std::vector<float> values((bytes.size() - skip) / 4);
    std::memcpy(values.data(), bytes.data() + skip, values.size() * 4);
    return values;
  };
  for (const bool solid : {true, false}) {
    for (const char* file : {"d.npy", "d.vdb"}) {
      std::vector<std::string> arguments = {"ball.obj", "--res", "150", "--sdf", "3", "--force", "-o", file};
      if (solid) arguments.emplace_back("--solid");
      converted(arguments);
    }
    const std::string dense = read_bytes(folder_ / "d.npy");
    const std::vector<float> expected = floats_of(dense, dense.size() - size_t{150} * 150 * 150 * 4);
    const std::string python = "cd '" + folder_.string() + "' && /usr/bin/python3 read.py d.vdb sdf sdf.raw";
    ASSERT_EQ(std::system(python.c_str()), 0);
    const std::vector<float> read = floats_of(read_bytes(folder_ / "sdf.raw"), 0);
    const float band = *std::ranges::max_element(expected);
    ASSERT_EQ(read.size(), 50u * 50 * 50 + 2);
    EXPECT_EQ(read[125'000], band);
    EXPECT_EQ(read.back(), std::ranges::count_if(expected, [&](float v) { return std::abs(v) < band; }));
    for (size_t i = 0; i < 125'000; ++i) {
      const size_t x = i % 50 * 3, y = i / 50 % 50 * 3, z = i / 2500 * 3, at = (z * 150 + y) * 150 + x;
      ASSERT_EQ(read[i], expected[at]) << x << ' ' << y << ' ' << z;
    }
    std::vector<std::string> halved = {"ball.obj", "--res", "150",        "--sdf",      "3",
                                       "--force",  "-o",    "halves.vdb", "--sdf-type", "f16"};
    if (solid) halved.emplace_back("--solid");
    converted(halved);
    EXPECT_LT(read_bytes(folder_ / "halves.vdb").size(), read_bytes(folder_ / "d.vdb").size() * 2 / 3);
    const std::string of_halves =
        "cd '" + folder_.string() + "' && /usr/bin/python3 read.py halves.vdb sdf halves.raw";
    ASSERT_EQ(std::system(of_halves.c_str()), 0);
    const std::vector<float> halves = floats_of(read_bytes(folder_ / "halves.raw"), 0);
    ASSERT_EQ(halves.size(), read.size());
    EXPECT_EQ(halves.back(), read.back());
    for (size_t i = 0; i <= 125'000; ++i) ASSERT_EQ(halves[i], float_of_half(half_of(read[i]))) << i;
  }
}

// A room of 6 x 3 x 4 units, with an open window in a wall.
constexpr const char* kRoom =
    "v 0 0 0\nv 6 0 0\nv 6 3 0\nv 0 3 0\nv 0 0 4\nv 6 0 4\nv 6 3 4\nv 0 3 4\n"
    "f 1 2 6 5\nf 4 3 7 8\nf 1 2 3 4\nf 5 6 7 8\nf 1 4 8 5\n"
    "v 6 1 4\nv 6 2 4\nv 6 1 0\nv 6 2 0\nv 6 1 1\nv 6 2 1\nf 2 6 9 11\nf 12 10 7 3\nf 9 10 14 13\n"
    "v 9 0 2\nv 9 1 2\nv 9 0 2.5\nf 15 16 17\n";

TEST_F(SolidProgram, WhatAWalkerDoesNotReachIsFilled) {
  write("room.obj", kRoom);
  const std::vector<std::string> walk = {"--fill", "outside=1", "--carve", "1.8,0.3", "--seed", "3,1,2"};
  const auto with = [&](std::vector<std::string> first, const std::vector<std::string>& more) {
    first.insert(first.end(), more.begin(), more.end());
    return first;
  };
  const auto voxels = [](const std::string& json) { return std::stod(json_value(json, "voxels")); };
  const std::vector<std::string> room = {"room.obj", "--voxel-size", "0.1", "--json", "-o"};
  const double walls = voxels(converted(with(room, {"walls.h5"})));
  const std::string filled = converted(with(with(room, {"filled.h5", "--verify"}), walk));
  const double space = 91. * 31 * 41, inside = 59. * 29 * 39;  // voxels of the scene's box and of the room
  EXPECT_GT(voxels(filled), walls);
  EXPECT_NEAR(voxels(filled), space - inside, 0.15 * inside);
  const std::string of_scene = converted(with({"walls.h5", "--json", "-o", "again.h5"}, walk));
  EXPECT_EQ(json_value(of_scene, "digest"), json_value(filled, "digest"));
  const std::string colored =
      converted(with(with(room, {"c.h5", "--materials", "colors", "--normals", "--verify"}), walk));
  EXPECT_EQ(voxels(colored), voxels(filled));
  converted(with(with(room, {"room.voxel.json"}), walk));
  EXPECT_TRUE(exists("room.voxel.bin"));
  const auto refused = [&](const char* problem, const std::vector<std::string>& more) {
    expect_failure(kBadUsage, problem, with({"room.obj", "--voxel-size", "0.1", "-o", "x.h5"}, more));
  };
  refused("--fill is 'inside'", {"--fill", "inside"});
  refused("--fill is 'outside=-1'", {"--fill", "outside=-1"});
  refused("at least twice the radius", {"--carve", "1,2"});
  refused("HEIGHT,RADIUS", {"--carve", "1"});
  refused("--seed is where", {"--seed", "1,1,1"});
  refused("--parts does not go with --fill", with(walk, {"--parts"}));
  expect_failure(kBadUsage, "neither --res nor --clip",
                 with({"walls.h5", "--res", "32", "-o", "x.h5"}, walk));
  expect_failure(kBadUsage, "-o says where to", with({"walls.h5"}, walk));
  expect_failure(kFailed, "can be reached from outside",
                 {"walls.h5", "-o", "x.h5", "--fill", "outside=0.2", "--seed", "3,1,2"});
  expect_failure(kFailed, "see --seed", {"walls.h5", "-o", "x.h5", "--carve", "1.8,0.3", "--seed", "3,1,0"});
  write("ct.nrrd",  // of a patient, whose head is at the end of the z axis
        "NRRD0004\ntype: uint8\ndimension: 3\nspace: left-posterior-superior\nsizes: 4 4 4\n"
        "space directions: (1,0,0) (0,1,0) (0,0,1)\nencoding: raw\n\n" +
            std::string(64, 'x'));
  expect_failure(kFailed, "y axis does not point up",
                 {"ct.nrrd", "--structure", "svdag", "-o", "x.h5", "--carve", "1.8,0.3"});
}

// Tests voxels that are no cubes, from the mesh to other programs' files.

// An OBJ file of two skew triangles, whose coordinates are multiplied axis by axis.
std::string skew_obj(Vec3d by) {
  std::string text;
  for (const Vec3d p : {Vec3d{0, 0, 0}, Vec3d{14, 3, 7}, Vec3d{2, 13, 5}, Vec3d{1, 4, 15}})
    text += "v " + std::to_string(p.x * by.x) + ' ' + std::to_string(p.y * by.y) + ' ' +
            std::to_string(p.z * by.z) + '\n';
  return text + "f 1 2 3\nf 1 3 4\nf 1 4 2\nf 2 4 3\n";
}

class VoxelSizeProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (folder_.empty()) return;
    write("cubes.obj", skew_obj({1, 1, 1}));
    write("long.obj", skew_obj({0.25, 2, 0.5}));
  }
  std::string digest(const std::vector<std::string>& arguments) {
    std::vector<std::string> all = arguments;
    for (const char* more : {"--json", "-q", "--force"}) all.emplace_back(more);
    return json_value(converted(all), "digest");
  }
  dag::VoxelScene scene_in(const char* file) { return read_scene(folder_ / file); }
};

TEST_F(VoxelSizeProgram, AMeshInLongVoxelsIsTheStretchedMeshInCubes) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{},
                                               {"--solid"},
                                               {"--coverage", "thin"},
                                               {"--snap-origin"},
                                               {"--solid", "--center"}}) {
    std::vector<std::string> cubes = {"cubes.obj", "--voxel-size", "1", "-o", "cubes.h5"},
                             sides = {"long.obj", "--voxel-size", "0.25,2,0.5", "-o", "long.h5", "--verify"};
    cubes.insert(cubes.end(), more.begin(), more.end());
    sides.insert(sides.end(), more.begin(), more.end());
    if (more.size() == 2 && more[1] == "--center") continue;  // the box of the grid is another one
    EXPECT_EQ(digest(cubes), digest(sides));
  }
  EXPECT_EQ(scene_in("long.h5").voxel_size, VoxelSize(0.25, 2, 0.5));
  EXPECT_TRUE(has(converted({"long.h5", "--info"}), "0.25 x 2 x 0.5"));
  EXPECT_TRUE(has(converted({"cubes.h5", "--info"}), "voxel size"));
}

TEST_F(VoxelSizeProgram, UnitsOfLengthAreThoseOfTheMesh) {
  const std::string in_mm =
      digest({"long.obj", "--units", "mm", "--voxel-size", "250um,0.2cm,0.5mm", "-o", "mm.h5"});
  EXPECT_EQ(in_mm, digest({"cubes.obj", "--voxel-size", "1", "-o", "cubes.h5"}));
  const dag::VoxelScene scene = scene_in("mm.h5");
  EXPECT_EQ(scene.unit, scene::LengthUnit::Meter);
  EXPECT_EQ(scene.voxel_size, VoxelSize(0.00025, 0.002, 0.0005));
  expect_failure(kBadUsage, "--units mm", {"long.obj", "--voxel-size", "1mm", "-o", "x.h5"});
  expect_failure(kBadUsage, "a unit at each",
                 {"long.obj", "--units", "mm", "--voxel-size", "1mm,2,3mm", "-o", "x.h5"});
  expect_failure(kBadUsage, "one length, or three", {"long.obj", "--voxel-size", "1,2", "-o", "x.h5"});
  expect_failure(kBadUsage, "above 0", {"long.obj", "--voxel-size", "1,0,2", "-o", "x.h5"});
  write("a.xyz", "0 0 0\n1 2 3\n");
  expect_failure(kBadUsage, "for meshes", {"a.xyz", "--voxel-size", "1mm", "-o", "x.h5"});
}

TEST_F(VoxelSizeProgram, FilesThatHoldTheSidesComeBackWithThem) {
  const std::string made = digest({"long.obj", "--voxel-size", "0.25,2,0.5", "-o", "long.h5"});
  for (const char* file : {"long.nvdb", "long.vox"}) {
    converted({"long.h5", "-o", file, "-q"});
    EXPECT_EQ(digest({file, "-o", "again.h5"}), made) << file;
    EXPECT_EQ(scene_in("again.h5").voxel_size, VoxelSize(0.25, 2, 0.5)) << file;
  }
  converted({"long.h5", "--structure", "bricks", "-o", "bricks.h5", "-q"});
  EXPECT_EQ(digest({"bricks.h5", "-o", "again.h5"}), made);
  EXPECT_EQ(scene_in("again.h5").voxel_size, VoxelSize(0.25, 2, 0.5));
  converted({"long.h5", "-o", "long.nrrd", "-q"});
  EXPECT_TRUE(has(read_bytes(folder_ / "long.nrrd"), "(0.25,0,0) (0,2,0) (0,0,0.5)"))
      << read_bytes(folder_ / "long.nrrd").substr(0, 400);
  converted({"long.h5", "-o", "layers/%d.png", "-q"});
  const std::string manifest = read_bytes(folder_ / "layers/slices.json");
  EXPECT_TRUE(has(manifest, "0.25") && has(manifest, "0.5")) << manifest;
}

TEST_F(VoxelSizeProgram, FormatsOfCubesSayThatTheyHoldCubes) {
  converted({"long.obj", "--voxel-size", "0.25,2,0.5", "-o", "long.h5", "-q"});
  const Finished written = convert({"long.h5", "-o", "long.binvox"});
  EXPECT_EQ(written.code, 0);
  EXPECT_TRUE(has(written.err, "0.25 x 2 x 0.5") && has(written.err, "cubes")) << written.err;
}

TEST_F(VoxelSizeProgram, APointReachesEquallyFarAlongAllAxesOfTheWorld) {
  write("a.xyz", "0 0 0\n8 8 8\n4 4 4\n");
  converted(
      {"a.xyz", "--voxel-size", "0.5,1,0.25", "--snap-origin", "--point-radius", "2", "-o", "a.h5", "-q"});
  const dag::VoxelScene scene = scene_in("a.h5");
  uint64_t expected = 0;
  const Vec3d points[] = {{0, 0, 0}, {8, 8, 8}, {4, 4, 4}};
  const auto center = [&](uint32_t axis, uint32_t i) {
    return scene.origin[axis] + (i + 0.5) * scene.voxel_size[axis];
  };
  for (uint32_t z = 0; z < scene.dag.resolution; ++z)
    for (uint32_t y = 0; y < scene.dag.resolution; ++y)
      for (uint32_t x = 0; x < scene.dag.resolution; ++x)
        for (const Vec3d& point : points) {
          // Places are rounded to the middle of a 64th of a voxel.
          const Vec3d rounded = point + Vec3d{1 / 128.0, 1 / 128.0, 1 / 128.0} * scene.voxel_size;
          const Vec3d apart = Vec3d{center(0, x), center(1, y), center(2, z)} - rounded;
          if (dot(apart, apart) > 4) continue;
          ++expected;
          break;
        }
  EXPECT_EQ(scene.dag.voxels, expected);
}

TEST_F(VoxelSizeProgram, ScriptsInSceneUnitsAreRefusedAndThoseInVoxelsRun) {
  converted({"long.obj", "--voxel-size", "0.25,2,0.5", "-o", "long.h5", "-q"});
  write("scene.txt", "units scene\nsphere add center 1,1,1 radius 1 material 0\n");
  write("voxels.txt", "sphere add center 5,5,5 radius 3 material 0\n");
  const Finished refused =
      run_program("vox-edit", {"long.h5", "--script", "scene.txt", "-o", "x.h5"}, RunOptions{folder_, {}});
  EXPECT_EQ(refused.code, kFailed);
  EXPECT_TRUE(has(refused.err, "no cubes")) << refused.err;
  EXPECT_EQ(
      run_program("vox-edit", {"long.h5", "--script", "voxels.txt", "-o", "y.h5"}, RunOptions{folder_, {}})
          .code,
      0);
  EXPECT_EQ(scene_in("y.h5").voxel_size, VoxelSize(0.25, 2, 0.5));
}

}  // namespace
}  // namespace vox
