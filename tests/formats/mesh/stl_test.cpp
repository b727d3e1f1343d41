#include <gtest/gtest.h>

#include <cstring>

#include "formats/mesh/mesh.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

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

}  // namespace
}  // namespace vox
