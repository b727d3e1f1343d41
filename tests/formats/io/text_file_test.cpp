#include "formats/io/text_file.h"

#include <gtest/gtest.h>

#include "formats/mesh/mesh.h"
#include "tests/formats/mesh/asset_files.h"
#include "tests/formats/mesh/encodings.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

using namespace std::string_literals;

std::string text_of(const std::string& bytes) {
  TestFolder folder;
  return std::string(TextFile(folder.write("a.txt", bytes)).text());
}

TEST(TextFile, IsUtf8WhateverTheFileIs) {
  const std::string umlaut = "x\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";  // ä, the euro sign and a smiling face
  EXPECT_EQ(text_of(umlaut), umlaut);
  EXPECT_EQ(text_of(kUtf8Mark + umlaut), umlaut);
  EXPECT_EQ(text_of("\xff\xfex\0\xe4\0\xac\x20\x3d\xd8\x00\xde"s), umlaut);
  EXPECT_EQ(text_of("\xfe\xff\0x\0\xe4\x20\xac\xd8\x3d\xde\x00"s), umlaut);
  EXPECT_EQ(text_of("x\0\xe4\0"s), "x\xc3\xa4");
  EXPECT_EQ(text_of("\0x\0\xe4"s), "x\xc3\xa4");
  EXPECT_EQ(text_of("caf\xe9"), "caf\xe9");  // text with one byte for each character stays unchanged
}

TEST(TextFile, WhatCannotBeConvertedIsNamed) {
  auto message = [](const std::string& bytes) { return error_of([&] { text_of(bytes); }); };
  EXPECT_NE(message("\xff\xfex\0y"s).find("a.txt: UTF-16 text with an odd number of bytes"),
            std::string::npos);
  EXPECT_NE(message("\xff\xfex\0\x3d\xd8"s).find("incomplete character at byte 2"), std::string::npos);
  EXPECT_NE(message("\xff\xfe\0\0x\0\0\0"s).find("UTF-32"), std::string::npos);
}

TEST(TextFile, MeshesAreReadInEveryEncoding) {
  const std::string mtl = "newmtl x\nKd 1 0 0\n";
  const std::string obj = "mtllib a.mtl\nusemtl x\nv 0 0 0\nv 1 0 0\nv 1 1 7\nf 1 2 3\n";
  auto expect_read = [&](const std::string& bytes, const std::string& mtl_bytes) {
    TestFolder folder;
    folder.write("a.mtl", mtl_bytes);
    const scene::Scene scene = read_obj(folder.write("a.obj", bytes));
    ASSERT_EQ(scene.triangles.size(), 1u);
    EXPECT_EQ(scene.positions.at(2), (Vec3d{1, 1, 7}));
    EXPECT_EQ(scene.materials.at(0).base_color, (std::array<float, 4>{1, 0, 0, 1}));
  };
  expect_read(obj, mtl);
  expect_read(kUtf8Mark + obj, kUtf8Mark + mtl);
  expect_read(kUtf16LittleMark + utf16(obj, false), kUtf16LittleMark + utf16(mtl, false));
  expect_read(kUtf16BigMark + utf16(obj, true), utf16(mtl, true));
  TestFolder folder;
  const std::string stl =
      "solid a\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 7\nendloop\nendsolid a\n";
  EXPECT_EQ(read_stl(folder.write("a.stl", kUtf16LittleMark + utf16(stl, false))).positions.at(2),
            (Vec3d{1, 1, 7}));
}

// Without the removal of the byte order mark, the line of the first vertex would be unknown and the numbers
// of all other vertices would shift.
TEST(TextFile, AMarkBeforeTheFirstVertexIsNoPartOfIt) {
  TestFolder folder;
  const std::string obj = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 5 5 5\nf 1 2 3\n";
  EXPECT_EQ(soup_of(read_obj(folder.write("a.obj", kUtf8Mark + obj))).at(0).at(0).x, 0);
}

}  // namespace
}  // namespace vox
