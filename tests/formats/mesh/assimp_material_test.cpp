#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "formats/mesh/mesh.h"
#include "tests/formats/scene/scene_checks.h"

namespace vox {
namespace {

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
  scene::Scene scene =
      read_assimp(folder.write("a.dae", collada(R"(<texture texture="sampler" texcoord="UV"/>)", "")));
  ASSERT_EQ(scene.triangles.size(), 2u);
  expect_near(corners(scene, 0)[0], {0, 3, 0});
  expect_near(corners(scene, 0)[2], {1, 5, -1});
  EXPECT_EQ(texcoords(scene, 0)[0], (Vec2f{0, 1}));  // v points up in the file
  EXPECT_EQ(texcoords(scene, 0)[2], (Vec2f{1, 0}));
  ASSERT_EQ(scene.images.size(), 1u);
  EXPECT_EQ(scene.images[0].pixels.at(0), kRed);
  expect_color(scene.materials.at(0).base_color, {1, 1, 1, 1});
  EXPECT_EQ(scene.materials[0].alpha_cutoff, 0);
}

TEST(AssimpMaterials, ColladaColoursAreSrgbAndTransparencyBecomesAlpha) {
  TestFolder folder;
  scene::Scene scene = read_assimp(folder.write(
      "a.dae", collada("<color>0.5 0 1 1</color>", "<transparency><float>0.25</float></transparency>")));
  expect_color(scene.materials.at(0).base_color, {0.21404, 0, 1, 0.25});
  EXPECT_FLOAT_EQ(scene.materials[0].alpha_cutoff, 0.5f);
}

TEST(AssimpMaterials, ObjColourMultipliesTheTextureAndUvPointsDown) {
  TestFolder folder;
  folder.write("wood.png", png(1, 1, {kRed}));
  folder.write("a.mtl", "newmtl wood\nKd 0.5 0.5 0.5\nmap_Kd Textures\\Wood.png\n");
  scene::Scene scene = read_assimp(folder.write(
      "a.obj",
      "mtllib a.mtl\nusemtl wood\nv 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nf 1/1 2/2 3/3\n"));
  ASSERT_EQ(scene.triangles.size(), 1u);
  EXPECT_EQ(texcoords(scene, 0)[2], (Vec2f{1, 0}));
  expect_color(scene.materials.at(0).base_color, {0.21404, 0.21404, 0.21404, 1});
  EXPECT_EQ(scene.images.at(0).pixels.at(0), kRed);
}

}  // namespace
}  // namespace vox
