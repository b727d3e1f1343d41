// Tests vox-convert with point clouds.

#include <fmt/format.h>

#include "formats/scene/scene_file.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

class PointsProgram : public ProgramTest {
 protected:
  // Returns a colorful line of points that spans 10 units along x.
  static std::string lines(int from, int to) {
    std::string text;
    for (int i = from; i <= to; ++i)
      text += std::to_string(i * 0.01) + " " + std::to_string(i % 7 * 0.1) + " 0.25 " +
              std::to_string(i % 256) + " 20 30\n";
    return text;
  }
  static std::string ply(const std::string& properties, const std::string& points, int count) {
    return "ply\nformat ascii 1.0\nelement vertex " + std::to_string(count) +
           "\nproperty float x\nproperty float y\nproperty float z\n" + properties + "end_header\n" + points;
  }
};

TEST_F(PointsProgram, MakesAVerifiedSceneWithColorsForEveryThreadCount) {
  write("a.xyz", lines(0, 1000));
  const std::string json = converted({"a.xyz", "--res", "64", "--verify", "--json", "-q", "--threads", "1"});
  EXPECT_EQ(json_value(json, "points"), "1001");
  EXPECT_EQ(json_value(json, "material_bits"), "4");
  EXPECT_NE(json_value(json, "palette_error.mean"), "");
  converted({"a.xyz", "--res", "64", "-o", "b.h5", "-q", "--threads", "3"});
  EXPECT_EQ(digest("a.h5"), digest("b.h5"));
}

TEST_F(PointsProgram, SeveralFilesShareAGrid) {
  write("a.xyz", lines(0, 1000));
  write("b.xyz", lines(0, 400));
  write("c.ply",
        ply("property uchar red\nproperty uchar green\nproperty uchar blue\n", lines(401, 1000), 600));
  converted({"a.xyz", "--voxel-size", "0.1", "-q"});
  converted({"b.xyz", "c.ply", "--voxel-size", "0.1", "-q"});
  EXPECT_EQ(digest("a.h5"), digest("b.h5"));
}

TEST_F(PointsProgram, AMeshAndPointsNeedAGridForBoth) {
  write("cube.obj", cube_obj());
  write("a.xyz", lines(0, 10));
  write("a.ply", ply("", "0 0 0\n1 1 1\n", 2));
  expect_failure(kBadUsage, "a.xyz holds points", {"cube.obj", "a.xyz"});
  expect_failure(kBadUsage, "a.ply holds points", {"cube.obj", "a.ply"});
}

TEST_F(PointsProgram, OptionsWithoutEffectAreErrors) {
  write("a.xyz", lines(0, 10));
  write("bare.xyz", "0 0 0\n1 1 1\n");
  write("cube.obj", cube_obj());
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--solid"},
                                             {"--coverage", "thin"},
                                             {"--units", "keep"},
                                             {"--splat-opacity", "0.5"},
                                             {"--splats", "centers"},
                                             {"--table", "sector"}}) {
    std::vector<std::string> arguments = {"a.xyz", "--res", "64"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_failure(kBadUsage, more[0] + " has no effect on a cloud of points", arguments);
  }
  expect_failure(kBadUsage, "--palette-weight has no effect where not all points have colors",
                 {"bare.xyz", "--res", "64", "--palette-weight", "even"});
  expect_failure(kBadUsage, "--point-radius has no effect on a mesh",
                 {"cube.obj", "--res", "64", "--point-radius", "1"});
  expect_failure(kBadUsage, "--materials mesh and object are for meshes",
                 {"a.xyz", "--res", "64", "--materials", "mesh"});
  expect_failure(kBadUsage, "one of --res and --voxel-size", {"a.xyz"});
  expect_failure(kFailed, "the limit is 31", {"a.xyz", "--res", "64", "--point-radius", "100"});
}

TEST_F(PointsProgram, WhatIsDroppedIsCounted) {
  write("a.ply",
        ply("property float f_dc_0\nproperty float f_dc_1\nproperty float f_dc_2\nproperty float opacity\n",
            "0 0 0 0 0 0 3\n1 1 1 0 0 0 -3\nnan 0 0 0 0 0 5\n2 2 2 0 0 0 5\n", 4));
  const Finished run =
      ran({"a.ply", "--res", "64", "--splats", "centers", "--splat-opacity", "0.9", "--json"});
  EXPECT_EQ(run.code, 0);
  EXPECT_TRUE(has(run.err, "the sizes of splats are ignored")) << run.err;
  EXPECT_TRUE(has(run.err, "dropped 1 point with coordinates that are not finite")) << run.err;
  EXPECT_TRUE(has(run.err, "1 point left out")) << run.err;
  EXPECT_EQ(json_value(run.out, "points"), "2");
  EXPECT_EQ(json_value(run.out, "points_not_finite"), "1");
  EXPECT_EQ(json_value(run.out, "points_left_out"), "1");
}

TEST_F(PointsProgram, SplatsBecomeSoftEllipsoidsUnlessTheirCentersAreAskedFor) {
  const std::string properties =
      "property float f_dc_0\nproperty float f_dc_1\nproperty float f_dc_2\nproperty float opacity\n"
      "property float scale_0\nproperty float scale_1\nproperty float scale_2\n"
      "property float rot_0\nproperty float rot_1\nproperty float rot_2\nproperty float rot_3\n";
  // Two round splats with a deviation of 1 and an opacity of 0.95, which fill what is at most 1.133 away.
  write("a.ply", ply(properties, "0 0 0 1 0 0 3 0 0 0 1 0 0 0\n9 0 0 0 0 1 3 0 0 0 1 0 0 0\n", 2));
  write("sizeless.ply", ply("property float f_dc_0\nproperty float f_dc_1\nproperty float f_dc_2\n"
                            "property float opacity\n",
                            "0 0 0 1 0 0 3\n", 1));
  write("point.xyz", "4.5 0 0\n");
  const auto voxels = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"-o", "made.h5", "--force", "-q", "--verify"});
    converted(arguments);
    return static_cast<double>(read_scene(folder_ / "made.h5").dag.voxels);
  };
  const double ball = 4 * 3.14159 / 3 * 1.133 * 1.133 * 1.133 / (0.1 * 0.1 * 0.1);
  EXPECT_NEAR(voxels({"a.ply", "--voxel-size", "0.1"}), 2 * ball, 0.03 * ball);
  EXPECT_EQ(read_scene(folder_ / "made.h5").dag.resolution, 113u);
  EXPECT_EQ(voxels({"a.ply", "--voxel-size", "0.1", "--splats", "centers"}), 2);
  EXPECT_NEAR(voxels({"a.ply", "point.xyz", "--voxel-size", "0.1"}), 2 * ball + 1, 0.03 * ball);
  EXPECT_EQ(voxels({"a.ply", "point.xyz", "--voxel-size", "0.1", "--splats", "centers"}), 3);
  expect_failure(kBadUsage, "--point-radius has no effect",
                 {"a.ply", "--res", "64", "--point-radius", "0.5"});
  expect_failure(kFailed, "its splats have no sizes", {"sizeless.ply", "--res", "64"});
}

TEST_F(PointsProgram, ARadiusWidensTheGridAndAClipBoxDoesNot) {
  write("a.xyz", "0 0 0\n1 0 0\n");
  converted({"a.xyz", "--voxel-size", "0.125", "--point-radius", "0.25", "-q"});
  EXPECT_EQ(json_value(converted({"a.h5", "--info", "--json"}), "resolution"), "12");
  converted({"a.xyz", "--voxel-size", "0.125", "--point-radius", "0.25", "--clip", "0,0,0,1,1,1", "-o",
             "b.h5", "-q"});
  EXPECT_EQ(json_value(converted({"b.h5", "--info", "--json"}), "resolution"), "8");
  expect_failure(kBadUsage, "--point-radius", {"a.xyz", "--res", "64", "--point-radius", "-1"});
  expect_failure(kBadUsage, "--point-radius", {"a.xyz", "--res", "64", "--point-radius", "wide"});
}

TEST_F(PointsProgram, ARadiusMayFollowFromTheSpacing) {
  std::string grid;
  for (int i = 0; i < 900; ++i) grid += fmt::format("{} {} 0\n", i % 30, i / 30);
  write("a.xyz", grid);
  const Finished run = ran({"a.xyz", "--voxel-size", "0.5", "--point-radius", "auto"});
  EXPECT_EQ(run.code, 0);
  // The eighth neighbor is at a corner, √2 away, but for points on the border it is 2 or √5 away.
  EXPECT_TRUE(has(run.err, "points fill voxels within 2.5 units")) << run.err;
}

// Tests vox-convert with inputs of different kinds, which share a grid.

class MixedProgram : public CubesTest {};

TEST_F(MixedProgram, ALaterInputHidesAnEarlierOne) {
  converted({"cube.h5", "-o", "cube.vox", "-q"});
  const dag::VoxelScene before = read_scene(folder_ / "cube.h5");
  converted({"cube.vox", "cube.obj", "--res", "64", "-o", "both.h5", "-q", "--verify"});
  const dag::VoxelScene both = read_scene(folder_ / "both.h5");
  // The voxels of cube.vox reach only to the cube's outer faces, so the grid is the cube's.
  EXPECT_EQ(both.dag.voxels, before.dag.voxels);
  EXPECT_EQ(both.origin, before.origin);
  EXPECT_EQ(both.source, "cube.vox, cube.obj");
}

TEST_F(MixedProgram, OptionsOfMeshesNeedAMesh) {
  converted({"cube.h5", "-o", "cube.vox", "-q"});
  expect_failure(kBadUsage, "--solid has no effect", {"cube.vox", "cube.h5", "--res", "64", "--solid"});
  expect_failure(kBadUsage, "--paint", {"cube.vox", "cube.obj", "--res", "64", "--paint", "strokes.txt"});
  expect_failure(kBadUsage, "--res or --voxel-size", {"cube.vox", "cube.obj"});
  converted({"cube.vox", "cube.obj", "--res", "64", "-o", "solid.h5", "-q", "--solid"});
  EXPECT_EQ(read_scene(folder_ / "solid.h5").dag.voxels, 64u * 64 * 64);
}

TEST_F(MixedProgram, PointsAreInputsToo) {
  write("point.xyz", "10 0 0\n");
  const std::vector<std::string> grid = {"--clip", "-16,-16,-16,16,16,16", "--res", "256",
                                         "-q",     "--materials",          "none"};
  const auto voxels = [&](std::vector<std::string> inputs) {
    inputs.insert(inputs.end(), grid.begin(), grid.end());
    inputs.insert(inputs.end(), {"-o", "made.h5", "--force"});
    converted(inputs);
    return read_scene(folder_ / "made.h5").dag.voxels;
  };
  EXPECT_EQ(voxels({"cube.obj", "point.xyz"}), voxels({"cube.obj"}) + 1);
  expect_failure(kBadUsage, "--splat-opacity has no effect",
                 {"cube.obj", "point.xyz", "--res", "64", "--splat-opacity", "0.2"});
}

TEST_F(MixedProgram, VolumesAreInputsToo) {
  write("values.raw", std::string(4 * 4 * 4, '\3'));
  converted({"values.raw", "cube.obj", "--dims", "4,4,4", "--type", "u8", "--clip", "-16,-16,-16,16,16,16",
             "--res", "256", "-o", "both.h5", "-q", "--materials", "labels"});
  EXPECT_GE(read_scene(folder_ / "both.h5").dag.voxels, 32u * 32 * 32);  // the volume's voxels alone
  expect_failure(kBadUsage, "--threshold has no effect",
                 {"cube.h5", "cube.obj", "--res", "64", "--threshold", "0.2"});
}

TEST_F(MixedProgram, ScenesAreInputsToo) {
  converted({"cube.h5", "cube.obj", "--voxel-size", "0.125", "-o", "both.nrrd", "-q"});
  converted({"cube.obj", "cube.h5", "--res", "32", "-o", "both.h5", "-q", "--materials", "none"});
  EXPECT_FALSE(read_scene(folder_ / "both.h5").dag.materials);
}

// Tests vox-convert --paint.

// A square of side 1 in the plane z = 0 with texture coordinates from 0 to 1.
constexpr const char* kSquare = R"(v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
vt 0 0
vt 1 0
vt 1 1
vt 0 1
f 1/1 2/2 3/3 4/4
)";
constexpr const char* kStrokes =
    "stroke color #ff0000 radius 0.2 edge 0 from 0.5,0.2,0 to 0.5,0.8,0\n"
    "stroke color #0000ff radius 0.1 edge 0 uv 0.25,0.25\n";

// A box whose faces look outwards.
std::string box_obj(Int3 low, Int3 high) {
  std::string text;
  for (int corner = 0; corner < 8; ++corner)
    text += fmt::format("v {} {} {}\n", corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y,
                        corner & 4 ? high.z : low.z);
  return text + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
}

class CombineProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    write("a.obj", box_obj({0, 0, 0}, {10, 10, 10}));
    write("b.obj", box_obj({5, 2, 2}, {15, 8, 8}));
  }
  std::string combined(const std::string& how, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"a.obj",  "b.obj",    "--voxel-size", "1",  "--combine", how,
                                          "--json", "--verify", "-q",           "-o", how + ".h5"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return converted(arguments);
  }
};

// The second box sticks in the face x = 10 of the first.
TEST_F(CombineProgram, KeepsWhatLiesOnTheRightSides) {
  constexpr int kHole = 5 * 5, kRim = 7 * 7 - 5 * 5, kStub = 7 * 7 + 4 * kRim;
  converted({"a.obj", "b.obj", "--voxel-size", "1", "-o", "both.h5", "-q"});
  const auto voxels = [&](const std::string& json) { return std::stoi(json_value(json, "voxels")); };
  const int both = voxels(converted({"both.h5", "--info", "--json"}));
  const std::string joined = combined("union"), cut = combined("subtract"), inner = combined("intersect");
  for (const std::string& json : {joined, cut, inner}) {
    EXPECT_EQ(json_value(json, "combine.first_inside"), std::to_string(kHole));
    EXPECT_EQ(json_value(json, "combine.first_common"), std::to_string(kRim));
    EXPECT_EQ(json_value(json, "combine.second_inside"), std::to_string(kStub));
    EXPECT_EQ(json_value(json, "combine.second_common"), std::to_string(kRim));
    EXPECT_EQ(json_value(json, "combine.first_parts_by_rays"), "0");
  }
  EXPECT_EQ(voxels(joined), both - kHole - kStub);
  EXPECT_EQ(voxels(inner), kHole + kRim + kStub);
  EXPECT_EQ(voxels(cut), std::stoi(json_value(cut, "combine.first_outside")) + kRim + kStub);
}

TEST_F(CombineProgram, MakesOneSceneWithEveryThreadCount) {
  combined("subtract", {"--threads", "1"});
  const std::string one = digest("subtract.h5");
  combined("subtract", {"--threads", "3"});
  EXPECT_EQ(digest("subtract.h5"), one);
  combined("subtract", {"--materials", "none"});
  EXPECT_NE(digest("subtract.h5"), one);
}

TEST_F(CombineProgram, RefusesWhatItCannotDecide) {
  const auto expect_refused = [&](const std::string& text, std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--combine", "union"});
    expect_failure(kBadUsage, text, arguments);
  };
  write("a.xyz", "0 0 0\n1 1 1\n");
  expect_refused("--combine is for two meshes", {"a.obj", "--res", "16"});
  expect_refused("--combine is for two meshes", {"a.obj", "b.obj", "a.obj", "--res", "16"});
  expect_refused("--combine is for two meshes", {"a.obj", "a.xyz", "--res", "16"});
  expect_refused("--combine needs a grid", {"a.obj", "b.obj"});
  expect_refused("without --solid", {"a.obj", "b.obj", "--res", "16", "--solid"});
  expect_refused("--coverage conservative", {"a.obj", "b.obj", "--res", "16", "--coverage", "thin"});
  expect_refused("--clip cuts a part", {"a.obj", "b.obj", "--res", "16", "--clip", "0,0,0,5,5,5"});
}

class PaintProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    write("square.obj", kSquare);
    write("strokes.txt", kStrokes);
  }
};

TEST_F(PaintProgram, PaintsStrokesThatTakePartInThePalette) {
  const std::string json = converted({"square.obj", "--res", "100", "--paint", "strokes.txt", "--paint-size",
                                      "1K", "-o", "a.h5", "--verify", "--json"});
  EXPECT_EQ(json_value(json, "painting.strokes"), "2");
  EXPECT_EQ(json_value(json, "painting.size"), "1024");
  EXPECT_EQ(json_value(json, "painting.rebuilds"), "1");
  EXPECT_EQ(json_value(json, "painting.queries"), "10000");
  EXPECT_GT(std::stod(json_value(json, "painting.bytes")), 0);
  EXPECT_GE(std::stod(json_value(json, "seconds.paint")), std::stod(json_value(json, "painting.seconds")));
  const double area = 3.14159 * 0.04 + 0.4 * 0.6 + 3.14159 * 0.01;
  EXPECT_NEAR(std::stod(json_value(json, "painting.texels")), area * 1024 * 1024, 0.02 * 1024 * 1024);
  EXPECT_EQ(python(R"(
import h5py
f = h5py.File('a.h5')
colors = [tuple(map(int, c)) for c in f['palette/colors'][:]]
print((255, 0, 0) in colors, (0, 0, 255) in colors)
)"),
            "True True\n");
}

TEST_F(PaintProgram, WithoutPaintNothingIsSaidOfPainting) {
  const std::string json = converted({"square.obj", "--res", "64", "--json"});
  EXPECT_EQ(json_value(json, "painting.strokes"), "");
}

TEST_F(PaintProgram, WarnsOfStrokesThatTouchNothing) {
  write("far.txt", "# far away\nstroke color #ff0000 radius 0.2 at 5,5,5\n");
  const Finished run = convert({"square.obj", "--res", "64", "--paint", "far.txt", "-o", "far.h5"});
  EXPECT_EQ(run.code, 0);
  EXPECT_TRUE(has(run.err, "far.txt:2: the stroke touches no texel")) << run.err;
  converted({"square.obj", "--res", "64", "-o", "plain.h5"});
  EXPECT_EQ(digest("far.h5"), digest("plain.h5"));
}

TEST_F(PaintProgram, RefusesWhatHasNoEffectOrMakesNoSense) {
  write("bad.txt", "stroke color #ff0000 radius 0 at 0,0,0\n");
  write("empty.txt", "# nothing\n");
  write("bare.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const auto paint = [](const std::string& script) {
    return std::vector<std::string>{"square.obj", "--res", "64", "--paint", script};
  };
  auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = paint("strokes.txt");
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  expect_failure(kFailed, "bad.txt:1:29: the radius is '0'", paint("bad.txt"));
  expect_failure(kFailed, "empty.txt: has no strokes", paint("empty.txt"));
  expect_failure(kFailed, "missing.txt", paint("missing.txt"));
  expect_failure(kFailed, "the mesh has no texture coordinates",
                 {"bare.obj", "--res", "64", "--paint", "strokes.txt"});
  expect_failure(kBadUsage, "--paint-size needs --paint",
                 {"square.obj", "--res", "64", "--paint-size", "1K"});
  for (const std::string size : {"0", "128K", "65537"})
    expect_failure(kBadUsage, "--paint-size is " + size + ", expected 1 to 65536",
                   with({"--paint-size", size}));
  expect_failure(kBadUsage, "--paint-size", with({"--paint-size", "many"}));
  for (const std::string materials : {"none", "mesh"})
    expect_failure(kBadUsage, "--paint needs --materials texture", with({"--materials", materials}));
}

TEST_F(PaintProgram, PaintsMeshesAlone) {
  make_cubes();
  for (const std::string input : {"cube.h5"})
    expect_failure(kBadUsage, "--paint has no effect on",
                   {input, "--res", "32", "--paint", "strokes.txt", "-o", "a.h5"});
  write("a_4x4x4_uint8.raw", std::string(64, '\1'));
  expect_failure(kBadUsage, "--paint has no effect on",
                 {"a_4x4x4_uint8.raw", "--paint", "strokes.txt", "-o", "a.h5"});
}

// Tests vox-convert SCENE --res, which makes coarser levels of a scene file.

class CoarserProgram : public CubesTest {
 protected:
  // Makes a coarser scene of cube.h5 with further options, and verifies it.
  dag::VoxelScene coarser(const std::vector<std::string>& more, const std::string& name = "small.h5") {
    std::vector<std::string> arguments = {"cube.h5", "-o", name, "-q"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    converted(arguments);
    EXPECT_NE(converted({"--verify", name}).find("correct"), std::string::npos);
    return read_scene(folder_ / name);
  }
};

TEST_F(CoarserProgram, FillsAVoxelWhereAnyBelowIsAndSaysSoOfTheWholeScene) {
  const dag::VoxelScene before = read_scene(folder_ / "cube.h5");
  const dag::VoxelScene after = coarser({"--res", "16"});
  EXPECT_EQ(after.dag.resolution, 16u);
  EXPECT_EQ(after.dag.voxels, 16u * 16 * 16 - 14 * 14 * 14);  // a shell of one voxel
  EXPECT_EQ(after.voxel_size, before.voxel_size * 4);
  EXPECT_EQ(after.origin, before.origin);
  EXPECT_EQ(after.source, before.source);
  EXPECT_EQ(after.coverage, before.coverage);
  EXPECT_EQ(after.palette.count, before.palette.count);
  EXPECT_EQ(after.shares, before.shares);
  EXPECT_NE(after.command.find("cube.h5 -o small.h5 -q --res 16"), std::string::npos) << after.command;
  EXPECT_NE(converted({"small.h5", "--info"}).find("16 voxels along the longest side"), std::string::npos);
}

TEST_F(CoarserProgram, KeepsTheHistoryOfAnEditedScene) {
  write("script.txt", "clear\nbox add min 1,1,1 max 3,2,2 material 2\n");
  ASSERT_EQ(run_program("vox-edit", {"cube.h5", "-s", "script.txt", "-o", "cube.h5"},
                        {.folder = folder_, .file_size_limit = {}})
                .code,
            0);
  const dag::VoxelScene after = coarser({"--res", "32"});
  EXPECT_EQ(after.dag.voxels, 2u);
  ASSERT_EQ(after.history.size(), 1u);
  EXPECT_EQ(after.history[0].digest, read_scene(folder_ / "cube.h5").dag.digest);
}

TEST_F(CoarserProgram, ExportsWhatItsSceneFileWouldExport) {
  coarser({"--res", "32"});
  for (const std::string extension : {".vox", ".nrrd", ".binvox"}) {
    converted({"cube.h5", "--res", "32", "-o", "direct" + extension, "-q"});
    converted({"small.h5", "-o", "twice" + extension, "-q"});
    EXPECT_TRUE(read_bytes(folder_ / ("direct" + extension)) == read_bytes(folder_ / ("twice" + extension)))
        << extension;
  }
}

TEST_F(CoarserProgram, MakesBricksOfTheCoarserSceneWhereAsked) {
  converted({"cube.h5", "--structure", "both", "-o", "both.h5", "-q"});
  coarser({"--res", "16", "--structure", "both", "--verify"});
  EXPECT_TRUE(scene_file_parts(folder_ / "small.h5").bricks);
  EXPECT_EQ(read_bricks(folder_ / "small.h5").info.size, (Int3{16, 16, 16}));
  const Finished run = convert({"both.h5", "--res", "16", "-o", "without.h5"});
  EXPECT_EQ(run.code, 0);
  EXPECT_NE(run.err.find("the bricks are left out"), std::string::npos) << run.err;
  EXPECT_FALSE(scene_file_parts(folder_ / "without.h5").bricks);
}

TEST_F(CoarserProgram, GivesOneDigestForEveryThreadCount) {
  const dag::Digest digest = coarser({"--res", "8"}).dag.digest;
  EXPECT_EQ(coarser({"--res", "8", "--threads", "1"}).dag.digest, digest);
  const std::string json = converted({"cube.h5", "--res", "8", "-o", "small.h5", "--json"});
  EXPECT_EQ(json_value(json, "digest"), "\"" + dag::to_string(digest) + "\"");
  EXPECT_EQ(json_value(json, "file"), "\"small.h5\"");
}

TEST_F(CoarserProgram, RefusesOtherResolutionsAndNamesTheNearest) {
  for (const auto& [res, nearest] : {std::pair<const char*, const char*>{"64", "nearest is 32"},
                                     {"25", "are 32, 16, 8, 4; the nearest is 32"},
                                     {"23", "nearest is 16"},
                                     {"5", "nearest is 4"},
                                     {"1M", "nearest is 32"}})
    expect_failure(kBadUsage, nearest, {"cube.h5", "--res", res, "-o", "small.h5"});
  converted({"cube.obj", "--res", "4", "-o", "tiny.h5", "-q"});
  expect_failure(kBadUsage, "no coarser level", {"tiny.h5", "--res", "4", "-o", "small.h5"});
}

TEST_F(CoarserProgram, NeedsAnOutputThatIsNotTheScene) {
  expect_failure(kBadUsage, "name another file with -o", {"cube.h5", "--res", "32"});
  expect_failure(kBadUsage, "no effect on --verify", {"cube.h5", "--res", "32", "--verify"});
  expect_failure(kBadUsage, "no effect on --info", {"cube.h5", "--res", "32", "--info"});
  expect_failure(kBadUsage, "would replace", {"cube.h5", "--res", "32", "-o", "./cube.h5"});
}

}  // namespace
}  // namespace vox
