// Tests voxels that are no cubes, from the mesh to other programs' files.

#include <cmath>

#include "formats/scene/scene_file.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

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
