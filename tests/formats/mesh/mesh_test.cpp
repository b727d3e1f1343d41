// All formats of meshes: their materials and units, and objects that are kept apart.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "formats/mesh/mesh.h"
#include "formats/mesh/obj.h"
#include "tests/formats/mesh/gltf_builder.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

const std::string kObj = "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n";
const std::string kPly =
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
    "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n1 1 0\n3 0 1 2\n";
const std::string kStl =
    "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet\n"
    "endsolid a\n";
const std::string kOff = "OFF\n3 1 0\n0 0 0\n1 0 0\n1 1 0\n3 0 1 2\n";

std::string glb() {
  GltfBuilder gltf;
  gltf.add_square("{}");
  return gltf.glb();
}

std::string mesh_error(const std::filesystem::path& path) {
  return error_of([&] { read_mesh(path); });
}

TEST(ReadMesh, ExtensionsInAnyLetterCaseChooseTheReader) {
  TestFolder folder;
  EXPECT_EQ(read_mesh(folder.write("a.obj", kObj)).triangles.size(), 1u);
  EXPECT_EQ(read_mesh(folder.write("a.OBJ", kObj)).triangles.size(), 1u);
  EXPECT_EQ(read_mesh(folder.write("a.Ply", kPly)).triangles.size(), 1u);
  EXPECT_EQ(read_mesh(folder.write("a.STL", kStl)).triangles.size(), 1u);
  EXPECT_EQ(read_mesh(folder.write("a.OFF", kOff)).triangles.size(), 1u);
  EXPECT_EQ(read_mesh(folder.write("a.Glb", glb())).triangles.size(), 2u);
}

TEST(ReadMesh, UnknownNamesAreReadByTheirContent) {
  TestFolder folder;
  EXPECT_EQ(read_mesh(folder.write("ply file", kPly)).triangles.size(), 1u);
  EXPECT_EQ(read_mesh(folder.write("stl.download", kStl)).triangles.size(), 1u);
  EXPECT_EQ(read_mesh(folder.write("shape.txt", kOff)).triangles.size(), 1u);
  EXPECT_EQ(read_mesh(folder.write("model", glb())).triangles.size(), 2u);
}

TEST(ReadMesh, SizesThatNoOneMeansAreWarnedOfInEveryFormat) {
  TestFolder folder;
  auto warning = [&](const std::string& name, const std::string& content) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(read_mesh(folder.write(name, content)).triangles.size(), 1u);
    return testing::internal::GetCapturedStderr();
  };
  for (const auto& [name, good] :
       {std::pair{"a.obj", kObj}, {"a.ply", kPly}, {"a.stl", kStl}, {"a.off", kOff}}) {
    auto with_ones_as = [&, good = good](const std::string& number) {
      std::string text = good;
      const size_t at = text.find("1 1 0");
      return text.replace(at, 1, number);
    };
    EXPECT_EQ(warning(name, good), "");
    EXPECT_EQ(warning(name, with_ones_as("1e14")), "");
    EXPECT_NE(warning(name, with_ones_as("2e15")).find(std::string(name) + ": the scene is 2e+15 wide"),
              std::string::npos);
  }
  EXPECT_NE(warning("b.obj", "v 0 0 0\nv 1e-44 0 0\nv 0 2.8e-45 0\nf 1 2 3\n")
                .find("b.obj: no coordinate is larger than 1e-44"),
            std::string::npos);
  EXPECT_EQ(warning("b.obj", "v 0 0 0\nv 1e-20 0 0\nv 0 1e-44 0\nf 1 2 3\n"), "");
}

TEST(ReadMesh, WhatIsNoMeshFileIsNamed) {
  TestFolder folder;
  std::string at = folder.path().string();
  EXPECT_EQ(mesh_error(at + "/none.obj"), at + "/none.obj: no such file");
  EXPECT_EQ(mesh_error(at), at + ": is a directory");
  folder.write("empty.obj", "");
  EXPECT_EQ(mesh_error(at + "/empty.obj"), at + "/empty.obj: the file is empty");
  folder.write("scene.h5", "\x89HDF\r\n\x1a\n and so on");
  EXPECT_EQ(mesh_error(at + "/scene.h5"),
            at + "/scene.h5: this is an HDF5 file, such as a scene file, not a mesh");
  folder.write("text.txt", "just text");
  EXPECT_TRUE(
      mesh_error(at + "/text.txt").starts_with(at + "/text.txt: not a supported mesh file (supported: OBJ,"))
      << mesh_error(at + "/text.txt");
}

const std::string kVertices = "0 0 0\n2 0 0\n2 2 0\n0 2 0\n1 1 1\n";
const std::string kFaces = "4 0 1 2 3\n3 0 1 4\n";
const std::string kBody = "5 2 0\n" + kVertices + kFaces;

class Off : public testing::Test {
 protected:
  scene::Scene read(const std::string& text) { return read_off(folder.write("a.off", text)); }

  void expect_refused(const std::string& text, const std::string& reason) {
    const std::string error = error_of([&] { read(text); });
    EXPECT_NE(error.find(reason), std::string::npos) << "'" << error << "' instead of '" << reason << "'";
  }

  TestFolder folder;
};

TEST_F(Off, FilesAreThoseThatAssimpReads) {
  const std::filesystem::path file = folder.write("a.off", "OFF\n" + kBody);
  expect_same_soup(soup_of(read_off(file)), assimp_soup(file), 0);
  EXPECT_TRUE(is_sound(read_off(file)));
}

TEST_F(Off, TheFirstWordMayBeWrittenInManyWays) {
  const auto expected = soup_of(read("OFF\n" + kBody));
  ASSERT_EQ(expected.size(), 3u);
  for (const std::string& text :
       {kBody, "OFF " + kBody, "OFF" + kBody, "# by hand\n\nOFF # here\n# counts\n" + kBody,
        "\xef\xbb\xbfOFF\r" + kBody, "OFF\n5 2\n" + kVertices + kFaces,
        "OFF\n5 2 0 # counts\n" + kVertices + "# faces\n\n" + kFaces})
    expect_same_soup(soup_of(read(text)), expected, 0);
}

TEST_F(Off, LinesMayEndAsOnAnySystem) {
  const auto expected = soup_of(read("OFF\n" + kBody));
  for (std::string end : {"\r\n", "\r"}) {
    std::string text;
    for (char c : "OFF\n" + kBody) c == '\n' ? text += end : text += c;
    expect_same_soup(soup_of(read(text)), expected, 0);
  }
}

TEST_F(Off, VerticesMayHaveNormalsColorsAndTextureCoordinates) {
  const std::string faces = "3 0 1 2\n";
  const scene::Scene bytes = read("COFF\n3 1 0\n0 0 0 255 0 1 128\n1 0 0 1 1 1 255\n0 1 0 0 0 0 0\n" + faces);
  EXPECT_EQ(bytes.colors, (std::vector<scene::Rgba8>{{255, 0, 1, 128}, {1, 1, 1, 255}, {0, 0, 0, 0}}));
  EXPECT_EQ(bytes.materials.at(0).base_color, (std::array<float, 4>{1, 1, 1, 1}));
  const scene::Scene shares = read("COFF\n3 1 0\n0 0 0 1 0 0.5\n1 0 0 1 1 1\n0 1 0 0 0 0\n" + faces);
  EXPECT_EQ(shares.colors,
            (std::vector<scene::Rgba8>{{255, 0, 128, 255}, {255, 255, 255, 255}, {0, 0, 0, 255}}));
  const scene::Scene all = read(
      "STCNOFF\n3 1 0\n0 0 0 0 0 1 9 8 7 0.5 0.5\n1 0 0 0 0 1 6 5 4 0 0\n0 1 0 0 0 1 3 2 1 1 1\n" + faces);
  EXPECT_EQ(all.positions, (std::vector<Vec3d>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
  EXPECT_EQ(all.colors, (std::vector<scene::Rgba8>{{9, 8, 7, 255}, {6, 5, 4, 255}, {3, 2, 1, 255}}));
  EXPECT_EQ(read("NOFF\n3 1 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n" + faces).positions, all.positions);
  EXPECT_EQ(read("STOFF\n3 1 0\n0 0 0 0 0.5\n1 0 0 0 1\n0 1 0 0 0\n" + faces).positions, all.positions);
}

TEST_F(Off, ColorsOfFacesBecomeMaterials) {
  const scene::Scene scene =
      read("OFF\n5 6 0\n" + kVertices +
           "3 0 1 2 255 0 0\n3 0 1 3 0 255 0 100\n3 0 1 4\n3 1 2 3 255 0 0 # again\n3 1 2 4 7\n2 0 1\n");
  ASSERT_EQ(scene.triangles.size(), 5u);
  ASSERT_EQ(scene.materials.size(), 3u);
  EXPECT_TRUE(scene.colors.empty());
  const scene::Material& red = scene.materials[scene.triangles[0].material];
  EXPECT_EQ(red.name, "#ff0000");
  EXPECT_EQ(red.base_color, (std::array<float, 4>{1, 0, 0, 1}));
  EXPECT_EQ(scene.triangles[3].material, scene.triangles[0].material);
  EXPECT_EQ(scene.materials[scene.triangles[1].material].alpha_cutoff, 0.5f);
  EXPECT_EQ(scene.materials[scene.triangles[2].material].name, "default");
  EXPECT_EQ(scene.triangles[4].material, scene.triangles[2].material);  // its color map is unknown
}

TEST_F(Off, ConcaveFacesAreCoveredOnce) {
  const scene::Scene scene = read("OFF\n5 1 0\n0 0 0\n4 0 0\n4 4 0\n3 1 0\n0 4 0\n5 0 1 2 3 4\n");
  double area = 0;
  for (const SoupTriangle& t : soup_of(scene))
    area += std::abs((t[1].x - t[0].x) * (t[2].y - t[0].y) - (t[2].x - t[0].x) * (t[1].y - t[0].y)) / 2;
  EXPECT_EQ(area, 10);
  EXPECT_EQ(scene.triangles.size(), 3u);
}

TEST_F(Off, WhatIsWrongIsNamedWithItsLine) {
  expect_refused("solid\n", "a.off:1: not an OFF mesh");
  expect_refused("OFF BINARY\n" + kBody, "a.off:1: binary OFF is not supported");
  expect_refused("4OFF\n" + kBody, "a.off:1: 4OFF is not supported");
  expect_refused("STnOFF\n3\n" + kBody, "a.off:1: STnOFF is not supported");
  expect_refused("OFF\nfive 2 0\n", "a.off:2: expected the number of vertices instead of 'five'");
  expect_refused("OFF\n-5 2 0\n" + kVertices, "expected the number of vertices instead of '-5'");
  expect_refused("OFF\n5 2 0 7\n" + kVertices, "a.off:2: expected the end of the line");
  expect_refused("OFF\n5 2 0\n0 0\n" + kVertices, "a.off:3: expected a number instead of ''");
  expect_refused("OFF\n5 2 0\n0 0 3.1+e2\n" + kVertices + kFaces,
                 "a.off:3: expected a number instead of '3.1+e2'");
  expect_refused("OFF\n5 2 0\n0 0 0 1 2 3\n" + kVertices + kFaces, "a.off:3: a vertex has 3 numbers beyond");
  expect_refused("OFF\n5 2 0\n" + kVertices + "3 0 1 5\n3 0 1 2\n",
                 "a.off:8: the face refers to vertex 5, but 5 are");
  expect_refused("OFF\n5 2 0\n" + kVertices + "3 0 1 -1\n3 0 1 2\n",
                 "a.off:8: expected a corner instead of '-1'");
  expect_refused("OFF\n5 2 0\n" + kVertices + "4 0 1 2\n3 0 1 2\n",
                 "a.off:8: expected a corner instead of ''");
  expect_refused("OFF\n5 2 0\n" + kVertices + "3 0 1 2\n", "a.off: the file ends after 1 of 2 faces");
  expect_refused("OFF\n3 4\n0.1 0.2 0.3\n0.2 0.3 0.4\n0.3 0.4 0.5\n0\n220\n4\n", "expected a corner");
}

TEST_F(Off, CountsThatCannotFitIntoTheFileTakeNoMemory) {
  for (const char* counts :
       {"350000000000 12 0", "5 18446744073709551615 0", "9223372036854775808 1 0", "20 40 0"})
    expect_refused(fmt::format("OFF\n{}\n", counts) + kVertices + kFaces, "cannot fit into the file");
  expect_refused("OFF\n5 1 0\n" + kVertices + "4000000000 0 1 2\n", "expected a corner");
}

TEST_F(Off, FlippedBytesGiveAnErrorOrASoundScene) {
  expect_flips_to_be_harmless(
      "COFF\n3 1 0\n0 0 0 255 0 1 128\n1 0 0 1 1 1 255\n0 1 0 0 0 0 0\n3 0 1 2 1 0 0\n",
      folder.path() / "a.off", read_off);
}

std::string bytes_of(auto value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string binary_stl(uint32_t promised, uint32_t written, const std::string& title = "title") {
  std::string file = title;
  file.resize(80, ' ');
  file += bytes_of(promised);
  for (uint32_t i = 0; i < written; ++i) {
    for (uint32_t k = 0; k < 12; ++k)
      file += bytes_of(static_cast<float>(i) + 0.1f * static_cast<float>(k * k));
    file += std::string(2, '\0');
  }
  return file;
}

const char* const kText =
    "solid a vertex of things\n"
    "  facet normal 0 0 1\n    outer loop\n"
    "      vertex 0 0 0\n      vertex 1.5 0 0\n\tvertex 0 -2.5e-1 0.1\n"
    "    endloop\n  endfacet\n"
    "facet normal 0 0 1\r\nouter loop\r\nvertex 1 0 0\r\nvertex 1 1 0\r\nvertex 0 1 "
    "0\r\nendloop\r\nendfacet\r\n"
    "endsolid a\n";

TEST(Stl, BinaryTrianglesAreThoseThatAssimpReads) {
  TestFolder folder;
  auto file = folder.write("a.stl", binary_stl(40, 40));
  scene::Scene scene = read_stl(file);
  ASSERT_EQ(scene.triangles.size(), 40u);
  EXPECT_TRUE(is_sound(scene));
  EXPECT_EQ(scene.positions[scene.triangles[2].position[1]].y, double{2 + 0.1f * 49});
  expect_same_soup(soup_of(scene), assimp_soup(file), 0);
}

TEST(Stl, ABinaryFileMayStartWithSolid) {
  TestFolder folder;
  EXPECT_EQ(read_stl(folder.write("a.stl", binary_stl(3, 3, "solid vertex 1 2 3\n"))).triangles.size(), 3u);
}

TEST(Stl, TextTrianglesAreThoseThatAssimpReads) {
  TestFolder folder;
  auto file = folder.write("a.stl", kText);
  scene::Scene scene = read_stl(file);
  ASSERT_EQ(scene.triangles.size(), 2u);
  EXPECT_EQ(scene.positions[2], (Vec3d{0, -0.25, 0.1}));
  expect_same_soup(soup_of(scene), assimp_soup(file), 1e-7);
}

TEST(Stl, AFileShorterThanItsHeaderPromisesIsAnError) {
  TestFolder folder;
  for (uint32_t promised : {4u, 1000u, UINT32_MAX}) {
    auto file = folder.write("short.stl", binary_stl(promised, 3));
    std::string error = error_of([&] { read_stl(file); });
    EXPECT_NE(error.find("short.stl: a binary STL of " + std::to_string(promised)), std::string::npos)
        << error;
  }
  EXPECT_NE(error_of([&] { read_stl(folder.write("tiny.stl", "abc")); }), "");
  EXPECT_NE(error_of([&] { read_stl(folder.write("solid.stl", "solid nothing\nendsolid\n")); }), "");
}

TEST(Stl, ErrorsInTextNameTheLine) {
  TestFolder folder;
  auto error = [&](const std::string& text) {
    return error_of([&] { read_stl(folder.write("a.stl", text)); });
  };
  EXPECT_NE(error("solid\nvertex 1 2\n").find("a.stl:2: 'vertex' needs three numbers"), std::string::npos);
  EXPECT_NE(error("solid\nvertex 1 2 x\n").find("a.stl:2:"), std::string::npos);
  EXPECT_NE(error("solid\nvertex 1 2 3\nendloop\n").find("a.stl:3: a loop of 1 corners"), std::string::npos);
  EXPECT_NE(error("solid\nvertex 1 2 3\n").find("ends inside a loop"), std::string::npos);
}

TEST(Stl, FlippedBytesGiveAnErrorOrASoundScene) {
  TestFolder folder;
  expect_flips_to_be_harmless(kText, folder.path() / "a.stl", read_stl);
  expect_flips_to_be_harmless(binary_stl(5, 5, "solid"), folder.path() / "b.stl", read_stl, 200);
}

std::string warning_of(const TextureFiles& files) {
  testing::internal::CaptureStderr();
  files.warn_of_missing();
  return testing::internal::GetCapturedStderr();
}

TEST(TextureFiles, LookBesideTheMeshFirstThenInEachFolderInTurn) {
  TestFolder folder;
  for (const char* name : {"mesh/a.png", "one/a.png", "one/b.png", "two/b.png", "two/textures/c.png"})
    folder.write(name, "x");
  const std::filesystem::path& at = folder.path();
  TextureFiles files(at / "mesh/m.obj", {.texture_paths = {at / "one", at / "two"}});
  EXPECT_EQ(files.find("a.png"), at / "mesh/a.png");
  EXPECT_EQ(files.find("textures\\B.png"), at / "one/b.png");
  EXPECT_EQ(files.find("C:\\art\\textures\\c.png"), at / "two/textures/c.png");
  EXPECT_EQ(files.find("b.png", at / "two"), at / "two/b.png");
  EXPECT_EQ(warning_of(files), "");
}

TEST(TextureFiles, WarnOnceOfAllThatIsMissing) {
  TestFolder folder;
  TextureFiles files(folder.path() / "m.obj", {});
  for (const char* name : {"b.png", "a.png", "b.png"}) EXPECT_FALSE(files.find(name));
  EXPECT_NE(warning_of(files).find("m.obj: 2 textures not found: b.png, a.png; the material's color"),
            std::string::npos)
      << warning_of(files);
  for (int i = 0; i < 10; ++i) files.find(std::to_string(i));
  EXPECT_NE(warning_of(files).find("12 textures not found: b.png, a.png, 0, 1, 2, …;"), std::string::npos)
      << warning_of(files);
}

TEST(Mtl, MapsHaveOptionsAndNamesWithSpaces) {
  auto map = [](const std::string& line) {
    return parse_mtl("newmtl a\nmap_Kd " + line + "\n", "a.mtl").at(0).color_map;
  };
  EXPECT_EQ(map("My Wall\\brick 01.png  "), (MtlMap{.file = "My Wall\\brick 01.png"}));
  EXPECT_EQ(map("-o 0.5 -s 2 3 1 -clamp on wall.png"),
            (MtlMap{.file = "wall.png", .scale = {2, 3}, .offset = {0.5, 0}, .clamp = true}));
  EXPECT_EQ(
      map("-blendu on -blendv off -bm 0.3 -mm 0 1 -imfchan l -texres 512 -t 1 2 3 -cc off -boost 2 a b.png"),
      (MtlMap{.file = "a b.png"}));
  EXPECT_EQ(map("-s 1 2 3 4"), (MtlMap{.file = "4", .scale = {1, 2}}));
  EXPECT_EQ(map("-o 7"), (MtlMap{.file = "7"}));
  EXPECT_EQ(map("-leaf.png"), (MtlMap{.file = "-leaf.png"}));
  EXPECT_EQ(map("\"quoted name.png\""), (MtlMap{.file = "quoted name.png"}));
  EXPECT_EQ(map("-clamp off \\\n joined.png"), (MtlMap{.file = "joined.png"}));
}

// Objects of meshes are kept apart if that is asked for.

class Objects : public testing::Test {
 protected:
  // Returns object and material of each triangle: "lid/wood".
  std::vector<std::string> objects_of(const std::string& file) const {
    const scene::Scene scene = read_mesh(folder_.path() / file, {.objects = MeshObjects::Apart});
    std::vector<std::string> names;
    for (const scene::Triangle& triangle : scene.triangles) {
      const scene::Material& material = scene.materials[triangle.material];
      names.push_back(material.object + "/" + material.name);
    }
    return names;
  }

  TestFolder folder_;
};

constexpr const char* kCorners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

TEST_F(Objects, OfAnObjFileFollowItsLines) {
  folder_.write(
      "a.obj", std::string(kCorners) +
                   "f 1 2 3\no lid top\nusemtl wood\nf 1 2 3\ng inner\nf 2 3 1\no box\nf 1 3 2\nusemtl iron\n"
                   "f 1 2 3\no lid top\nf 3 2 1\n");
  EXPECT_EQ(objects_of("a.obj"), (std::vector<std::string>{"a/default", "lid top/wood", "lid top/wood",
                                                           "box/wood", "box/iron", "lid top/iron"}));
  const scene::Scene joined = read_mesh(folder_.path() / "a.obj");
  EXPECT_EQ(joined.materials.size(), 3u);
  EXPECT_EQ(read_mesh(folder_.path() / "a.obj", {.objects = MeshObjects::Apart}).materials.size(), 5u);
}

TEST_F(Objects, OfAnObjFileWithGroupsAloneAreTheGroups) {
  folder_.write("a.obj", std::string(kCorners) + "g one\nf 1 2 3\ng two\nf 1 2 3\n");
  EXPECT_EQ(objects_of("a.obj"), (std::vector<std::string>{"one/default", "two/default"}));
}

TEST_F(Objects, OfAFileWithoutAnyAreTheFile) {
  folder_.write("plate.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
  EXPECT_EQ(objects_of("plate.off").at(0).substr(0, 6), "plate/");
}

TEST_F(Objects, OfAGltfFileAreNodesOrMeshesWithoutANodesName) {
  GltfBuilder builder;
  builder.add("meshes", R"({"name":"square","primitives":[)" + builder.square("0") + "]}");
  builder.add("nodes", R"({"mesh":0,"name":"left","children":[1]})");
  builder.add("nodes", R"({"mesh":0,"translation":[2,0,0]})");
  builder.add("materials", R"({"name":"paint"})");
  folder_.write("a.glb", builder.glb());
  EXPECT_EQ(objects_of("a.glb"),
            (std::vector<std::string>{"left/paint", "left/paint", "square/paint", "square/paint"}));
}

}  // namespace
}  // namespace vox
