#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "formats/mesh/mesh.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

TEST(GltfMaterials, TextureTransformsFollowTheSpecificationsMatrix) {
  TestFolder folder;
  folder.write("red.png", png(1, 1, {kRed}));
  struct Case {
    double offset_u, offset_v, rotation, scale_u, scale_v;
  };
  for (Case c : {Case{0, 1, std::acos(0.0), 0.5, 0.5}, Case{0.25, 0.5, 0, 1, 1}, Case{0, 0, 0, 3, 0.5},
                 Case{0.1, -0.7, 0.6, 2, 0.25}, Case{0, 0, -2, -1, 1}}) {
    GltfBuilder gltf;
    gltf.add_square(fmt::format(
        R"({{"pbrMetallicRoughness":{{"baseColorTexture":{{"index":0,"extensions":{{"KHR_texture_transform":{{
           "offset":[{},{}],"rotation":{},"scale":[{},{}]}}}}}}}}}})",
        c.offset_u, c.offset_v, c.rotation, c.scale_u, c.scale_v));
    gltf.add("textures", R"({"source":0})");
    gltf.add("images", R"({"uri":"red.png"})");
    gltf.add("extensionsUsed", R"("KHR_texture_transform")");
    scene::Scene scene = read_built(folder, gltf);
    std::array<Vec2f, 3> plain = {{{0, 1}, {1, 1}, {1, 0}}}, found = texcoords(scene, 0);
    for (size_t i = 0; i < 3; ++i) {
      double u = plain[i].x * c.scale_u, v = plain[i].y * c.scale_v;
      double cosine = std::cos(c.rotation), sine = std::sin(c.rotation);
      EXPECT_NEAR(found[i].x, cosine * u + sine * v + c.offset_u, 1e-5);
      EXPECT_NEAR(found[i].y, -sine * u + cosine * v + c.offset_v, 1e-5);
    }
  }
}

// The example is from the text of KHR_texture_transform: offset (0, 1), rotation 90 degrees, scale 1/2
// "utilizes only the lower left quadrant of the source image, rotated clockwise 90 degrees".
TEST(GltfMaterials, TheSpecificationsExampleShowsTheLowerLeftQuadrantTurnedClockwise) {
  TestFolder folder;
  folder.write("red.png", png(1, 1, {kRed}));
  GltfBuilder gltf;
  gltf.add_square(R"({"pbrMetallicRoughness":{"baseColorTexture":{"index":0,"extensions":{
      "KHR_texture_transform":{"offset":[0,1],"rotation":1.57079632679,"scale":[0.5,0.5]}}}}})");
  gltf.add("textures", R"({"source":0})");
  gltf.add("images", R"({"uri":"red.png"})");
  gltf.add("extensionsUsed", R"("KHR_texture_transform")");
  scene::Scene scene = read_built(folder, gltf);
  std::array<Vec2f, 3> uv = texcoords(scene, 0);
  // The square's lower left corner shows the quadrant's lower right one, and so on around the square.
  std::array<Vec2f, 3> expected = {{{0.5f, 1}, {0.5f, 0.5f}, {0, 0.5f}}};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(uv[i].x, expected[i].x, 1e-5);
    EXPECT_NEAR(uv[i].y, expected[i].y, 1e-5);
  }
}

TEST(GltfMaterials, TheSecondTextureCoordinatesAreUsedWhereTheTextureNamesThem) {
  TestFolder folder;
  folder.write("red.png", png(1, 1, {kRed}));
  GltfBuilder gltf;
  uint32_t second = gltf.floats("VEC2", {0.5f, 0.25f, 0, 0, 0, 0, 0, 0});
  gltf.add("meshes", fmt::format(R"({{"primitives":[{}]}})",
                                 gltf.square("0", fmt::format(",\"TEXCOORD_1\":{}", second))));
  gltf.add("nodes", R"({"mesh":0})");
  gltf.add("materials", R"({"pbrMetallicRoughness":{"baseColorTexture":{"index":0,"texCoord":1}}})");
  gltf.add("textures", R"({"source":0})");
  gltf.add("images", R"({"uri":"red.png"})");
  scene::Scene scene = read_built(folder, gltf);
  EXPECT_EQ(texcoords(scene, 0)[0], (Vec2f{0.5f, 0.25f}));
}

TEST(GltfMaterials, WrapModesAreKept) {
  TestFolder folder;
  folder.write("red.png", png(1, 1, {kRed}));
  GltfBuilder gltf;
  gltf.add_square(R"({"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}})");
  gltf.add("textures", R"({"source":0,"sampler":0})");
  gltf.add("images", R"({"uri":"red.png"})");
  gltf.add("samplers", R"({"wrapS":33071,"wrapT":33648})");
  scene::Scene scene = read_built(folder, gltf);
  EXPECT_EQ(scene.materials.at(0).wrap_u, scene::Wrap::Clamp);
  EXPECT_EQ(scene.materials.at(0).wrap_v, scene::Wrap::Mirror);
}

TEST(GltfMaterials, AlphaModesBecomeCutoffs) {
  GltfBuilder gltf;
  for (int i = 0; i < 4; ++i) {
    gltf.add("meshes", fmt::format(R"({{"primitives":[{}]}})", gltf.square(std::to_string(i))));
    gltf.add("nodes", fmt::format(R"({{"mesh":{}}})", i));
  }
  gltf.add("materials", R"({"name":"opaque","pbrMetallicRoughness":{"baseColorFactor":[1,1,1,0.25]}})");
  gltf.add("materials", R"({"name":"mask","alphaMode":"MASK","alphaCutoff":0.3})");
  gltf.add("materials", R"({"name":"usual mask","alphaMode":"MASK"})");
  gltf.add("materials", R"({"name":"blend","alphaMode":"BLEND"})");
  TestFolder folder;
  scene::Scene scene = read_built(folder, gltf, "0,1,2,3");
  ASSERT_EQ(scene.materials.size(), 4u);
  EXPECT_EQ(scene.materials[0].alpha_cutoff, 0);
  EXPECT_FLOAT_EQ(scene.materials[0].base_color[3], 0.25f);
  EXPECT_FLOAT_EQ(scene.materials[1].alpha_cutoff, 0.3f);
  EXPECT_FLOAT_EQ(scene.materials[2].alpha_cutoff, 0.5f);
  EXPECT_FLOAT_EQ(scene.materials[3].alpha_cutoff, 0.5f);
  EXPECT_EQ(scene.materials[3].name, "blend");
}

TEST(GltfMaterials, BaseColorFactorsAreLinearAndStayBesideTheTexture) {
  TestFolder folder;
  folder.write("a texture.png", png(1, 1, {kGreen}));
  GltfBuilder gltf;
  gltf.add_square(
      R"({"pbrMetallicRoughness":{"baseColorFactor":[0.5,0.25,1,1],"baseColorTexture":{"index":0}}})");
  gltf.add("textures", R"({"source":0})");
  gltf.add("images", R"({"uri":"A%20Texture.PNG"})");
  scene::Scene scene = read_built(folder, gltf);
  expect_color(scene.materials.at(0).base_color, {0.5, 0.25, 1, 1});
  ASSERT_EQ(scene.images.size(), 1u);
  EXPECT_EQ(scene.materials[0].image, 0u);
  EXPECT_EQ(scene.images[0].pixels.at(0), kGreen);
}

TEST(GltfMaterials, SpecularGlossinessMaterialsShowTheirDiffuseColor) {
  GltfBuilder gltf;
  gltf.add_square(
      R"({"extensions":{"KHR_materials_pbrSpecularGlossiness":{"diffuseFactor":[0.1,0.2,0.3,1]}}})");
  gltf.add("extensionsUsed", R"("KHR_materials_pbrSpecularGlossiness")");
  TestFolder folder;
  expect_color(read_built(folder, gltf).materials.at(0).base_color, {0.1, 0.2, 0.3, 1});
}

TEST(GltfMaterials, VertexColorsOfGltfAreLinear) {
  GltfBuilder gltf;
  uint32_t color = gltf.floats("VEC4", {0, 0.5f, 1, 1, 0.2f, 0.2f, 0.2f, 0.5f, 0, 0, 0, 1, 1, 1, 1, 1});
  gltf.add("meshes", fmt::format(R"({{"primitives":[{},{}]}})", gltf.square(),
                                 gltf.square("", fmt::format(",\"COLOR_0\":{}", color))));
  gltf.add("nodes", R"({"mesh":0})");
  TestFolder folder;
  scene::Scene scene = read_built(folder, gltf);
  expect_sound(scene);
  ASSERT_EQ(scene.colors.size(), 8u);
  EXPECT_EQ(scene.colors[0], (scene::Rgba8{255, 255, 255, 255}));  // the primitive without colors
  EXPECT_EQ(scene.colors[4], (scene::Rgba8{0, 188, 255, 255}));
  EXPECT_EQ(scene.colors[5], (scene::Rgba8{124, 124, 124, 128}));
}

TEST(GltfMaterials, ImagesInsideAGlbAreDecodedOnce) {
  TestFolder folder;
  GltfBuilder gltf;
  std::string image = png(2, 1, {kRed, kGreen});
  uint32_t view = gltf.view(image.data(), image.size());
  gltf.add("images", fmt::format(R"({{"bufferView":{},"mimeType":"image/png"}})", view));
  gltf.add("textures", R"({"source":0})");
  for (int i = 0; i < 2; ++i) {
    gltf.add("materials", R"({"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}})");
    gltf.add("meshes", fmt::format(R"({{"primitives":[{}]}})", gltf.square(std::to_string(i))));
    gltf.add("nodes", fmt::format(R"({{"mesh":{}}})", i));
  }
  scene::Scene scene = read_gltf(folder.write("scene.glb", gltf.glb("0,1")));
  ASSERT_EQ(scene.images.size(), 1u);
  EXPECT_EQ(scene.images[0].pixels, (std::vector<scene::Rgba8>{kRed, kGreen}));
  EXPECT_EQ(scene.materials.at(0).image, 0u);
  EXPECT_EQ(scene.materials.at(1).image, 0u);
}

TEST(GltfMaterials, MissingTexturesLeaveTheColorAndAWarning) {
  TestFolder folder;
  GltfBuilder gltf;
  gltf.add_square(
      R"({"name":"floor","pbrMetallicRoughness":{"baseColorFactor":[0.5,0.5,0.5,1],"baseColorTexture":{"index":0}}})");
  gltf.add("textures", R"({"source":0})");
  gltf.add("images", R"({"uri":"missing.png"})");
  testing::internal::CaptureStderr();
  scene::Scene scene = read_built(folder, gltf);
  std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("1 texture not found: missing.png;"), std::string::npos) << log;
  EXPECT_EQ(scene.materials.at(0).image, scene::kNone);
  EXPECT_TRUE(scene.images.empty());
  expect_color(scene.materials[0].base_color, {0.5, 0.5, 0.5, 1});
}

TEST(GltfMaterials, ATextureTransformNamesItsOwnTextureCoordinates) {
  TestFolder folder;
  folder.write("red.png", png(1, 1, {kRed}));
  GltfBuilder gltf;
  uint32_t second = gltf.floats("VEC2", {0.5f, 0.25f, 0, 0, 0, 0, 0, 0});
  gltf.add("meshes", fmt::format(R"({{"primitives":[{}]}})",
                                 gltf.square("0", fmt::format(",\"TEXCOORD_1\":{}", second))));
  gltf.add("nodes", R"({"mesh":0})");
  gltf.add("materials", R"({"pbrMetallicRoughness":{"baseColorTexture":{"index":0,"texCoord":0,"extensions":{
      "KHR_texture_transform":{"texCoord":1,"scale":[2,2]}}}}})");
  gltf.add("textures", R"({"source":0})");
  gltf.add("images", R"({"uri":"red.png"})");
  EXPECT_EQ(texcoords(read_built(folder, gltf), 0)[0], (Vec2f{1, 0.5f}));
}

TEST(GltfMaterials, ImagesInsideTheJsonAreDecoded) {
  TestFolder folder;
  GltfBuilder gltf;
  gltf.add_square(R"({"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}})");
  gltf.add("textures", R"({"source":0})");
  gltf.add("images",
           fmt::format(R"({{"uri":"data:image/png;base64,{}"}})", base64(png(2, 1, {kRed, kGreen}))));
  EXPECT_EQ(read_built(folder, gltf).images.at(0).pixels, (std::vector<scene::Rgba8>{kRed, kGreen}));
}

TEST(GltfMaterials, ATextureInAFormatThatIsNotReadLeavesTheColorAndAWarning) {
  TestFolder folder;
  folder.write("red.png", png(1, 1, {kRed}));
  GltfBuilder gltf;
  gltf.add_square(
      R"({"pbrMetallicRoughness":{"baseColorFactor":[0.5,0.5,0.5,1],"baseColorTexture":{"index":0}}})");
  gltf.add("textures", R"({"extensions":{"KHR_texture_basisu":{"source":0}}})");
  gltf.add("images", R"({"uri":"a.ktx2"})");
  testing::internal::CaptureStderr();
  scene::Scene scene = read_built(folder, gltf);
  std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("KHR_texture_basisu"), std::string::npos) << log;
  EXPECT_EQ(scene.materials.at(0).image, scene::kNone);

  GltfBuilder with_fallback;
  with_fallback.add_square(R"({"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}})");
  with_fallback.add("textures", R"({"source":1,"extensions":{"KHR_texture_basisu":{"source":0}}})");
  with_fallback.add("images", R"({"uri":"a.ktx2"})");
  with_fallback.add("images", R"({"uri":"red.png"})");
  EXPECT_EQ(read_built(folder, with_fallback).images.at(0).pixels.at(0), kRed);
}

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

TEST(GltfEmission, ColorAndEmissionAddUpInLinearLight) {
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

// Renderers multiply a vertex's color with the material's.
TEST(GltfEmission, VertexColorsDoNotDimTheEmission) {
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
