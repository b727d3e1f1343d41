#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "formats/mesh/assimp_import.h"
#include "formats/mesh/mesh.h"
#include "libvox/base/error.h"
#include "tests/common/random.h"
#include "tests/formats/mesh/mesh_checks.h"

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

TEST(AssimpMaterials, ColladaTurnsItsUpAxisAndItsTextureReplacesTheColor) {
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

TEST(AssimpMaterials, ColladaColorsAreSrgbAndTransparencyBecomesAlpha) {
  TestFolder folder;
  scene::Scene scene = read_assimp(folder.write(
      "a.dae", collada("<color>0.5 0 1 1</color>", "<transparency><float>0.25</float></transparency>")));
  expect_color(scene.materials.at(0).base_color, {0.21404, 0, 1, 0.25});
  EXPECT_FLOAT_EQ(scene.materials[0].alpha_cutoff, 0.5f);
}

TEST(AssimpMaterials, ObjColorMultipliesTheTextureAndUvPointsDown) {
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

// Tests COLLADA and FBX: axes, units, encodings, blanks, and limits on the memory that a damaged file may
// make Assimp take.

// Returns a COLLADA file with a triangle from (1, 2, 3) whose node moves it by (0, 0, 10).
std::string collada(const std::string& asset) {
  return R"(<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset>)" +
         asset + R"(</asset>
<library_effects><effect id="fx"><profile_COMMON><technique sid="t"><lambert>
<diffuse><color>0.5 0 1 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="mat" name="blue"><instance_effect url="#fx"/></material></library_materials>
<library_geometries><geometry id="geo"><mesh>
<source id="p"><float_array id="pa" count="9">1 2 3 4 2 3 1 2 8</float_array><technique_common>
<accessor source="#pa" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles material="m" count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><translate>0 0 10</translate><instance_geometry url="#geo">
<bind_material><technique_common><instance_material symbol="m" target="#mat"/></technique_common></bind_material>
</instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>)";
}

// Returns an ASCII FBX file with one triangle from (1, 2, 3); `globals` are lines of GlobalSettings.
std::string fbx(const std::string& globals) {
  return "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 7400\n}\n"
         "GlobalSettings:  {\n\tVersion: 1000\n\tProperties70:  {\n" +
         globals +
         "\t}\n}\nObjects:  {\n\tGeometry: 1, \"Geometry::g\", \"Mesh\" {\n\t\tVertices: *9 {\n\t\t\ta: "
         "1,2,3,4,2,3,1,2,8\n"
         "\t\t}\n\t\tPolygonVertexIndex: *3 {\n\t\t\ta: 0,1,-3\n\t\t}\n\t}\n\tModel: 2, \"Model::m\", "
         "\"Mesh\" {\n"
         "\t\tVersion: 232\n\t}\n}\nConnections:  {\n\tC: \"OO\",1,2\n\tC: \"OO\",2,0\n}\n";
}

std::string fbx_axis(const std::string& name, int index, int sign) {
  return fmt::format(
      "\t\tP: \"{0}Axis\", \"int\", \"Integer\", \"\",{1}\n\t\tP: \"{0}AxisSign\", \"int\", \"Integer\", "
      "\"\",{2}\n",
      name, index, sign);
}

std::string fbx_unit(double centimeters) {
  return fmt::format("\t\tP: \"UnitScaleFactor\", \"double\", \"Number\", \"\",{}\n", centimeters);
}

class Frames : public testing::Test {
 protected:
  Vec3d first_corner(const std::string& name, const std::string& content, const MeshOptions& options = {}) {
    const scene::Scene scene = read_mesh(folder.write(name, content), options);
    EXPECT_EQ(scene.triangles.size(), 1u);
    return scene.triangles.empty() ? Vec3d{} : scene.positions[scene.triangles[0].position[0]];
  }

  void expect_refused(const std::string& name, const std::string& content, const std::string& reason,
                      const MeshOptions& options = {}) {
    const std::string error = error_of([&] { read_mesh(folder.write(name, content), options); });
    EXPECT_NE(error.find(name + ": "), std::string::npos) << error;
    EXPECT_NE(error.find(reason), std::string::npos) << error;
  }

  TestFolder folder;
};

// The specification, chapter 5, <up_axis>, defines which axes point to the right, up and towards the viewer.
TEST_F(Frames, TheUpAxisOfColladaPointsUpAlongY) {
  EXPECT_EQ(first_corner("a.dae", collada("")), (Vec3d{1, 2, 13}));
  EXPECT_EQ(first_corner("a.dae", collada("<up_axis>Y_UP</up_axis>")), (Vec3d{1, 2, 13}));
  EXPECT_EQ(first_corner("a.dae", collada("<up_axis>Z_UP</up_axis>")), (Vec3d{1, 13, -2}));
  EXPECT_EQ(first_corner("a.dae", collada("<up_axis>\n X_UP </up_axis>")), (Vec3d{-2, 1, 13}));
}

TEST_F(Frames, AnAxisThatTheUserNamesIsThatOfTheFilesOwnCoordinates) {
  const std::string z_up = collada("<up_axis>Z_UP</up_axis>");
  EXPECT_EQ(first_corner("a.dae", z_up, {.up = dag::UpAxis::Y}), (Vec3d{1, 2, 13}));
  EXPECT_EQ(first_corner("a.dae", z_up, {.up = dag::UpAxis::Z}), (Vec3d{1, 13, -2}));
  EXPECT_EQ(first_corner("a.dae", collada(""), {.up = dag::UpAxis::Z}), (Vec3d{1, 13, -2}));
  const std::string fbx_z_up = fbx(fbx_axis("Up", 2, 1) + fbx_axis("Front", 1, -1) + fbx_unit(100));
  EXPECT_EQ(first_corner("a.fbx", fbx_z_up, {.up = dag::UpAxis::Y}), (Vec3d{1, 2, 3}));
  EXPECT_EQ(first_corner("a.fbx", fbx_z_up, {.up = dag::UpAxis::Z}), (Vec3d{1, 3, -2}));
}

TEST_F(Frames, ColladaIsInMetersUnlessItsUnitsAreKept) {
  const std::string inches = collada(R"(<unit name="inch" meter="0.0254"/><up_axis>Z_UP</up_axis>)");
  EXPECT_EQ(first_corner("a.dae", inches), (Vec3d{1 * 0.0254, 13 * 0.0254, -2 * 0.0254}));
  EXPECT_EQ(first_corner("a.dae", inches, {.units = MeshUnits::Keep}), (Vec3d{1, 13, -2}));
  for (const char* meter : {"0", "-1"})
    expect_refused("a.dae", collada(fmt::format(R"(<unit meter="{}"/>)", meter)),
                   fmt::format("the file gives its unit as {} meters", meter));
}

TEST_F(Frames, FbxIsInMetersUnlessItsUnitsAreKept) {
  EXPECT_EQ(first_corner("a.fbx", fbx("")), (Vec3d{0.01, 0.02, 0.03}));  // centimeters by default
  EXPECT_EQ(first_corner("a.fbx", fbx(fbx_unit(2.54))), (Vec3d{0.0254, 2 * 0.0254, 3 * 0.0254}));
  EXPECT_EQ(first_corner("a.fbx", fbx(fbx_unit(100))), (Vec3d{1, 2, 3}));
  EXPECT_EQ(first_corner("a.fbx", fbx(fbx_unit(2.54)), {.units = MeshUnits::Keep}), (Vec3d{1, 2, 3}));
  expect_refused("a.fbx", fbx(fbx_unit(-1)), "the file gives its unit as -0.01 meters");
}

TEST_F(Frames, TheUnitIsTheMeterIfTheFileSaysIt) {
  const auto unit = [&](const std::string& name, const std::string& content,
                        const MeshOptions& options = {}) {
    return read_mesh(folder.write(name, content), options).unit;
  };
  using enum scene::LengthUnit;
  EXPECT_EQ(unit("a.fbx", fbx(fbx_unit(2.54))), Meter);
  EXPECT_EQ(unit("a.fbx", fbx(fbx_unit(2.54)), {.units = MeshUnits::Keep}), Unknown);
  EXPECT_EQ(unit("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), Unknown);
  scene::Scene both = read_mesh(folder.write("a.fbx", fbx("")), {});
  scene::append_scene(both, read_mesh(folder.write("b.fbx", fbx("")), {}));
  EXPECT_EQ(both.unit, Meter);
  scene::append_scene(both, read_mesh(folder.write("b.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), {}));
  EXPECT_EQ(both.unit, Unknown);
}

TEST_F(Frames, TheAxesOfFbxPointToTheRightUpAndToTheFront) {
  auto corner = [&](const std::string& axes) { return first_corner("a.fbx", fbx(axes + fbx_unit(100))); };
  EXPECT_EQ(corner(""), (Vec3d{1, 2, 3}));
  EXPECT_EQ(corner(fbx_axis("Up", 1, 1) + fbx_axis("Front", 2, 1) + fbx_axis("Coord", 0, 1)),
            (Vec3d{1, 2, 3}));
  EXPECT_EQ(corner(fbx_axis("Up", 2, 1) + fbx_axis("Front", 1, -1) + fbx_axis("Coord", 0, 1)),
            (Vec3d{1, 3, -2}));
  EXPECT_EQ(corner(fbx_axis("Up", 0, 1) + fbx_axis("Front", 2, 1) + fbx_axis("Coord", 1, -1)),
            (Vec3d{-2, 1, 3}));
  const std::string twice = fbx(fbx_axis("Up", 2, 1));  // up and front are then the same axis
  expect_refused("a.fbx", twice, "axes to the right, up and to the front are 0, 2 and 2");
  EXPECT_EQ(first_corner("a.fbx", twice, {.up = dag::UpAxis::Y, .units = MeshUnits::Keep}), (Vec3d{1, 2, 3}));
  expect_refused("a.fbx", fbx(fbx_axis("Up", 7, 1)), "its UpAxis is 7");
}

TEST_F(Frames, ColladaIsReadInEveryEncoding) {
  const std::string text = collada("<up_axis>Z_UP</up_axis>");
  for (const std::string& bytes : {kUtf8Mark + text, kUtf16LittleMark + utf16(text, false),
                                   kUtf16BigMark + utf16(text, true), utf16(text, false)})
    EXPECT_EQ(first_corner("a.DAE", bytes), (Vec3d{1, 13, -2}));
  const std::filesystem::path file = folder.write("a.dae", kUtf16LittleMark + utf16(text, false) + "x");
  EXPECT_EQ(error_of([&] { read_mesh(file); }),
            file.string() + ": UTF-16 text with an odd number of bytes (is the file truncated?)");
}

TEST_F(Frames, BlanksAndCommentsInColladaMeanNothing) {
  std::string text = collada("");
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"<color>0.5 0 1 1<", "<color>\n\t0.5\n0 1\r\n1 <"},
        {"0 0 10", " 0 <!-- > -->0\n10\n"},
        {">1 2 3 4", ">\n 1 2 3 4"},
        {"<p>0", "<!-- <p> --><p>\n0"}})
    text.replace(text.find(from), from.size(), to);
  EXPECT_EQ(first_corner("a.dae", text), (Vec3d{1, 2, 13}));
  const scene::Scene scene = read_mesh(folder.write("a.dae", text));
  EXPECT_FLOAT_EQ(scene.materials.at(0).base_color[0], 0.21404114f);
  EXPECT_FLOAT_EQ(scene.materials.at(0).base_color[2], 1);
}

TEST(ColladaText, LosesBlanksCommentsAndDeclarationsAndNothingElse) {
  EXPECT_EQ(
      plain_collada("<?xml version='1.0'?>\n<a b='>'>\n <c> 1 <!-- < --> 2 </c>\n<d/><![CDATA[ <x ]]> </a>"),
      "<a b='>'><c>1  2</c><d/><![CDATA[ <x ]]></a>");
  EXPECT_EQ(plain_collada("<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe4.png</a>"),
            "<a>\xc3\xa4.png</a>");
  EXPECT_EQ(plain_collada("<?xml version='1.0' encoding='utf-8'?><a>\xc3\xa4.png</a>"),
            "<a>\xc3\xa4.png</a>");
  for (const char* cut : {"<a b='", "<!-- a", "<?xml", "<![CDATA[", "a", "<a>b"}) plain_collada(cut);
}

// Assimp reserves memory for these counts before it reads the numbers.
TEST_F(Frames, ACountThatNoFileOfThisSizeHasIsRefusedInWords) {
  for (const char* count : {"1200000000", "350000000000"}) {
    std::string text = collada("");
    text.replace(text.find("count=\"9\""), 9, fmt::format("count=\"{}\"", count));
    expect_refused("a.dae", text,
                   kAddressSanitizer
                       ? "Assimp crashed"
                       : "reading it took more than 256.08 MiB of memory, which no valid file of ");
  }
  std::string text = collada("");
  text.replace(text.find("count=\"9\""), 9, "count=\"18446744073709551615\"");
  expect_refused("a.dae", text, "");
}

TEST_F(Frames, FlippedBytesGiveAnErrorOrASoundScene) {
  expect_flips_to_be_harmless(collada("<up_axis>Z_UP</up_axis>"), folder.path() / "a.dae", read_assimp, 60);
  expect_flips_to_be_harmless(fbx(fbx_axis("Up", 1, 1) + fbx_unit(2.54)), folder.path() / "a.fbx",
                              read_assimp, 60);
}

}  // namespace
}  // namespace vox
