#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "formats/images/image.h"
#include "formats/mesh/mesh.h"
#include "libvox/base/error.h"
#include "tests/common/random.h"
#include "tests/common/test_process.h"
#include "tests/formats/mesh/gltf_builder.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

TEST(GltfExtensions, QuantizedPositionsAreScaledByTheirNode) {
  GltfBuilder gltf;
  const std::array<int16_t, 12> corners_of = {-32767, 0, 32767, 0, 0, 0, 0, 16384, 0, 0, 0, 0};
  size_t at = gltf.append(corners_of.data(), sizeof(corners_of));
  uint32_t view =
      gltf.add_view(fmt::format(R"({{"buffer":0,"byteOffset":{},"byteLength":24,"byteStride":8}})", at));
  uint32_t position = gltf.add_accessor(fmt::format(
      R"({{"bufferView":{},"componentType":5122,"normalized":true,"type":"VEC3","count":3}})", view));
  gltf.add("meshes", fmt::format(R"({{"primitives":[{{"attributes":{{"POSITION":{}}}}}]}})", position));
  gltf.add("nodes", R"({"mesh":0,"scale":[2,2,2],"translation":[1,1,1]})");
  gltf.add("extensionsRequired", R"("KHR_mesh_quantization")");
  TestFolder folder;
  scene::Scene scene = read_built(folder, gltf);
  expect_near(corners(scene, 0)[0], {-1, 1, 3});
  expect_near(corners(scene, 0)[1], {1, 1, 1});
  // 16384 / 32767 is not a half.
  EXPECT_NEAR(corners(scene, 0)[1].x, 1, 1e-12);
}

TEST(GltfExtensions, EveryInstanceOfANodeIsShown) {
  GltfBuilder gltf;
  gltf.add("meshes", R"({"primitives":[)" + gltf.square() + "]}");
  uint32_t translation = gltf.floats("VEC3", {0, 0, 0, 10, 0, 0, 0, 10, 0, 0, 0, 10});
  uint32_t scale = gltf.floats("VEC3", {1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1});
  // Quarter turns about z as normalized bytes: 90 stands for 127 sin 45°, and rounding makes it slightly
  // longer than 1.
  const std::array<int8_t, 16> turns = {0, 0, 0, 127, 0, 0, 0, 127, 0, 0, 90, 90, 0, 0, 0, 127};
  uint32_t rotation = gltf.add_accessor(
      fmt::format(R"({{"bufferView":{},"componentType":5120,"normalized":true,"type":"VEC4","count":4}})",
                  gltf.view(turns.data(), sizeof(turns))));
  gltf.add("nodes", fmt::format(R"({{"mesh":0,"translation":[0,0,1],"extensions":{{"EXT_mesh_gpu_instancing":
      {{"attributes":{{"TRANSLATION":{},"ROTATION":{},"SCALE":{},"_ID":99}}}}}}}})",
                                translation, rotation, scale));
  gltf.add("extensionsRequired", R"("EXT_mesh_gpu_instancing")");
  TestFolder folder;
  scene::Scene scene = read_built(folder, gltf);
  ASSERT_EQ(scene.triangles.size(), 8u);
  expect_near(corners(scene, 0)[2], {1, 1, 1});
  expect_near(corners(scene, 2)[2], {12, 2, 1});
  expect_near(corners(scene, 4)[2], {-1, 11, 1});
  expect_near(corners(scene, 6)[2], {1, 1, 11});
}

TEST(GltfExtensions, MorphTargetsHaveTheWeightsOfTheFile) {
  GltfBuilder gltf;
  uint32_t position = gltf.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0});
  uint32_t up = gltf.floats("VEC3", {0, 0, 4, 0, 0, 0, 0, 0, 8}),
           aside = gltf.floats("VEC3", {1, 0, 0, 1, 0, 0, 1, 0, 0});
  gltf.add("meshes", fmt::format(R"({{"weights":[0.5,0],"primitives":[{{"attributes":{{"POSITION":{}}},
      "targets":[{{"POSITION":{}}},{{"POSITION":{}}}]}}]}})",
                                 position, up, aside));
  gltf.add("nodes", R"({"mesh":0})");
  gltf.add("nodes", R"({"mesh":0,"weights":[0,3]})");
  TestFolder folder;
  const KeptLog log;
  scene::Scene scene = read_built(folder, gltf, "0,1");
  EXPECT_NE(log.text().find("morph targets"), std::string::npos);
  ASSERT_EQ(scene.triangles.size(), 2u);
  expect_near(corners(scene, 0)[0], {0, 0, 2});
  expect_near(corners(scene, 0)[2], {0, 1, 4});
  expect_near(corners(scene, 1)[0], {3, 0, 0});
}

// There are two joints. Vertex 0 follows the first, vertex 1 the second, and vertex 2 both by halves. The
// mesh's own node must have no effect.
TEST(GltfExtensions, SkinsBendTheMeshIntoItsRestPose) {
  GltfBuilder gltf;
  uint32_t position = gltf.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0});
  const std::array<uint8_t, 12> joints = {0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 99, 99};
  const std::array<uint8_t, 12> weights = {255, 0, 0, 0, 255, 0, 0, 0, 100, 100, 0, 0};
  auto bytes = [&](const auto& values, const char* more) {
    return gltf.add_accessor(
        fmt::format(R"({{"bufferView":{},"componentType":5121,"type":"VEC4","count":3{}}})",
                    gltf.view(values.data(), sizeof(values)), more));
  };
  std::vector<float> inverse = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0,  0, 0, 1,   // the first joint
                                1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1, 0, 0, 1};  // the second, from x = 1
  uint32_t matrices =
      gltf.add_accessor(fmt::format(R"({{"bufferView":{},"componentType":5126,"type":"MAT4","count":2}})",
                                    gltf.view(inverse.data(), inverse.size() * sizeof(float))));
  uint32_t joint = bytes(joints, ""), weight = bytes(weights, R"(,"normalized":true)");
  gltf.add(
      "meshes",
      fmt::format(R"({{"primitives":[{{"attributes":{{"POSITION":{},"JOINTS_0":{},"WEIGHTS_0":{}}}}}]}})",
                  position, joint, weight));
  gltf.add("nodes", R"({"mesh":0,"skin":0,"translation":[100,100,100]})");
  gltf.add("nodes", R"({"translation":[0,0,10],"children":[2]})");
  gltf.add("nodes", R"({"translation":[5,0,0]})");
  gltf.add("skins", fmt::format(R"({{"joints":[1,2],"inverseBindMatrices":{}}})", matrices));
  TestFolder folder;
  const KeptLog log;
  scene::Scene scene = read_built(folder, gltf, "0,1");
  EXPECT_NE(log.text().find("rest pose"), std::string::npos);
  expect_near(corners(scene, 0)[0], {0, 0, 10});
  expect_near(corners(scene, 0)[1], {5, 0, 10});  // 1 - 1 + 5
  expect_near(corners(scene, 0)[2], {2, 1, 10});  // halfway between (0, 1, 10) and (4, 1, 10)
}

TEST(GltfExtensions, AJointThatTheSkinDoesNotHaveIsAnError) {
  GltfBuilder gltf;
  uint32_t position = gltf.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0});
  const std::array<uint8_t, 12> joints = {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
  uint32_t joint =
      gltf.add_accessor(fmt::format(R"({{"bufferView":{},"componentType":5121,"type":"VEC4","count":3}})",
                                    gltf.view(joints.data(), sizeof(joints))));
  uint32_t weight = gltf.floats("VEC4", {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  gltf.add(
      "meshes",
      fmt::format(R"({{"primitives":[{{"attributes":{{"POSITION":{},"JOINTS_0":{},"WEIGHTS_0":{}}}}}]}})",
                  position, joint, weight));
  gltf.add("nodes", R"({"mesh":0,"skin":0})");
  gltf.add("skins", R"({"joints":[0]})");
  TestFolder folder;
  EXPECT_THROW(read_built(folder, gltf), Error);
}

TEST(GltfExtensions, WebpTexturesAreRead) {
  if (!can_read_webp()) GTEST_SKIP() << "built without libwebp";
  const std::vector<scene::Rgba8> pixels = {
      {255, 0, 0, 255}, {0, 255, 0, 128}, {0, 0, 255, 255}, {9, 8, 7, 255}};
  GltfBuilder gltf;
  gltf.add_square(R"({"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}})");
  std::string file = webp(2, 2, pixels);
  gltf.add("images", fmt::format(R"({{"bufferView":{},"mimeType":"image/webp"}})",
                                 gltf.view(file.data(), file.size())));
  gltf.add("textures", R"({"extensions":{"EXT_texture_webp":{"source":0}}})");
  gltf.add("extensionsRequired", R"("EXT_texture_webp")");
  TestFolder folder;
  EXPECT_EQ(read_gltf(folder.write("a.glb", gltf.glb())).images.at(0).pixels, pixels);
}

TEST(GltfExtensions, WhatABuildCannotDecodeIsNamed) {
  struct Needs {
    const char* extension;
    bool there;
  };
  for (Needs needs :
       {Needs{"EXT_meshopt_compression", can_read_meshopt()},
        Needs{"KHR_draco_mesh_compression", can_read_draco()}, Needs{"EXT_texture_webp", can_read_webp()}}) {
    if (needs.there) {
      EXPECT_NO_THROW(check_gltf_extensions({needs.extension}));
    } else {
      EXPECT_THROW(check_gltf_extensions({needs.extension}), Error) << needs.extension;
    }
  }
}

// The fixture has a grid of 40 × 40 squares, compressed and uncompressed.
class Compressed : public testing::Test {
 protected:
  void expect_same(const scene::Scene& scene, double tolerance) const {
    ASSERT_EQ(scene.triangles.size(), grid_.indices.size() / 3);
    double area = 0;
    for (size_t t = 0; t < scene.triangles.size(); ++t) {
      auto [a, b, c] = corners(scene, t);
      Vec3d normal = cross(b - a, c - a);
      area += std::sqrt(dot(normal, normal)) / 2;
      for (Vec3d p : {a, b, c}) {
        EXPECT_NEAR(p.z, grid_height(p.x, p.y), tolerance);
        EXPECT_GE(std::min(p.x, p.y), -tolerance);
        EXPECT_LE(std::max(p.x, p.y), 1 + tolerance);
      }
    }
    EXPECT_NEAR(area, grid_.area(), tolerance);
  }

  TestFolder folder_;
  TestGrid grid_ = make_grid(40);
};

TEST_F(Compressed, MeshoptAttributesAndTrianglesAreTheSameBitForBit) {
  if (!can_read_meshopt()) GTEST_SKIP() << "built without meshoptimizer";
  for (const char* mode : {"TRIANGLES", "INDICES"})
    for (int index_size : {2, 4}) {
      SCOPED_TRACE(fmt::format("{} of {} bytes", mode, index_size));
      scene::Scene scene = read_gltf(folder_.write("a.glb", meshopt_glb(grid_, mode, index_size)));
      expect_sound(scene);
      expect_same(scene, 1e-6);
    }
}

TEST_F(Compressed, MeshoptFiltersGiveWhatTheyWereMadeOf) {
  if (!can_read_meshopt()) GTEST_SKIP() << "built without meshoptimizer";
  expect_same(read_gltf(folder_.write("a.glb", meshopt_exponential_glb(grid_))), 1e-3);
  // The rotations of the instances are a quarter turn about each axis, and none.
  const double half = std::sqrt(0.5);
  std::vector<std::array<float, 4>> turns;
  for (auto [x, y, z] : {std::array{half, 0.0, 0.0}, {0.0, half, 0.0}, {0.0, 0.0, half}})
    turns.push_back(
        {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z), static_cast<float>(half)});
  turns.push_back({0, 0, 0, 1});
  scene::Scene scene = read_gltf(folder_.write("b.glb", meshopt_quaternion_glb(turns)));
  ASSERT_EQ(scene.triangles.size(), 4u);
  // The corner (1, 2, 0) is rotated.
  const std::array<Vec3d, 4> expected = {{{1, 0, 2}, {0, 2, -1}, {-2, 1, 0}, {1, 2, 0}}};
  for (size_t i = 0; i < 4; ++i) {
    Vec3d p = corners(scene, i)[2];
    EXPECT_NEAR(p.x, expected[i].x, 1e-3);
    EXPECT_NEAR(p.y, expected[i].y, 1e-3);
    EXPECT_NEAR(p.z, expected[i].z, 1e-3);
  }
}

TEST_F(Compressed, MeshoptCountsThatTheirBytesCannotHoldAreRefused) {
  if (!can_read_meshopt()) GTEST_SKIP() << "built without meshoptimizer";
  std::string glb = meshopt_glb(grid_, "TRIANGLES", 4);
  size_t at = glb.find("\"count\":1681,\"mode\"");
  ASSERT_NE(at, std::string::npos);
  glb.replace(at, 12, "\"count\":9e15");
  try {
    read_gltf(folder_.write("a.glb", glb));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("bytes cannot hold 9000000000000000 elements"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(Compressed, DracoMeshesAreThoseThatWereEncoded) {
  if (!can_read_draco()) GTEST_SKIP() << "built without Draco";
  for (const char* mode : {"", R"("mode":5,)"}) {
    scene::Scene scene = read_gltf(folder_.write("a.glb", draco_glb(grid_, mode)));
    expect_sound(scene);
    expect_same(scene, 1e-3);
    ASSERT_EQ(scene.colors.size(), scene.positions.size());
    for (size_t i = 0; i < scene.colors.size(); ++i)
      EXPECT_EQ(scene.colors[i].r, scene.positions[i].x > 0.51 ? 255 : 0);
  }
}

TEST_F(Compressed, DamagedDracoDataAreAnError) {
  if (!can_read_draco()) GTEST_SKIP() << "built without Draco";
  std::string glb = draco_glb(grid_, "");
  size_t at = glb.find("DRACO");
  ASSERT_NE(at, std::string::npos);
  glb.replace(at + 11, 20, std::string(20, '\xff'));
  try {
    read_gltf(folder_.write("a.glb", glb));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("Draco"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace vox
