#include <gtest/gtest.h>

#include <string>

#include "formats/mesh/mesh.h"
#include "libvox/base/error.h"
#include "tests/formats/mesh/mesh_checks.h"
#include "tests/formats/scene/scene_checks.h"

namespace vox {
namespace {

std::string assimp_error(const std::filesystem::path& path) {
  return error_of([&] { read_assimp(path); });
}

TEST(ReadAssimp, OffPolygonsAreTriangulated) {
  TestFolder folder;
  scene::Scene scene = read_assimp(
      folder.write("a.off", "OFF\n5 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0.5 0.5 1\n4 0 1 2 3\n3 0 1 4\n"));
  EXPECT_EQ(scene.triangles.size(), 3u);
  expect_sound(scene);
}

TEST(ReadAssimp, WhatMakesAssimpCrashIsAnError) {
  TestFolder folder;
  std::string deep = "<COLLADA version=\"1.4.1\"><library_visual_scenes><visual_scene id=\"s\">";
  for (int i = 0; i < 300000; ++i) deep += "<node>";
  for (int i = 0; i < 300000; ++i) deep += "</node>";
  deep += "</visual_scene></library_visual_scenes></COLLADA>";
  std::filesystem::path path = folder.write("deep.dae", deep);
  EXPECT_TRUE(assimp_error(path).starts_with(path.string() + ": Assimp crashed")) << assimp_error(path);
}

TEST(ReadAssimp, TextUnderAnyNameIsAnErrorOrEmpty) {
  TestFolder folder;
  for (const char* extension : {"fbx", "dae", "3ds", "off", "x", "blend", "lwo", "ms3d", "3mf", "ac"}) {
    std::filesystem::path path =
        folder.write(std::string("text.") + extension, "this is a text, not a mesh\n");
    try {
      EXPECT_TRUE(read_assimp(path).triangles.empty()) << extension;
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(path.string() + ": ")) << error.what();
    }
  }
}

TEST(ReadAssimp, GltfIsLeftToItsOwnReader) {
  TestFolder folder;
  GltfBuilder gltf;
  gltf.add_square("{}");
  for (const char* name : {"a.glb", "b.gltf"}) {
    std::filesystem::path path = folder.write(name, gltf.glb());
    EXPECT_FALSE(assimp_error(path).empty()) << name;
  }
}

}  // namespace
}  // namespace vox
