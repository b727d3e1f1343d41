#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

#include "formats/mesh.h"
#include "libvox/base/error.h"
#include "tests/common/quiet_log.h"
#include "tests/formats/scene_checks.h"

namespace vox {
namespace {

std::string message_of(const std::filesystem::path& path) {
  try {
    read_assimp(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ReadAssimp, InstancesAppearOncePerNodeWhereTheNodesPutThem) {
  GltfBuilder gltf;
  gltf.add("meshes", R"({"primitives":[)" + gltf.square() + "]}");
  gltf.add("nodes", R"({"mesh":0,"translation":[10,0,0],"children":[1,2]})");
  gltf.add("nodes", R"({"mesh":0,"scale":[2,2,2]})");
  gltf.add("nodes", R"({"mesh":0,"translation":[0,5,0],"scale":[-1,1,1]})");  // mirrored
  TestFolder folder;
  Scene scene = read_gltf(folder, gltf);
  expect_sound(scene);
  ASSERT_EQ(scene.triangles.size(), 6u);
  ASSERT_EQ(scene.materials.size(), 1u);
  expect_near(corners(scene, 0)[1], {11, 0, 0});
  expect_near(corners(scene, 2)[2], {12, 2, 0});
  expect_near(corners(scene, 4)[1], {9, 5, 0});
  expect_near(corners(scene, 5)[2], {10, 6, 0});
  EXPECT_EQ(texcoords(scene, 4), texcoords(scene, 0));
}

TEST(ReadAssimp, TextureCoordinatesPointDownFromTheTopRow) {
  GltfBuilder gltf;
  gltf.add_square("{}");
  TestFolder folder;
  Scene scene = read_gltf(folder, gltf);
  EXPECT_EQ(texcoords(scene, 0), (std::array<Vec2f, 3>{{{0, 1}, {1, 1}, {1, 0}}}));
  EXPECT_EQ(texcoords(scene, 1), (std::array<Vec2f, 3>{{{0, 1}, {1, 0}, {0, 0}}}));
}

TEST(ReadAssimp, BuffersAreFoundAsPeopleNameThem) {
  TestFolder folder;
  GltfBuilder gltf;
  gltf.add_square("{}");
  folder.write("My Buffer.bin", gltf.bin());
  EXPECT_EQ(read_assimp(folder.write("a.gltf", gltf.json("My%20Buffer.bin"))).triangles.size(), 2u);
  EXPECT_EQ(read_assimp(folder.write("b.gltf", gltf.json("my buffer.BIN"))).triangles.size(), 2u);
}

TEST(ReadAssimp, PointsAndLinesAreDropped) {
  GltfBuilder gltf;
  uint32_t position = gltf.floats("VEC3", {0, 0, 0, 1, 0, 0, 1, 1, 0});
  gltf.add(
      "meshes",
      fmt::format(
          R"({{"primitives":[{},{{"attributes":{{"POSITION":{}}},"mode":0}},{{"attributes":{{"POSITION":{}}},"mode":3}}]}})",
          gltf.square(), position, position));
  gltf.add("nodes", R"({"mesh":0})");
  TestFolder folder;
  EXPECT_EQ(read_gltf(folder, gltf).triangles.size(), 2u);
}

TEST(ReadAssimp, OffPolygonsAreTriangulated) {
  TestFolder folder;
  Scene scene = read_assimp(
      folder.write("a.off", "OFF\n5 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0.5 0.5 1\n4 0 1 2 3\n3 0 1 4\n"));
  EXPECT_EQ(scene.triangles.size(), 3u);
  expect_sound(scene);
}

TEST(ReadAssimp, TruncatedGlbIsAnErrorWhereverItEnds) {
  TestFolder folder;
  GltfBuilder gltf;
  gltf.add_square("{}");
  std::string good = gltf.glb();
  for (size_t size = 0; size < good.size(); size += 23) {
    std::filesystem::path path = folder.write("cut.glb", good.substr(0, size));
    EXPECT_TRUE(message_of(path).starts_with(path.string() + ": ")) << size << " of " << good.size();
  }
}

TEST(ReadAssimp, IndicesOutOfRangeAreDroppedOrAnError) {
  TestFolder folder;
  GltfBuilder gltf;
  uint32_t position = gltf.floats("VEC3", {0, 0, 0, 1, 0, 0, 1, 1, 0});
  gltf.add("meshes", fmt::format(R"({{"primitives":[{{"attributes":{{"POSITION":{}}},"indices":{}}}]}})",
                                 position, gltf.indices({0, 1, 2, 0, 1, 3, 65535, 1, 2})));
  gltf.add("nodes", R"({"mesh":0})");
  folder.write("buffer.bin", gltf.bin());
  std::filesystem::path path = folder.write("scene.gltf", gltf.json("buffer.bin"));
  try {
    Scene scene = read_assimp(path);
    expect_sound(scene);
    EXPECT_LE(scene.triangles.size(), 1u);
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with(path.string()));
  }
}

TEST(ReadAssimp, AFewBytesCannotAskForMoreTrianglesThanThereIsMemory) {
  GltfBuilder gltf;
  std::vector<uint16_t> indices(600000);
  gltf.add("meshes", fmt::format(R"({{"primitives":[{{"attributes":{{"POSITION":{}}},"indices":{}}}]}})",
                                 gltf.floats("VEC3", {0, 0, 0, 1, 0, 0, 1, 1, 0}), gltf.indices(indices)));
  std::string all;
  for (int i = 0; i < 12000; ++i) {
    gltf.add("nodes", R"({"mesh":0})");
    all += (i ? "," : "") + std::to_string(i);
  }
  TestFolder folder;
  std::string message = message_of(folder.write("scene.glb", gltf.glb(all)));
  EXPECT_NE(message.find("2,400,000,000 triangles"), std::string::npos) << message;
}

TEST(ReadAssimp, FlippedBytesGiveAnErrorOrASoundScene) {
  TestFolder folder;
  GltfBuilder gltf;
  std::string image = png(2, 1, {{255, 0, 0, 255}, {0, 255, 0, 255}});
  uint32_t view = gltf.view(image.data(), image.size());
  gltf.add("images", fmt::format(R"({{"bufferView":{},"mimeType":"image/png"}})", view));
  gltf.add("textures", R"({"source":0,"sampler":0})");
  gltf.add("samplers", R"({"wrapS":33071,"wrapT":33648})");
  gltf.add_square(R"({"alphaMode":"MASK","pbrMetallicRoughness":{"baseColorTexture":{"index":0}}})");
  const std::string good = gltf.glb();
  std::mt19937 random(1);
  const QuietLog quiet;
  for (int round = 0; round < 300; ++round) {
    std::string bad = good;
    bad[random() % bad.size()] ^= static_cast<char>(1 + random() % 255);
    try {
      expect_sound(read_assimp(folder.write("bad.glb", bad)));
    } catch (const Error&) {
    }
  }
}

TEST(ReadAssimp, WhatMakesAssimpCrashIsAnError) {
  TestFolder folder;
  std::string deep = R"({"asset":{"version":"2.0"},"extras":)" + std::string(2000000, '[');
  std::filesystem::path path = folder.write("deep.gltf", deep);
  EXPECT_TRUE(message_of(path).starts_with(path.string() + ": Assimp crashed")) << message_of(path);
}

TEST(ReadAssimp, TextUnderAnyNameIsAnErrorOrEmpty) {
  TestFolder folder;
  for (const char* extension :
       {"gltf", "glb", "fbx", "dae", "3ds", "off", "x", "blend", "lwo", "ms3d", "3mf", "ac"}) {
    std::filesystem::path path =
        folder.write(std::string("text.") + extension, "this is a text, not a mesh\n");
    try {
      EXPECT_TRUE(read_assimp(path).triangles.empty()) << extension;
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(path.string() + ": ")) << error.what();
    }
  }
}

// Models of the shared folder, where it is there.
TEST(ReadAssimp, KnownModelsHaveTheirTrianglesAndImages) {
  const char* shared = std::getenv("VOX_SHARED");
  std::filesystem::path models = std::filesystem::path(shared ? shared : "") / "data/small";
  if (!std::filesystem::exists(models)) GTEST_SKIP() << "no models in " << models;
  struct Model {
    const char* file;
    size_t triangles, images;
  };
  for (Model model :
       {Model{"balloon/scene.gltf", 35698, 17}, Model{"cube-room/cube-room.gltf", 5364, 1},
        Model{"gltf-misc/CesiumMilkTruck.glb", 3624, 1}, Model{"gltf-misc/AlphaBlendModeTest.glb", 61, 6}}) {
    SCOPED_TRACE(model.file);
    Scene scene = read_assimp(models / model.file);
    expect_sound(scene);
    EXPECT_EQ(scene.triangles.size(), model.triangles);
    EXPECT_EQ(scene.images.size(), model.images);
  }
}

}  // namespace
}  // namespace vox
