#include "formats/mesh/mesh.h"

#include <gtest/gtest.h>

#include "tests/formats/mesh/asset_files.h"
#include "tests/formats/mesh/gltf_builder.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

const std::string kObj = "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n";
const std::string kPly =
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
    "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n1 1 0\n3 0 1 2\n";
const std::string kStl =
    "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet\n"
    "endsolid a\n";
const std::string kOff = "OFF\n3 1 0\n0 0 0\n1 0 0\n1 1 0\n3 0 1 2\n";

std::string glb() {
  GltfBuilder gltf;
  gltf.add_square("{}");
  return gltf.glb();
}

std::string mesh_error(const std::filesystem::path& path) {
  return error_of([&] { read_mesh(path); });
}

TEST(ReadMesh, ExtensionsInAnyLetterCaseChooseTheReader) {
  TestFolder folder;
  EXPECT_EQ(read_mesh(folder.write("a.obj", kObj)).triangles.size(), 1u);
  EXPECT_EQ(read_mesh(folder.write("a.OBJ", kObj)).triangles.size(), 1u);
  EXPECT_EQ(read_mesh(folder.write("a.Ply", kPly)).triangles.size(), 1u);
  EXPECT_EQ(read_mesh(folder.write("a.STL", kStl)).triangles.size(), 1u);
  EXPECT_EQ(read_mesh(folder.write("a.OFF", kOff)).triangles.size(), 1u);
  EXPECT_EQ(read_mesh(folder.write("a.Glb", glb())).triangles.size(), 2u);
}

TEST(ReadMesh, UnknownNamesAreReadByTheirContent) {
  TestFolder folder;
  EXPECT_EQ(read_mesh(folder.write("ply file", kPly)).triangles.size(), 1u);
  EXPECT_EQ(read_mesh(folder.write("stl.download", kStl)).triangles.size(), 1u);
  EXPECT_EQ(read_mesh(folder.write("shape.txt", kOff)).triangles.size(), 1u);
  EXPECT_EQ(read_mesh(folder.write("model", glb())).triangles.size(), 2u);
}

TEST(ReadMesh, SizesThatNoOneMeansAreWarnedOfInEveryFormat) {
  TestFolder folder;
  auto warning = [&](const std::string& name, const std::string& content) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(read_mesh(folder.write(name, content)).triangles.size(), 1u);
    return testing::internal::GetCapturedStderr();
  };
  for (const auto& [name, good] :
       {std::pair{"a.obj", kObj}, {"a.ply", kPly}, {"a.stl", kStl}, {"a.off", kOff}}) {
    auto with_ones_as = [&, good = good](const std::string& number) {
      std::string text = good;
      const size_t at = text.find("1 1 0");
      return text.replace(at, 1, number);
    };
    EXPECT_EQ(warning(name, good), "");
    EXPECT_EQ(warning(name, with_ones_as("1e14")), "");
    EXPECT_NE(warning(name, with_ones_as("2e15")).find(std::string(name) + ": the scene is 2e+15 wide"),
              std::string::npos);
  }
  EXPECT_NE(warning("b.obj", "v 0 0 0\nv 1e-44 0 0\nv 0 2.8e-45 0\nf 1 2 3\n")
                .find("b.obj: no coordinate is larger than 1e-44"),
            std::string::npos);
  EXPECT_EQ(warning("b.obj", "v 0 0 0\nv 1e-20 0 0\nv 0 1e-44 0\nf 1 2 3\n"), "");
}

TEST(ReadMesh, WhatIsNoMeshFileIsNamed) {
  TestFolder folder;
  std::string at = folder.path().string();
  EXPECT_EQ(mesh_error(at + "/none.obj"), at + "/none.obj: no such file");
  EXPECT_EQ(mesh_error(at), at + ": is a directory");
  folder.write("empty.obj", "");
  EXPECT_EQ(mesh_error(at + "/empty.obj"), at + "/empty.obj: the file is empty");
  folder.write("scene.h5", "\x89HDF\r\n\x1a\n and so on");
  EXPECT_EQ(mesh_error(at + "/scene.h5"),
            at + "/scene.h5: this is an HDF5 file, such as a scene file, not a mesh");
  folder.write("text.txt", "just text");
  EXPECT_TRUE(mesh_error(at + "/text.txt").starts_with(at + "/text.txt: not a supported mesh file (OBJ,"))
      << mesh_error(at + "/text.txt");
}

}  // namespace
}  // namespace vox
