#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "formats/mesh/mesh.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

const char* const kTextured = R"({"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}})";

std::string gltf_error(const std::filesystem::path& path) {
  return error_of([&] { read_gltf(path); });
}

TEST(ReadGltf, InstancesAppearOncePerNodeWhereTheNodesPutThem) {
  GltfBuilder gltf;
  gltf.add("meshes", R"({"primitives":[)" + gltf.square("0") + "]}");
  gltf.add_texture(png(1, 1, {{255, 0, 0, 255}}));
  gltf.add("materials", kTextured);
  gltf.add("nodes", R"({"mesh":0,"translation":[10,0,0],"children":[1,2]})");
  gltf.add("nodes", R"({"mesh":0,"scale":[2,2,2]})");
  gltf.add("nodes", R"({"mesh":0,"translation":[0,5,0],"scale":[-1,1,1]})");  // mirrored
  TestFolder folder;
  scene::Scene scene = read_built(folder, gltf);
  expect_sound(scene);
  ASSERT_EQ(scene.triangles.size(), 6u);
  ASSERT_EQ(scene.materials.size(), 1u);
  expect_near(corners(scene, 0)[1], {11, 0, 0});
  expect_near(corners(scene, 2)[2], {12, 2, 0});
  expect_near(corners(scene, 4)[1], {9, 5, 0});
  expect_near(corners(scene, 5)[2], {10, 6, 0});
  EXPECT_EQ(texcoords(scene, 4), texcoords(scene, 0));
}

TEST(ReadGltf, TextureCoordinatesPointDownFromTheTopRow) {
  GltfBuilder gltf;
  gltf.add_square(kTextured);
  gltf.add_texture(png(1, 1, {{255, 0, 0, 255}}));
  TestFolder folder;
  scene::Scene scene = read_built(folder, gltf);
  EXPECT_EQ(texcoords(scene, 0), (std::array<Vec2f, 3>{{{0, 1}, {1, 1}, {1, 0}}}));
  EXPECT_EQ(texcoords(scene, 1), (std::array<Vec2f, 3>{{{0, 1}, {1, 0}, {0, 0}}}));
}

TEST(ReadGltf, BuffersAreFoundAsPeopleNameThem) {
  TestFolder folder;
  GltfBuilder gltf;
  gltf.add_square("{}");
  folder.write("My Buffer.bin", gltf.bin());
  EXPECT_EQ(read_gltf(folder.write("a.gltf", gltf.json("My%20Buffer.bin"))).triangles.size(), 2u);
  EXPECT_EQ(read_gltf(folder.write("b.gltf", gltf.json("my buffer.BIN"))).triangles.size(), 2u);
}

TEST(ReadGltf, PointsAndLinesAreDropped) {
  GltfBuilder gltf;
  uint32_t position = gltf.floats("VEC3", {0, 0, 0, 1, 0, 0, 1, 1, 0});
  gltf.add(
      "meshes",
      fmt::format(
          R"({{"primitives":[{},{{"attributes":{{"POSITION":{}}},"mode":0}},{{"attributes":{{"POSITION":{}}},"mode":3}}]}})",
          gltf.square(), position, position));
  gltf.add("nodes", R"({"mesh":0})");
  TestFolder folder;
  EXPECT_EQ(read_built(folder, gltf).triangles.size(), 2u);
}

TEST(ReadGltf, AFewBytesCannotAskForMoreTrianglesThanThereIsMemory) {
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
  std::string message = gltf_error(folder.write("scene.glb", gltf.glb(all)));
  EXPECT_NE(message.find("2,400,000,000 triangles"), std::string::npos) << message;
}

TEST(ReadGltf, AllChildrenFollowTheirParentsHoweverTheirPlaceIsSaid) {
  GltfBuilder gltf;
  gltf.add("meshes", R"({"primitives":[)" + gltf.square() + "]}");
  // A quarter turn about z followed by 3 along x, as a matrix and as separate parts; the child is at 1 along
  // its own y.
  gltf.add("nodes", R"({"matrix":[0,1,0,0,-1,0,0,0,0,0,1,0,3,0,0,1],"children":[1]})");
  gltf.add("nodes", R"({"mesh":0,"translation":[0,1,0]})");
  gltf.add("nodes", R"({"translation":[3,0,0],"rotation":[0,0,0.70710678,0.70710678],"children":[3]})");
  gltf.add("nodes", R"({"mesh":0,"translation":[0,1,0]})");
  TestFolder folder;
  scene::Scene scene = read_built(folder, gltf, "0,2");
  ASSERT_EQ(scene.triangles.size(), 4u);
  for (size_t triangle : {0, 2}) {
    expect_near(corners(scene, triangle)[0], {2, 0, 0});
    expect_near(corners(scene, triangle)[1], {2, 1, 0});
    expect_near(corners(scene, triangle)[2], {1, 1, 0});
  }
}

TEST(ReadGltf, TheSceneThatTheFileNamesIsShown) {
  const std::string one = R"({"asset":{"version":"2.0"},"nodes":[{"mesh":0},{"mesh":0,"translation":[5,0,0]}],
    "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
    "accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":3}],
    "bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"byteLength":36,"uri":"a.bin"}])";
  const std::array<float, 9> corner = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  TestFolder folder;
  folder.write("a.bin", std::string(reinterpret_cast<const char*>(corner.data()), sizeof(corner)));
  auto first_of = [&](const std::string& rest) {
    scene::Scene scene = read_gltf(folder.write("a.gltf", one + rest + "}"));
    return std::pair(scene.triangles.size(), corners(scene, 0)[0].x);
  };
  EXPECT_EQ(first_of(R"(,"scenes":[{"nodes":[0]},{"nodes":[1]}],"scene":1)"), std::pair(size_t{1}, 5.0));
  EXPECT_EQ(first_of(R"(,"scenes":[{"nodes":[1]},{"nodes":[0]}])"), std::pair(size_t{1}, 5.0));
  EXPECT_EQ(first_of(""), std::pair(size_t{2}, 0.0));
}

TEST(ReadGltf, StripsAndFansAreTheTrianglesOfTheSpecification) {
  GltfBuilder gltf;
  uint32_t position = gltf.floats("VEC3", {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0});
  uint32_t indices = gltf.indices({4, 3, 2, 1});
  gltf.add("meshes", fmt::format(R"({{"primitives":[{{"attributes":{{"POSITION":{0}}},"mode":5}},
      {{"attributes":{{"POSITION":{0}}},"mode":6,"indices":{1}}}]}})",
                                 position, indices));
  gltf.add("nodes", R"({"mesh":0})");
  TestFolder folder;
  scene::Scene scene = read_built(folder, gltf);
  std::vector<std::array<double, 3>> found;
  for (size_t t = 0; t < scene.triangles.size(); ++t) {
    auto [a, b, c] = corners(scene, t);
    found.push_back({a.x, b.x, c.x});
  }
  EXPECT_EQ(found,
            (std::vector<std::array<double, 3>>{{0, 1, 2}, {1, 3, 2}, {2, 3, 4}, {3, 2, 4}, {2, 1, 4}}));
}

TEST(ReadGltf, BytesInsideTheJsonAndNamesWithEscapesAreRead) {
  GltfBuilder gltf;
  gltf.add_square("{}");
  TestFolder folder;
  EXPECT_EQ(read_gltf(folder.write("a.gltf",
                                   gltf.json("data:application/octet-stream;base64," + base64(gltf.bin()))))
                .triangles.size(),
            2u);
  folder.write("bins/größe 1%.bin", gltf.bin());
  EXPECT_EQ(read_gltf(folder.write("b.gltf", gltf.json("bins/gr%C3%B6%C3%9Fe%201%25.bin"))).triangles.size(),
            2u);
}

TEST(ReadGltf, VerticesThatSeveralPrimitivesShareAreReadOnce) {
  GltfBuilder gltf;
  uint32_t position = gltf.floats("VEC3", {9, 9, 9, 0, 0, 0, 1, 0, 0, 1, 1, 0, 9, 9, 9});
  gltf.add("meshes", fmt::format(R"({{"primitives":[{{"attributes":{{"POSITION":{0}}},"indices":{1}}},
      {{"attributes":{{"POSITION":{0}}},"indices":{2}}}]}})",
                                 position, gltf.indices({1, 2, 3}), gltf.indices({3, 2, 1})));
  gltf.add("nodes", R"({"mesh":0})");
  TestFolder folder;
  scene::Scene scene = read_built(folder, gltf);
  EXPECT_EQ(scene.triangles.size(), 2u);
  EXPECT_EQ(scene.positions.size(), 3u);  // positions that no triangle uses are left out
  expect_near(corners(scene, 1)[0], {1, 1, 0});
}

TEST(ReadGltf, AFileOfVersion1IsReadAsWell) {
  TestFolder folder;
  const scene::Scene scene = read_gltf(folder.write(
      "old.gltf",
      R"({"asset":{"version":"1.0"},"scene":"s","scenes":{"s":{"nodes":["n"]}},"nodes":{"n":{"meshes":["m"]}},
"meshes":{"m":{"primitives":[{"attributes":{"POSITION":"a"},"indices":"i","mode":4}]}},
"accessors":{"a":{"bufferView":"v","byteOffset":0,"byteStride":12,"componentType":5126,"count":3,"type":"VEC3"},
"i":{"bufferView":"w","byteOffset":0,"componentType":5123,"count":3,"type":"SCALAR"}},
"bufferViews":{"v":{"buffer":"b","byteOffset":0,"byteLength":36},"w":{"buffer":"b","byteOffset":36,"byteLength":6}},
"buffers":{"b":{"byteLength":42,"type":"arraybuffer","uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIA"}}})"));
  expect_sound(scene);
  ASSERT_EQ(scene.triangles.size(), 1u);
  expect_near(corners(scene, 0)[1], {1, 0, 0});
}

TEST(ReadGltf, AFileOfAnUnknownVersionIsRefused) {
  TestFolder folder;
  const std::filesystem::path path = folder.write("new.gltf", R"({"asset":{"version":"3.0"},"meshes":[]})");
  EXPECT_EQ(gltf_error(path),
            path.string() + ": glTF version '3.0' is not supported, only 2.0 (export it as glTF 2.0)");
}

// Reads models of the shared folder if it exists. Five images of the AlphaBlendModeTest have the same bytes.
TEST(ReadGltf, KnownModelsHaveTheirTrianglesAndImages) {
  const char* shared = std::getenv("VOX_SHARED");
  std::filesystem::path models = std::filesystem::path(shared ? shared : "") / "data/small";
  if (!std::filesystem::exists(models)) GTEST_SKIP() << "no models in " << models;
  struct Model {
    const char* file;
    size_t triangles, images;
  };
  for (Model model :
       {Model{"balloon/scene.gltf", 35698, 17}, Model{"cube-room/cube-room.gltf", 5364, 1},
        Model{"gltf-misc/CesiumMilkTruck.glb", 3624, 1}, Model{"gltf-misc/AlphaBlendModeTest.glb", 61, 2}}) {
    SCOPED_TRACE(model.file);
    scene::Scene scene = read_gltf(models / model.file);
    expect_sound(scene);
    EXPECT_EQ(scene.triangles.size(), model.triangles);
    EXPECT_EQ(scene.images.size(), model.images);
  }
}

}  // namespace
}  // namespace vox
