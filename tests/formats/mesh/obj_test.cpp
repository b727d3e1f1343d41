#include <gtest/gtest.h>

#include <cmath>

#include "formats/mesh/mesh.h"
#include "formats/mesh/obj.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

using Indices = std::array<uint32_t, 3>;
constexpr Indices kNoTexcoords = {scene::kNone, scene::kNone, scene::kNone};

// The fixture reads OBJ files from texts in a folder of its own.
class Obj : public testing::Test {
 protected:
  scene::Scene read(const std::string& text) { return read_obj(folder.write("a.obj", text)); }

  std::string error(const std::string& text) {
    return error_of([&] { read(text); });
  }

  // Returns the warnings that reading this text causes.
  std::string warnings(const std::string& text) {
    testing::internal::CaptureStderr();
    read(text);
    return testing::internal::GetCapturedStderr();
  }

  TestFolder folder;
};

const std::string kSquare = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
const std::string kUv = "vt 0 0\nvt 1 0\nvt 0.25 0.125\n";
const std::string kTriangle = "f 1/1 2/2 3/3\n";

TEST_F(Obj, CornersMayNameTextureCoordinatesAndNormals) {
  scene::Scene scene =
      read(kSquare + kUv + "vn 0 0 1\nf 1 2 3\nf 1/1 2/2 3/3\nf 1//1 2//1 3//1\nf 2/1/1 3/2/1 4/3/1\n");
  ASSERT_EQ(scene.triangles.size(), 4u);
  EXPECT_EQ(scene.triangles[0].position, (Indices{0, 1, 2}));
  EXPECT_EQ(scene.triangles[0].texcoord, kNoTexcoords);
  EXPECT_EQ(scene.triangles[1].texcoord, (Indices{0, 1, 2}));
  EXPECT_EQ(scene.triangles[2].texcoord, kNoTexcoords);
  EXPECT_EQ(scene.triangles[3].position, (Indices{1, 2, 3}));
  EXPECT_EQ(scene.triangles[3].texcoord, (Indices{0, 1, 2}));
}

TEST_F(Obj, TextureCoordinatesPointDown) {
  scene::Scene scene = read(kSquare + kUv + "vt 0.5\nvt 1 2 3\n" + kTriangle);
  EXPECT_EQ(scene.texcoords[2], (Vec2f{0.25f, 0.875f}));
  EXPECT_EQ(scene.texcoords[3], (Vec2f{0.5f, 1}));
  EXPECT_EQ(scene.texcoords[4], (Vec2f{1, -1}));
}

TEST_F(Obj, AFaceWhereOneCornerHasNoTextureCoordinateHasNone) {
  scene::Scene scene = read(kSquare + kUv + "f 1/1 2 3/3\nf 1/1 2/ 3/3\n");
  EXPECT_EQ(scene.triangles[0].texcoord, kNoTexcoords);
  EXPECT_EQ(scene.triangles[1].texcoord, kNoTexcoords);
}

TEST_F(Obj, NegativeIndicesCountBackFromTheLineTheyStandOn) {
  scene::Scene scene = read(kSquare + kUv + "f -4/-3 -3/-2/-1 -1//-7\nv 5 5 5\nvt 9 9\nf -1/-1 -2/-2 1/1\n");
  EXPECT_EQ(scene.triangles[0].position, (Indices{0, 1, 3}));
  EXPECT_EQ(scene.triangles[1].position, (Indices{4, 3, 0}));
  EXPECT_EQ(scene.triangles[1].texcoord, (Indices{3, 2, 0}));
}

TEST_F(Obj, FacesMayNameVerticesThatFollow) {
  EXPECT_EQ(read("f 1 2 3\n" + kSquare).triangles[0].position, (Indices{0, 1, 2}));
}

TEST_F(Obj, ConvexPolygonsBecomeFans) {
  scene::Scene scene = read(kSquare + "v -1 0.5 0\nf 1 2 3 4 5\nf 1 2 3 4\nf 1 2\nf 1\n");
  ASSERT_EQ(scene.triangles.size(), 5u);
  EXPECT_EQ(scene.triangles[1].position, (Indices{0, 2, 3}));
  EXPECT_EQ(scene.triangles[2].position, (Indices{0, 3, 4}));
}

double area(const scene::Scene& scene) {
  double sum = 0;
  for (const scene::Triangle& t : scene.triangles) {
    Vec3d a = scene.positions[t.position[0]];
    Vec3d normal = cross(scene.positions[t.position[1]] - a, scene.positions[t.position[2]] - a);
    sum += std::sqrt(dot(normal, normal)) / 2;
  }
  return sum;
}

// The polygon is a comb with teeth and gaps of width 1. If triangles overlapped, their total area would be
// too large.
TEST_F(Obj, ConcavePolygonsAreCoveredOnce) {
  constexpr int kTeeth = 12;
  std::string text, face = "f";
  int corners = 0;
  auto corner = [&](int along, int up) {
    text += fmt::format("v {} {} {}\nvt {} {}\n", along, 2 * along + 7 * up, up, along, up);
    ++corners;
    face += fmt::format(" {}/{}", corners, corners);
  };
  corner(0, 0);
  corner(2 * kTeeth, 0);
  for (int tooth = kTeeth; tooth-- > 0;) {
    corner(2 * tooth + 2, 1);
    corner(2 * tooth + 2, 5);
    corner(2 * tooth + 1, 5);
    corner(2 * tooth + 1, 1);
  }
  corner(0, 1);
  double unit = std::sqrt(2 * 2 + 1 * 1 + 7 * 7);  // the area of a unit square: |(1, 2, 0) x (0, 7, 1)|
  scene::Scene scene = read(text + face + "\n");
  ASSERT_EQ(scene.triangles.size(), static_cast<size_t>(corners - 2));
  EXPECT_NEAR(area(scene), unit * (2 * kTeeth + 4 * kTeeth), 1e-9);
  for (const scene::Triangle& triangle : scene.triangles) EXPECT_EQ(triangle.position, triangle.texcoord);
}

TEST_F(Obj, AConcaveFaceMayLackSomeTextureCoordinates) {
  for (std::string face : {"f 4/1 1/2 2/3 3\n", "f 4 1/1 2/2 3/3\n", "f 4/1 1 2/3 3/1\n"}) {
    scene::Scene scene = read("v 0 0 0\nv 4 0 0\nv 1 1 0\nv 0 4 0\n" + kUv + face);
    EXPECT_TRUE(is_sound(scene)) << face;
    EXPECT_EQ(area(scene), 4) << face;
  }
}

TEST_F(Obj, PolygonsThatCrossThemselvesAreCutSomehow) {
  EXPECT_EQ(read(kSquare + "f 1 3 2 4\nf 1 1 1 1 1\nf 1 2 1 2 1 2 3\n").triangles.size(), 2u + 3 + 5);
  std::string star = "v nan 0 0\n", face = "f 1";
  for (int i = 0; i < 700; ++i) {
    star += fmt::format("v {} {} 0\n", (i * 37) % 101, (i * 53) % 89);
    face += fmt::format(" {}", i + 2);
  }
  EXPECT_EQ(read(star + face + "\n").triangles.size(), 699u);
  EXPECT_GT(read(star + face.substr(0, 1500) + "\n").triangles.size(), 300u);
}

TEST_F(Obj, LinesMayEndAndContinueAsOnAnySystem) {
  std::string text =
      "# a path: C:\\meshes\\\nv 0 0 \\\n 0\n\tv\t1 0 0  # note\n\n  v 1 1 0 \nv 0 1 0\ng a\nf 1 \\\n2\\\n 3 "
      "4\n# end";
  scene::Scene plain = read(text);
  ASSERT_EQ(plain.triangles.size(), 2u);
  EXPECT_EQ(plain.positions[1], (Vec3d{1, 0, 0}));
  for (std::string line_end : {"\r\n", "\r"}) {
    std::string other;
    for (char c : text) c == '\n' ? other += line_end : other += c;
    scene::Scene scene = read(other);
    EXPECT_EQ(scene.positions, plain.positions);
    EXPECT_EQ(scene.triangles.size(), 2u);
  }
}

TEST_F(Obj, TheLastLineNeedsNoEnd) {
  EXPECT_EQ(read(kSquare + "f 1 2 3").triangles.size(), 1u);
  EXPECT_EQ(read(kSquare + "f 1 2 3\\\n").triangles.size(), 1u);
}

TEST_F(Obj, VerticesMayHaveWeightsOrColors) {
  scene::Scene scene = read("v 1 2 3 0.5\nv 1 2 3 1 0.5 0\nv 1 2 3 1.0 0 0 7\nf 1 2 3\n");
  EXPECT_EQ(scene.positions[0], (Vec3d{1, 2, 3}));
  ASSERT_EQ(scene.colors.size(), 3u);
  EXPECT_EQ(scene.colors[0], (scene::Rgba8{255, 255, 255, 255}));
  EXPECT_EQ(scene.colors[1], (scene::Rgba8{255, 128, 0, 255}));
  EXPECT_EQ(scene.colors[2], (scene::Rgba8{0, 0, 255, 255}));
  EXPECT_EQ(scene.materials[0].base_color, (std::array<float, 4>{1, 1, 1, 1}));
  EXPECT_TRUE(read(kSquare + "f 1 2 3\n").colors.empty());
}

TEST_F(Obj, WhatIsNoTriangleIsPassedOver) {
  scene::Scene scene = read(
      kSquare +
      "o thing\ns off\ng \xff\xfe r\xe9sum\xe9\nl 1 2\np 1\nvp 1 2\ncurv 0 1 1 2\nvirtual 3\nfog\nf 1 2 3\n");
  EXPECT_EQ(scene.triangles.size(), 1u);
  EXPECT_EQ(scene.positions.size(), 4u);
}

TEST_F(Obj, NumbersThatAreNotFiniteAreKeptForTheCallerToDrop) {
  scene::Scene scene = read("v nan 1e999 -1e999\nv 1.#IND 0 0\nv 1 2 3\nf 1 2 3\n");
  EXPECT_TRUE(std::isnan(scene.positions[0].x));
  EXPECT_EQ(scene.positions[0].y, INFINITY);
  EXPECT_TRUE(std::isnan(scene.positions[1].x));
  EXPECT_EQ(scene::drop_bad_triangles(scene).not_finite, 1u);
}

TEST_F(Obj, ErrorsNameTheLine) {
  auto expect = [&](const std::string& text, const std::string& message) {
    std::string what = error(text);
    EXPECT_NE(what.find(message), std::string::npos) << "'" << what << "' instead of '" << message << "'";
  };
  expect(kSquare + "f 1 2 7\n", "a.obj:5: '7' refers to a v that does not exist: 4 are defined");
  expect(kSquare + kUv + "\nf 1/1 2/2 3/4", "a.obj:9: '4' refers to a vt that does not exist: 3 are defined");
  expect(kSquare + "f -1 -2 -5\n" + kSquare,
         "a.obj:5: '-5' refers to a v that does not exist: 4 are defined before it");
  expect(kSquare + "f 0 1 2\n", "a.obj:5: '0' refers to v 0, but indices count from 1");
  expect(kSquare + "f 1 2 99999999999999999999999999\n", "refers to a v that does not exist");
  expect(kSquare + "f 1 2 x\n", "a.obj:5: expected an index instead of 'x'");
  expect(kSquare + "f 1 2 3.5\n", "expected a corner such as 1, 1/2, 1//3 or 1/2/3 instead of '3.5'");
  expect(kSquare + kUv + "f 1 2 3/1/1/1\n", "expected a corner");
  expect("v 1 2\n", "a.obj:1: expected a number instead of ''");
  expect("\r\nv 1 \\\r\n2 3\rv 1 2 abc\n", "a.obj:4: expected a number instead of 'abc'");
  expect("v 1 2 3\nv 1e+2 2.e+1 3.1+e2\n", "a.obj:2: expected a number instead of '3.1+e2'");
}

TEST_F(Obj, TheFirstOfManyErrorsIsReported) {
  std::string text = kSquare;
  for (int i = 0; i < 300000; ++i) text += "f 1 2 9\n";
  EXPECT_NE(error(text).find("a.obj:5:"), std::string::npos);
}

TEST_F(Obj, WhatIsNoMeshIsAnError) {
  for (const char* text : {"hello\nworld\n", "%PDF-1.4 v 1", "\n", "vt 0 0\n", "verse f\nfoo\n"})
    EXPECT_NE(error(text).find("a.obj: not an OBJ mesh"), std::string::npos) << text;
  EXPECT_NE(error("").find("is empty"), std::string::npos);
  EXPECT_NE(error_of([&] { read_obj(folder.path()); }).find("is a folder"), std::string::npos);
}

// The file is larger than the pieces that are read in parallel, and joined lines and relative indices cross
// the pieces' borders.
TEST_F(Obj, FilesOfManyPiecesAreReadAsOne) {
  std::string text = "usemtl first\n";
  constexpr uint32_t kCount = 60000;
  for (uint32_t i = 0; i < kCount; ++i) {
    if (i == kCount / 2) text += "usemtl second\n";
    text += fmt::format("v {} \\\n {}.5 -{}\nvt {} 0\n", i, i % 1000, i, i % 7);
    if (i >= 2)
      text += i % 2 ? "f -3/-3 -2/-2 \\\r\n -1/-1\n"
                    : fmt::format("f {0}/{0} {1}/{1} {2}/{2}\n", i - 1, i, i + 1);
  }
  scene::Scene scene = read(text);
  ASSERT_GT(text.size(), 3u << 20);
  ASSERT_EQ(scene.triangles.size(), kCount - 2);
  for (uint32_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(scene.positions[i], (Vec3d{double(i), i % 1000 + 0.5, -double(i)}));
    if (i < 2) continue;
    const scene::Triangle& triangle = scene.triangles[i - 2];
    ASSERT_EQ(triangle.position, (Indices{i - 2, i - 1, i}));
    ASSERT_EQ(triangle.texcoord, (Indices{i - 2, i - 1, i}));
    ASSERT_EQ(scene.materials[triangle.material].name, i < kCount / 2 ? "first" : "second");
  }
}

TEST_F(Obj, MaterialsHaveColorsAndOpacity) {
  folder.write(
      "a.mtl",
      "newmtl red\n\tKd 1 0 0.5\nillum 2\nnewmtl glass\r\nKd 0.25\r\nd 0.25\r\nTr 0\r\nnewmtl tr\nTr 0.75\n"
      "newmtl meshlab\nTr 1.000000\nnewmtl odd\nKd spectral x.rfl\nnewmtl with blanks \nd -halo 0.5\nKd 2 "
      "nan 0\n");
  scene::Scene scene = read(
      "mtllib a.mtl\n" + kSquare +
      "f 1 2 3\nusemtl red\nf 1 2 3\nusemtl glass\nf 1 2 3\nusemtl tr\nf 1 2 3\n"
      "usemtl meshlab\nf 1 2 3\nusemtl odd\nf 1 2 3\nusemtl with blanks\nf 1 2 3\nusemtl red\nf 2 3 4\n");
  auto material = [&](size_t triangle) { return scene.materials[scene.triangles[triangle].material]; };
  ASSERT_EQ(scene.materials.size(), 7u);
  EXPECT_EQ(material(0).name, "default");
  EXPECT_EQ(material(1).name, "red");
  EXPECT_NEAR(material(1).base_color[2], 0.21404114, 1e-6);
  EXPECT_EQ(material(1).alpha_cutoff, 0);
  EXPECT_NEAR(material(2).base_color[1], 0.05087609, 1e-6);
  EXPECT_EQ(material(2).base_color[3], 0.25f);
  EXPECT_EQ(material(2).alpha_cutoff, 0.5f);
  EXPECT_EQ(material(3).base_color[3], 0.25f);
  EXPECT_EQ(material(4).base_color[3], 1);
  EXPECT_EQ(material(5).base_color, scene::Material().base_color);
  EXPECT_EQ(material(6).name, "with blanks");
  EXPECT_EQ(material(6).base_color[3], 0.5f);
  EXPECT_EQ(material(7).name, "red");
}

TEST_F(Obj, LibrariesMayBeSeveralAndHaveSpacesInTheirNames) {
  folder.write("one two.mtl", "newmtl a\n");
  folder.write("three.MTL", "newmtl b\nKd 1 1 1\n");
  folder.write("four five.mtl", "newmtl c\nKd 1 1 1\n");
  folder.write("six.txt", "newmtl d\nKd 1 1 1\n");
  std::string text = kSquare;
  for (std::string name : {"a", "b", "c", "d"}) text += "usemtl " + name + "\nf 1 2 3\n";
  EXPECT_EQ(warnings("mtllib one two.mtl\nmtllib three.MTL four five.mtl\nmtllib six.txt\n" + text), "");
  EXPECT_NE(warnings("mtllib one two.mtl\n" + text).find("3 materials are used but not defined, such as 'b'"),
            std::string::npos);
}

TEST_F(Obj, WhatIsMissingBecomesGrayWithOneWarning) {
  std::string text =
      "mtllib gone.mtl\nmtllib gone.mtl\nusemtl x\n" + kSquare + "f 1 2 3\nusemtl y\nf 1 2 3\n";
  std::string warning = warnings(text);
  EXPECT_NE(warning.find("gone.mtl"), std::string::npos);
  EXPECT_EQ(std::count(warning.begin(), warning.end(), '\n'), 1);
  EXPECT_EQ(read(text).materials[1].base_color, scene::Material().base_color);
  folder.write("a.mtl", "newmtl x\nKd 1 0 0\nmap_Kd gone.png\nnewmtl y\nmap_Kd gone.png\n");
  text.replace(0, 32, "mtllib a.mtl\n");
  warning = warnings(text);
  EXPECT_NE(warning.find("gone.png"), std::string::npos);
  EXPECT_EQ(std::count(warning.begin(), warning.end(), '\n'), 1);
  EXPECT_EQ(read(text).materials[0].base_color, (std::array<float, 4>{1, 0, 0, 1}));
}

TEST_F(Obj, ANumberOfAnMtlThatIsNoneIsAnErrorWithItsLine) {
  for (std::string bad : {"Kd 0.5 3.1+e2 1", "d 0,5", "Tr 1.0.0", "Kd -"}) {
    folder.write("a.mtl", "newmtl x\n\n" + bad + "\n");
    const std::string what = error("mtllib a.mtl\nusemtl x\n" + kSquare + "f 1 2 3\n");
    EXPECT_NE(what.find("a.mtl:3: expected a number instead of '"), std::string::npos) << bad << ": " << what;
  }
  for (std::string good :
       {"Kd spectral a.rfl 1", "Kd 0.5 0.5 0.5 # gray", "d -halo 0.5", "Kd 1.#IND 0 0", "Kd"}) {
    folder.write("a.mtl", "newmtl x\n" + good + "\n");
    EXPECT_EQ(error("mtllib a.mtl\nusemtl x\n" + kSquare + "f 1 2 3\n"), "") << good;
  }
}

class ObjTextures : public Obj {
 protected:
  // Reads a textured triangle with the material of these lines.
  scene::Scene read_with(const std::string& mtl) {
    folder.write("a.mtl", "newmtl m\n" + mtl + "\n");
    return read("mtllib a.mtl\nusemtl m\n" + kSquare + kUv + kTriangle);
  }

  void SetUp() override {
    folder.write("textures/Wall 1.png", png(2, 1, {{10, 20, 30, 255}, {40, 50, 60, 255}}));
    folder.write("leaf.png", png(2, 1, {{1, 2, 3, 0}, {4, 5, 6, 200}}));
    folder.write("mask.png", png(1, 2, {{255, 255, 255, 255}, {0, 0, 0, 255}}));
  }
};

TEST_F(ObjTextures, ATextureIsMultipliedByItsColorUnlessThatIsBlack) {
  using Color = std::array<float, 4>;
  scene::Scene scene = read_with("Kd 1 1 0\nmap_Kd -clamp on Textures\\wall 1.PNG");
  ASSERT_EQ(scene.images.size(), 1u);
  EXPECT_EQ(scene.images[0].pixels[1], (scene::Rgba8{40, 50, 60, 255}));
  EXPECT_EQ(scene.materials[0].image, 0u);
  EXPECT_EQ(scene.materials[0].base_color, (Color{1, 1, 0, 1}));
  EXPECT_EQ(scene.materials[0].wrap_u, scene::Wrap::Clamp);
  EXPECT_EQ(scene.materials[0].alpha_cutoff, 0);
  EXPECT_EQ(read_with("Kd 0 0 0\nmap_Kd leaf.png").materials[0].base_color, (Color{1, 1, 1, 1}));
  EXPECT_EQ(read_with("map_Kd leaf.png").materials[0].base_color, (Color{1, 1, 1, 1}));
  EXPECT_EQ(read_with("map_Kd leaf.png").materials[0].alpha_cutoff, 0);
  EXPECT_EQ(read_with("Kd 0 0 0").materials[0].base_color, (Color{0, 0, 0, 1}));
}

TEST_F(ObjTextures, OpacityMapsBecomeAlpha) {
  scene::Scene scene = read_with("map_Kd textures/Wall 1.png\nmap_d leaf.png");
  ASSERT_EQ(scene.images.size(), 1u);
  EXPECT_EQ(scene.images[0].pixels, (std::vector<scene::Rgba8>{{10, 20, 30, 0}, {40, 50, 60, 200}}));
  EXPECT_EQ(scene.materials[0].alpha_cutoff, 0.5f);
  scene = read_with("Kd 1 0 0\nmap_d mask.png\nd 0.75");
  EXPECT_EQ(scene.images[0].pixels, (std::vector<scene::Rgba8>{{255, 255, 255, 255}, {255, 255, 255, 0}}));
  EXPECT_EQ(scene.materials[0].base_color, (std::array<float, 4>{1, 0, 0, 0.75f}));
  scene = read_with("map_Kd textures/Wall 1.png\nmap_d mask.png");
  EXPECT_EQ(scene.images[0].pixels, (std::vector<scene::Rgba8>{{10, 20, 30, 0}, {40, 50, 60, 0}}));
}

TEST_F(ObjTextures, ATextureWithAndWithoutMaskIsTwoImages) {
  folder.write(
      "a.mtl",
      "newmtl a\nmap_Kd leaf.png\nnewmtl b\nmap_Kd leaf.png\nmap_d mask.png\nnewmtl c\nmap_Kd leaf.png\n");
  scene::Scene scene =
      read("mtllib a.mtl\n" + kSquare + "usemtl a\nf 1 2 3\nusemtl b\nf 1 2 3\nusemtl c\nf 1 2 3\n");
  ASSERT_EQ(scene.images.size(), 2u);
  EXPECT_EQ(scene.materials[0].image, scene.materials[2].image);
  EXPECT_EQ(scene.images[scene.materials[0].image].pixels[1], (scene::Rgba8{4, 5, 6, 200}));
  EXPECT_EQ(scene.images[scene.materials[1].image].pixels[1], (scene::Rgba8{4, 5, 6, 0}));
}

TEST_F(ObjTextures, ADamagedTextureLeavesTheColor) {
  folder.write("bad.png", "no picture");
  testing::internal::CaptureStderr();
  scene::Scene scene = read_with("Kd 0 0 0\nmap_Kd bad.png\nmap_d bad.png");
  EXPECT_NE(testing::internal::GetCapturedStderr().find("bad.png"), std::string::npos);
  EXPECT_TRUE(scene.images.empty());
  EXPECT_EQ(scene.materials[0].image, scene::kNone);
  EXPECT_EQ(scene.materials[0].base_color, (std::array<float, 4>{0, 0, 0, 1}));
  EXPECT_EQ(scene.materials[0].alpha_cutoff, 0);
}

TEST_F(ObjTextures, ScaleAndOffsetMoveTheTextureCoordinatesOfTheirMaterialAlone) {
  folder.write("a.mtl", "newmtl a\nmap_Kd leaf.png\nnewmtl b\nmap_Kd -s 2 4 -o 0.5 -0.25 leaf.png\n");
  scene::Scene scene = read("mtllib a.mtl\n" + kSquare + kUv + "usemtl a\n" + kTriangle + "usemtl b\n" +
                            kTriangle + kTriangle);
  auto uv = [&](size_t triangle) { return scene.texcoords[scene.triangles[triangle].texcoord[2]]; };
  EXPECT_EQ(uv(0), (Vec2f{0.25f, 0.875f}));
  EXPECT_EQ(uv(1), (Vec2f{0.25f * 2 + 0.5f, 1 - (0.125f * 4 - 0.25f)}));
  EXPECT_EQ(scene.triangles[1].texcoord, scene.triangles[2].texcoord);
  EXPECT_EQ(scene.texcoords.size(), 6u);
}

const std::string kEverything =
    "mtllib a.mtl\no x\nv 0 0 0\nv 1 0 0 1 0.5 0\nv 1 1 0\nv 0.25 0.25 0\nvt 0 0\nvt 1 1\nvt 0 1\nvn 0 0 1\n"
    "usemtl m\nf 1/1/1 2/2/1 3/3/1 4/1/1\nusemtl n\nf -4//1 -3//1 \\\n -2//1\ns 1\nf 1/-3 2/-2 3/-1\n";

TEST_F(ObjTextures, FlippedBytesGiveAnErrorOrASoundScene) {
  const std::string materials =
      "newmtl m\nKd 1 0.5 0\nd 0.5\nmap_Kd -s 2 2 -o 1 1 leaf.png\nmap_d mask.png\nnewmtl n\nTr 0.5\nmap_Kd "
      "-clamp on mask.png\n";
  folder.write("a.mtl", materials);
  expect_flips_to_be_harmless(kEverything, folder.path() / "a.obj", read_obj);
  folder.write("a.obj", kEverything);
  expect_flips_to_be_harmless(
      materials, folder.path() / "a.mtl",
      [&](const auto&, const auto&) { return read_obj(folder.path() / "a.obj"); }, 200);
}

TEST_F(Obj, EveryTruncationGivesAnErrorOrASoundScene) {
  folder.write("a.mtl", "newmtl m\n");
  for (size_t size = 1; size < kEverything.size(); ++size) {
    QuietLog quiet;
    try {
      EXPECT_TRUE(is_sound(read(kEverything.substr(0, size))));
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("a.obj"), std::string::npos);
    }
  }
}

TEST_F(Obj, TrianglesAreThoseThatAssimpReads) {
  std::string text = "# made here\n";
  for (int i = 0; i < 500; ++i)
    text += fmt::format("v {} {}e-1 {}\nvt {} {}\nvn 0 0 1\n", i / 8.0, i * 5 % 64 * 10, -i % 7, i / 512.0,
                        i % 16 / 16.0);
  for (int i = 1; i < 497; ++i)
    text += i % 3 == 0   ? fmt::format("f {0}/{0} {1}/{1} {2}/{2}\n", i, i + 1, i + 3)
            : i % 3 == 1 ? fmt::format("f {0}/{0}/{0} {1}/{1}/{1} {2}/{2}/{2}\n", i, i + 2, i + 3)
                         : fmt::format("f {0}/{0} -{1}/-{1} \\\n-1/-1\n", i, 501 - i);
  auto file = folder.write("a.obj", text);
  expect_same_soup(soup_of(read_obj(file)), assimp_soup(file), 0);
}

TEST_F(Obj, SharedModelsAreThoseThatAssimpReads) {
  auto files = shared_models(".obj");
  if (files.empty()) GTEST_SKIP() << "no shared models";
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename().string());
    scene::Scene scene = read_obj(file);
    ASSERT_TRUE(is_sound(scene));
    expect_same_soup(soup_of(scene), assimp_soup(file), 1e-6 * largest_coordinate(scene));
  }
}

}  // namespace
}  // namespace vox
