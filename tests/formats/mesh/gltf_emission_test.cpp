#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "formats/mesh/mesh.h"
#include "tests/formats/scene/scene_checks.h"

namespace vox {
namespace {

double to_linear(double code) {
  double s = code / 255;
  return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
}

double to_code(double linear) {
  linear = std::min(linear, 1.0);
  return 255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055);
}

scene::Scene scene_with(const std::string& material, const std::vector<std::string>& images = {}) {
  GltfBuilder gltf;
  gltf.add_square(material);
  for (const std::string& image : images) gltf.add_texture(image);
  TestFolder folder;
  scene::Scene scene = read_gltf(folder.write("a.glb", gltf.glb()));
  expect_sound(scene);
  return scene;
}

TEST(GltfEmission, ABlackLabelShowsWhatIsWrittenOnIt) {
  scene::Scene scene = scene_with(
      R"({"pbrMetallicRoughness":{"baseColorFactor":[0,0,0,1]},"emissiveFactor":[1,1,1],"emissiveTexture":{"index":0}})",
      {png(2, 1, {kRed, {1, 2, 3, 255}})});
  ASSERT_EQ(scene.images.size(), 1u);
  EXPECT_EQ(scene.images[0].pixels, (std::vector<scene::Rgba8>{kRed, {1, 2, 3, 255}}));
  EXPECT_EQ(scene.materials.at(0).image, 0u);
  expect_color(scene.materials[0].base_color, {1, 1, 1, 1});
  EXPECT_EQ(texcoords(scene, 0)[0], (Vec2f{0, 1}));
}

TEST(GltfEmission, ColourAndEmissionAddUpInLinearLight) {
  const scene::Rgba8 base = {200, 100, 50, 77}, light = {30, 60, 255, 255};
  scene::Scene scene = scene_with(
      R"({"alphaMode":"MASK","pbrMetallicRoughness":{"baseColorFactor":[0.5,1,1,1],"baseColorTexture":{"index":0}},
          "emissiveFactor":[1,0.25,0.5],"emissiveTexture":{"index":1},
          "extensions":{"KHR_materials_emissive_strength":{"emissiveStrength":2}}})",
      {png(1, 1, {base}), png(2, 2, {light, kBlack, kBlack, light})});
  ASSERT_EQ(scene.images.size(), 1u);  // the two source images are gone
  const scene::Image& image = scene.images[0];
  ASSERT_EQ(image.width, 2u);
  ASSERT_EQ(image.height, 2u);
  EXPECT_NEAR(image.pixels[0].r, to_code(0.5 * to_linear(200) + 2 * to_linear(30)), 0.51);
  EXPECT_NEAR(image.pixels[0].g, to_code(to_linear(100) + 0.5 * to_linear(60)), 0.51);
  EXPECT_EQ(image.pixels[0].b, 255);
  EXPECT_NEAR(image.pixels[1].r, to_code(0.5 * to_linear(200)), 0.51);
  EXPECT_EQ(image.pixels[1].a, 77);
  expect_color(scene.materials.at(0).base_color, {1, 1, 1, 1});
  EXPECT_FLOAT_EQ(scene.materials[0].alpha_cutoff, 0.5f);
}

TEST(GltfEmission, WithoutTexturesTheFactorsAddUp) {
  scene::Scene scene = scene_with(
      R"({"pbrMetallicRoughness":{"baseColorFactor":[0.25,0.5,0.75,0.5]},"emissiveFactor":[0.25,0,1]})");
  expect_color(scene.materials.at(0).base_color, {0.5, 0.5, 1, 0.5});
}

TEST(GltfEmission, AnUnlitMaterialAndAFactorOfZeroHaveNone) {
  for (
      const char* material :
      {R"({"emissiveFactor":[1,1,1],"emissiveTexture":{"index":0},"pbrMetallicRoughness":{"baseColorFactor":[0,0,1,1]},
            "extensions":{"KHR_materials_unlit":{}}})",
       R"({"emissiveTexture":{"index":0},"pbrMetallicRoughness":{"baseColorFactor":[0,0,1,1]}})"}) {
    scene::Scene scene = scene_with(material, {png(1, 1, {kRed})});
    expect_color(scene.materials.at(0).base_color, {0, 0, 1, 1});
    EXPECT_EQ(scene.materials[0].image, scene::kNone);
  }
}

TEST(GltfEmission, AnEmissiveTextureThatLiesOtherwiseIsLeftOutWithAWarning) {
  std::string rest =
      R"("emissiveFactor":[1,1,1],"emissiveTexture":{"index":1,"extensions":{"KHR_texture_transform":
      {"scale":[2,2]}}}})";
  testing::internal::CaptureStderr();
  scene::Scene scene =
      scene_with(R"({"name":"sign","pbrMetallicRoughness":{"baseColorTexture":{"index":0}},)" + rest,
                 {png(1, 1, {kBlue}), png(1, 1, {kRed})});
  std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("material 'sign': its emissive texture"), std::string::npos) << log;
  EXPECT_EQ(scene.images.at(0).pixels.at(0), kBlue);

  // The base is black and shows nothing, so its texture coordinates do not matter.
  scene = scene_with(
      R"({"pbrMetallicRoughness":{"baseColorFactor":[0,0,0,1],"baseColorTexture":{"index":0}},)" + rest,
      {png(1, 1, {kBlue}), png(1, 1, {kRed})});
  EXPECT_EQ(scene.images.at(0).pixels.at(0), kRed);
  EXPECT_EQ(texcoords(scene, 0)[0], (Vec2f{0, 2}));
}

// Renderers multiply a vertex's colour with the material's.
TEST(GltfEmission, VertexColoursDoNotDimTheEmission) {
  GltfBuilder gltf;
  uint32_t color = gltf.floats("VEC3", {0, 0, 0, 1, 1, 1, 0.5f, 0.5f, 0.5f, 1, 0, 1});
  gltf.add("meshes",
           fmt::format(R"({{"primitives":[{}]}})", gltf.square("0", fmt::format(",\"COLOR_0\":{}", color))));
  gltf.add("nodes", R"({"mesh":0})");
  gltf.add("materials",
           R"({"pbrMetallicRoughness":{"baseColorFactor":[0.4,0.4,0,1]},"emissiveFactor":[0.2,0,0]})");
  TestFolder folder;
  scene::Scene scene = read_gltf(folder.write("a.glb", gltf.glb()));
  scene::bake_base_colors(scene);
  const scene::Triangle& triangle = scene.triangles.at(0);
  for (auto [corner, value] : {std::pair{0, 0.0}, {1, 1.0}, {2, 0.5}}) {
    scene::Rgba8 shown = scene.colors[triangle.position[static_cast<size_t>(corner)]];
    EXPECT_NEAR(shown.r, to_code(0.4 * value + 0.2), 1.5);
    EXPECT_NEAR(shown.g, to_code(0.4 * value), 1.5);
    EXPECT_EQ(shown.b, 0);
  }
}

}  // namespace
}  // namespace vox
