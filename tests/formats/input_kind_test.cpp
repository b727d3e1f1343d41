// Tests the decision what a file is read as.
#include "formats/input_kind.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

constexpr const char* kHdf5 = "\x89HDF\r\n\x1a\n, and so on";

std::string ply_of_points(const std::string& properties) {
  return "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n" +
         properties + "end_header\n0 0 0 0 0\n";
}

TEST(InputKinds, AreToldByTheNameOfAFileWhateverItHolds) {
  TestFolder folder;
  const std::vector<std::pair<std::string, InputKind>> kinds = {
      {"a.obj", InputKind::Mesh},      {"a.ply", InputKind::Mesh},         {"a.unknown", InputKind::Mesh},
      {"a.las", InputKind::Points},    {"a.xyz", InputKind::Points},       {"a.nrrd", InputKind::Volume},
      {"A.NII.GZ", InputKind::Volume}, {"a.raw.gz", InputKind::RawVolume}, {"a.raw", InputKind::RawVolume},
      {"a.vox", InputKind::Voxels},    {"a.nvdb", InputKind::Voxels},      {"a.h5", InputKind::Scene},
      {"a.vdb", InputKind::Voxels}};
  for (const auto& [name, kind] : kinds) {
    EXPECT_EQ(kind_of_input(folder.path() / name), kind) << name << " is missing";
    EXPECT_EQ(kind_of_input(folder.write(name, "something else")), kind) << name;
  }
}

TEST(InputKinds, APlyFileIsAMeshACloudOrSplatsByItsHeader) {
  TestFolder folder;
  EXPECT_EQ(kind_of_input(folder.write("a.ply", ply_of_points(""))), InputKind::Points);
  EXPECT_EQ(
      kind_of_input(folder.write("b.ply", ply_of_points("property float f_dc_0\nproperty float opacity\n"))),
      InputKind::Splats);
  EXPECT_EQ(kind_of_input(folder.write("c.ply", ply_of_points("element face 1\n"
                                                              "property list uchar int vertex_indices\n"))),
            InputKind::Mesh);
}

TEST(InputKinds, AnHdf5FileIsASceneUnlessItsNameIsThatOfAVolumeOrOfVoxels) {
  TestFolder folder;
  for (const char* name : {"a.scene", "a.obj", "a.ply", "a"})
    EXPECT_EQ(kind_of_input(folder.write(name, kHdf5)), InputKind::Scene) << name;
  EXPECT_EQ(kind_of_input(folder.write("a.nrrd", kHdf5)), InputKind::Volume);
  EXPECT_EQ(kind_of_input(folder.write("a.vox", kHdf5)), InputKind::Voxels);
}

TEST(InputKinds, DescribedValuesAreARawVolumeUnlessTheNameSaysOtherwise) {
  TestFolder folder;
  const RawOptions raw = {.size = Int3{1, 1, 1}};
  for (const char* name : {"a.bin", "a.img", "a"})
    EXPECT_EQ(kind_of_input(folder.write(name, "v"), raw), InputKind::RawVolume) << name;
  const std::vector<std::filesystem::path> named = {"a.obj", "a.las", "a.vox", "a.h5", "a.nrrd"};
  EXPECT_EQ(kinds_of_inputs(named, raw), (std::vector{InputKind::Mesh, InputKind::Points, InputKind::Voxels,
                                                      InputKind::Scene, InputKind::Volume}));
}

}  // namespace
}  // namespace vox
