#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "formats/mesh.h"
#include "tests/formats/scene_checks.h"

namespace vox {
namespace {

constexpr Rgba8 kRed = {255, 0, 0, 255}, kGreen = {0, 255, 0, 255};

TEST(AssimpMaterials, TextureTransformsFollowTheSpecificationsMatrix) {
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
    Scene scene = read_gltf(folder, gltf);
    std::array<Vec2f, 3> plain = {{{0, 1}, {1, 1}, {1, 0}}}, found = texcoords(scene, 0);
    for (size_t i = 0; i < 3; ++i) {
      double u = plain[i].x * c.scale_u, v = plain[i].y * c.scale_v;
      double cosine = std::cos(c.rotation), sine = std::sin(c.rotation);
      EXPECT_NEAR(found[i].x, cosine * u + sine * v + c.offset_u, 1e-5);
      EXPECT_NEAR(found[i].y, -sine * u + cosine * v + c.offset_v, 1e-5);
    }
  }
}

// The example of KHR_texture_transform's text: offset (0, 1), rotation 90 degrees, scale 1/2 "utilizes only
// the lower left quadrant of the source image, rotated clockwise 90 degrees".
TEST(AssimpMaterials, TheSpecificationsExampleShowsTheLowerLeftQuadrantTurnedClockwise) {
  TestFolder folder;
  folder.write("red.png", png(1, 1, {kRed}));
  GltfBuilder gltf;
  gltf.add_square(R"({"pbrMetallicRoughness":{"baseColorTexture":{"index":0,"extensions":{
      "KHR_texture_transform":{"offset":[0,1],"rotation":1.57079632679,"scale":[0.5,0.5]}}}}})");
  gltf.add("textures", R"({"source":0})");
  gltf.add("images", R"({"uri":"red.png"})");
  gltf.add("extensionsUsed", R"("KHR_texture_transform")");
  Scene scene = read_gltf(folder, gltf);
  std::array<Vec2f, 3> uv = texcoords(scene, 0);
  // The square's lower left corner shows the quadrant's lower right one, and so on around.
  std::array<Vec2f, 3> expected = {{{0.5f, 1}, {0.5f, 0.5f}, {0, 0.5f}}};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(uv[i].x, expected[i].x, 1e-5);
    EXPECT_NEAR(uv[i].y, expected[i].y, 1e-5);
  }
}

TEST(AssimpMaterials, TheSecondTextureCoordinatesAreUsedWhereTheTextureNamesThem) {
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
  Scene scene = read_gltf(folder, gltf);
  EXPECT_EQ(texcoords(scene, 0)[0], (Vec2f{0.5f, 0.25f}));
}

TEST(AssimpMaterials, WrapModesAreKept) {
  TestFolder folder;
  folder.write("red.png", png(1, 1, {kRed}));
  GltfBuilder gltf;
  gltf.add_square(R"({"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}})");
  gltf.add("textures", R"({"source":0,"sampler":0})");
  gltf.add("images", R"({"uri":"red.png"})");
  gltf.add("samplers", R"({"wrapS":33071,"wrapT":33648})");
  Scene scene = read_gltf(folder, gltf);
  EXPECT_EQ(scene.materials.at(0).wrap_u, Wrap::Clamp);
  EXPECT_EQ(scene.materials.at(0).wrap_v, Wrap::Mirror);
}

TEST(AssimpMaterials, AlphaModesBecomeCutoffs) {
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
  Scene scene = read_gltf(folder, gltf, "0,1,2,3");
  ASSERT_EQ(scene.materials.size(), 4u);
  EXPECT_EQ(scene.materials[0].alpha_cutoff, 0);
  EXPECT_FLOAT_EQ(scene.materials[0].base_color[3], 0.25f);
  EXPECT_FLOAT_EQ(scene.materials[1].alpha_cutoff, 0.3f);
  EXPECT_FLOAT_EQ(scene.materials[2].alpha_cutoff, 0.5f);
  EXPECT_FLOAT_EQ(scene.materials[3].alpha_cutoff, 0.5f);
  EXPECT_EQ(scene.materials[3].name, "blend");
}

TEST(AssimpMaterials, BaseColourFactorsAreLinearAndStayBesideTheTexture) {
  TestFolder folder;
  folder.write("a texture.png", png(1, 1, {kGreen}));
  GltfBuilder gltf;
  gltf.add_square(
      R"({"pbrMetallicRoughness":{"baseColorFactor":[0.5,0.25,1,1],"baseColorTexture":{"index":0}}})");
  gltf.add("textures", R"({"source":0})");
  gltf.add("images", R"({"uri":"A%20Texture.PNG"})");
  Scene scene = read_gltf(folder, gltf);
  expect_color(scene.materials.at(0).base_color, {0.5, 0.25, 1, 1});
  ASSERT_EQ(scene.images.size(), 1u);
  EXPECT_EQ(scene.materials[0].image, 0u);
  EXPECT_EQ(scene.images[0].pixels.at(0), kGreen);
}

TEST(AssimpMaterials, SpecularGlossinessMaterialsShowTheirDiffuseColour) {
  GltfBuilder gltf;
  gltf.add_square(
      R"({"extensions":{"KHR_materials_pbrSpecularGlossiness":{"diffuseFactor":[0.1,0.2,0.3,1]}}})");
  gltf.add("extensionsUsed", R"("KHR_materials_pbrSpecularGlossiness")");
  TestFolder folder;
  expect_color(read_gltf(folder, gltf).materials.at(0).base_color, {0.1, 0.2, 0.3, 1});
}

TEST(AssimpMaterials, VertexColoursOfGltfAreLinear) {
  GltfBuilder gltf;
  uint32_t color = gltf.floats("VEC4", {0, 0.5f, 1, 1, 0.2f, 0.2f, 0.2f, 0.5f, 0, 0, 0, 1, 1, 1, 1, 1});
  gltf.add("meshes", fmt::format(R"({{"primitives":[{},{}]}})", gltf.square(),
                                 gltf.square("", fmt::format(",\"COLOR_0\":{}", color))));
  gltf.add("nodes", R"({"mesh":0})");
  TestFolder folder;
  Scene scene = read_gltf(folder, gltf);
  expect_sound(scene);
  ASSERT_EQ(scene.colors.size(), 8u);
  EXPECT_EQ(scene.colors[0], (Rgba8{255, 255, 255, 255}));  // the primitive without colours
  EXPECT_EQ(scene.colors[4], (Rgba8{0, 188, 255, 255}));
  EXPECT_EQ(scene.colors[5], (Rgba8{124, 124, 124, 128}));
}

TEST(AssimpMaterials, ImagesInsideAGlbAreDecodedOnce) {
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
  Scene scene = read_assimp(folder.write("scene.glb", gltf.glb("0,1")));
  ASSERT_EQ(scene.images.size(), 1u);
  EXPECT_EQ(scene.images[0].pixels, (std::vector<Rgba8>{kRed, kGreen}));
  EXPECT_EQ(scene.materials.at(0).image, 0u);
  EXPECT_EQ(scene.materials.at(1).image, 0u);
}

TEST(AssimpMaterials, MissingTexturesLeaveTheColourAndAWarning) {
  TestFolder folder;
  GltfBuilder gltf;
  gltf.add_square(
      R"({"name":"floor","pbrMetallicRoughness":{"baseColorFactor":[0.5,0.5,0.5,1],"baseColorTexture":{"index":0}}})");
  gltf.add("textures", R"({"source":0})");
  gltf.add("images", R"({"uri":"missing.png"})");
  testing::internal::CaptureStderr();
  Scene scene = read_gltf(folder, gltf);
  std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("1 texture not found: missing.png;"), std::string::npos) << log;
  EXPECT_EQ(scene.materials.at(0).image, kNone);
  EXPECT_TRUE(scene.images.empty());
  expect_color(scene.materials[0].base_color, {0.5, 0.5, 0.5, 1});
}

const char* const kCollada = R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset>
<library_images><image id="img"><init_from>C:\art\Wood.png</init_from></image></library_images>
<library_effects><effect id="fx"><profile_COMMON>
<newparam sid="surface"><surface type="2D"><init_from>img</init_from></surface></newparam>
<newparam sid="sampler"><sampler2D><source>surface</source></sampler2D></newparam>
<technique sid="t"><lambert><diffuse>TEXTURE</diffuse>TRANSPARENCY</lambert></technique>
</profile_COMMON></effect></library_effects>
<library_materials><material id="mat" name="wood"><instance_effect url="#fx"/></material></library_materials>
<library_geometries><geometry id="geo"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0 1 0 0 1 1 2 0 1 2</float_array><technique_common>
<accessor source="#pa" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<source id="t"><float_array id="ta" count="8">0 0 1 0 1 1 0 1</float_array><technique_common>
<accessor source="#ta" count="4" stride="2"><param name="S" type="float"/><param name="T" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist material="m" count="1"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="TEXCOORD" source="#t" offset="1" set="0"/>
<vcount>4</vcount><p>0 0 1 1 2 2 3 3</p></polylist></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><translate>0 0 3</translate><instance_geometry url="#geo">
<bind_material><technique_common><instance_material symbol="m" target="#mat"/></technique_common></bind_material>
</instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>)";

std::string collada(const std::string& diffuse, const std::string& transparency) {
  std::string text = kCollada;
  text.replace(text.find("TEXTURE"), 7, diffuse);
  return text.replace(text.find("TRANSPARENCY"), 12, transparency);
}

TEST(AssimpMaterials, ColladaTurnsItsUpAxisAndItsTextureReplacesTheColour) {
  TestFolder folder;
  folder.write("wood.PNG", png(1, 1, {kRed}));
  Scene scene =
      read_assimp(folder.write("a.dae", collada(R"(<texture texture="sampler" texcoord="UV"/>)", "")));
  ASSERT_EQ(scene.triangles.size(), 2u);
  expect_near(corners(scene, 0)[0], {0, 3, 0});
  expect_near(corners(scene, 0)[2], {1, 5, -1});
  EXPECT_EQ(texcoords(scene, 0)[0], (Vec2f{0, 1}));  // v is up in the file
  EXPECT_EQ(texcoords(scene, 0)[2], (Vec2f{1, 0}));
  ASSERT_EQ(scene.images.size(), 1u);
  EXPECT_EQ(scene.images[0].pixels.at(0), kRed);
  expect_color(scene.materials.at(0).base_color, {1, 1, 1, 1});
  EXPECT_EQ(scene.materials[0].alpha_cutoff, 0);
}

TEST(AssimpMaterials, ColladaColoursAreSrgbAndTransparencyBecomesAlpha) {
  TestFolder folder;
  Scene scene = read_assimp(folder.write(
      "a.dae", collada("<color>0.5 0 1 1</color>", "<transparency><float>0.25</float></transparency>")));
  expect_color(scene.materials.at(0).base_color, {0.21404, 0, 1, 0.25});
  EXPECT_FLOAT_EQ(scene.materials[0].alpha_cutoff, 0.5f);
}

TEST(AssimpMaterials, ObjColourMultipliesTheTextureAndUvPointsDown) {
  TestFolder folder;
  folder.write("wood.png", png(1, 1, {kRed}));
  folder.write("a.mtl", "newmtl wood\nKd 0.5 0.5 0.5\nmap_Kd Textures\\Wood.png\n");
  Scene scene = read_assimp(folder.write(
      "a.obj",
      "mtllib a.mtl\nusemtl wood\nv 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nf 1/1 2/2 3/3\n"));
  ASSERT_EQ(scene.triangles.size(), 1u);
  EXPECT_EQ(texcoords(scene, 0)[2], (Vec2f{1, 0}));
  expect_color(scene.materials.at(0).base_color, {0.21404, 0.21404, 0.21404, 1});
  EXPECT_EQ(scene.images.at(0).pixels.at(0), kRed);
}

}  // namespace
}  // namespace vox
