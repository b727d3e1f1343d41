// Tests vox-convert with inputs of different kinds, which share a grid.
#include "formats/scene/scene_file.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

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

}  // namespace
}  // namespace vox
