#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "formats/mesh/mesh.h"
#include "formats/points/points.h"
#include "tests/common/test_process.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

enum class Order { Little, Big };

std::string bytes_of(auto value, Order order) {
  std::string bytes(reinterpret_cast<const char*>(&value), sizeof value);
  if (order == Order::Big) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

// A square and a triangle, with elements and properties in an unusual order.
const std::string kOddHeader =
    "comment made by hand\nobj_info nothing\n"
    "element edge 2\nproperty int vertex1\nproperty list uchar short weights\n"
    "element vertex 5\nproperty uchar blue\nproperty double z\nproperty list ushort int neighbors\n"
    "property float y\nproperty short x\nproperty uchar red\nproperty uchar green\n"
    "element face 2\nproperty int16 flags\nproperty list uint8 uint vertex_index\nproperty float quality\n"
    "end_header\n";

std::string odd_text() {
  return "ply\nformat ascii 1.0\n" + kOddHeader +
         "7 2 -1 5\n8 0\n"
         "30 0.5 0 0 0 10 20\n31 0.5 2 4 4 0 3 11 21\n32 0.5 1 9 2.5 3 12 22\n33 0.5 0 2.5 0 13 23\n"
         "34 -1e-1 0 0 -1 14 24\n"
         "1 4 0 1 2 3 0.5\n-2 3 0 3 4 1\n";
}

std::string odd_binary(Order order) {
  auto b = [order](auto value) { return bytes_of(value, order); };
  std::string file = "ply\nformat ";
  file += order == Order::Little ? "binary_little_endian" : "binary_big_endian";
  file += " 1.0\n" + kOddHeader;
  file += b(7) + b(uint8_t{2}) + b(int16_t{-1}) + b(int16_t{5}) + b(8) + b(uint8_t{0});
  auto vertex = [&](int i, double z, std::vector<int> neighbors, float y, int x) {
    file += b(static_cast<uint8_t>(30 + i)) + b(z) + b(static_cast<uint16_t>(neighbors.size()));
    for (int neighbor : neighbors) file += b(neighbor);
    file +=
        b(y) + b(static_cast<int16_t>(x)) + b(static_cast<uint8_t>(10 + i)) + b(static_cast<uint8_t>(20 + i));
  };
  vertex(0, 0.5, {}, 0, 0);
  vertex(1, 0.5, {4, 4}, 0, 3);
  vertex(2, 0.5, {9}, 2.5f, 3);
  vertex(3, 0.5, {}, 2.5f, 0);
  vertex(4, -1e-1, {}, 0, -1);
  auto face = [&](int flags, std::vector<uint32_t> corners, float quality) {
    file += b(static_cast<int16_t>(flags)) + b(static_cast<uint8_t>(corners.size()));
    for (uint32_t corner : corners) file += b(corner);
    file += b(quality);
  };
  face(1, {0, 1, 2, 3}, 0.5f);
  face(-2, {0, 3, 4}, 1);
  return file;
}

void expect_odd_mesh(const scene::Scene& scene) {
  ASSERT_TRUE(is_sound(scene));
  EXPECT_EQ(scene.positions,
            (std::vector<Vec3d>{{0, 0, 0.5}, {3, 0, 0.5}, {3, 2.5, 0.5}, {0, 2.5, 0.5}, {-1, 0, -0.1}}));
  ASSERT_EQ(scene.colors.size(), 5u);
  EXPECT_EQ(scene.colors[3], (scene::Rgba8{13, 23, 33, 255}));
  ASSERT_EQ(scene.triangles.size(), 3u);
  EXPECT_EQ(scene.triangles[1].position, (std::array<uint32_t, 3>{0, 2, 3}));
  EXPECT_EQ(scene.triangles[2].position, (std::array<uint32_t, 3>{0, 3, 4}));
}

TEST(Ply, PropertiesOfAnyTypeAndOrderAreReadInText) {
  TestFolder folder;
  expect_odd_mesh(read_ply(folder.write("a.ply", odd_text())));
}

TEST(Ply, PropertiesOfAnyTypeAndOrderAreReadInBothByteOrders) {
  TestFolder folder;
  expect_odd_mesh(read_ply(folder.write("little.ply", odd_binary(Order::Little))));
  expect_odd_mesh(read_ply(folder.write("big.ply", odd_binary(Order::Big))));
}

std::string header(const std::string& format, const std::string& vertex, const std::string& face) {
  return "ply\nformat " + format +
         " 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n" + vertex +
         "element face 1\nproperty list uchar int vertex_indices\n" + face + "end_header\n";
}

TEST(Ply, ColorsMayBeFloatsAndHaveAlpha) {
  TestFolder folder;
  std::string head = header(
      "ascii", "property float red\nproperty float green\nproperty float blue\nproperty float alpha\n", "");
  scene::Scene scene =
      read_ply(folder.write("a.ply", head + "0 0 0 0 0.5 1 1\n1 0 0 2 -1 nan 0\n0 1 0 0 0 0 0\n3 0 1 2\n"));
  EXPECT_EQ(scene.colors[0], (scene::Rgba8{0, 128, 255, 255}));
  EXPECT_EQ(scene.colors[1], (scene::Rgba8{255, 0, 0, 0}));
  EXPECT_EQ(scene.materials[0].base_color, (std::array<float, 4>{1, 1, 1, 1}));
}

TEST(Ply, TextureCoordinatesOfVerticesPointDown) {
  TestFolder folder;
  for (auto [u, v] : {std::pair("s", "t"), {"u", "v"}, {"texture_u", "texture_v"}}) {
    std::string head =
        header("ascii", std::string("property float ") + u + "\nproperty float " + v + "\n", "");
    scene::Scene scene =
        read_ply(folder.write("a.ply", head + "0 0 0 0.25 0.125\n1 0 0 1 0\n0 1 0 0 1\n3 0 1 2\n"));
    EXPECT_EQ(scene.texcoords[scene.triangles[0].texcoord[0]], (Vec2f{0.25f, 0.875f}));
    EXPECT_EQ(scene.texcoords[scene.triangles[0].texcoord[1]], (Vec2f{1, 1}));
  }
}

TEST(Ply, FacesMayHaveTexturesAndTextureCoordinatesOfTheirOwn) {
  TestFolder folder;
  folder.write("Red Wall.png", png(1, 1, {{255, 0, 0, 255}}));
  folder.write("blue.png", png(1, 1, {{0, 0, 255, 255}}));
  std::string file =
      "ply\nformat ascii 1.0\ncomment TextureFile   red wall.png \ncomment TextureFile blue.png\n"
      "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
      "element face 2\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\n"
      "property int texnumber\nend_header\n"
      "0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3 8 0 0 1 0 1 1 0 0.75 0\n3 0 1 2 0 1\n";
  scene::Scene scene = read_ply(folder.write("a.ply", file));
  ASSERT_TRUE(is_sound(scene));
  ASSERT_EQ(scene.triangles.size(), 3u);
  EXPECT_EQ(scene.texcoords[scene.triangles[1].texcoord[2]], (Vec2f{0, 0.25f}));
  EXPECT_EQ(scene.triangles[2].texcoord[0], scene::kNone);
  EXPECT_EQ(scene.images[scene.materials[scene.triangles[0].material].image].pixels[0],
            (scene::Rgba8{255, 0, 0, 255}));
  EXPECT_EQ(scene.images[scene.materials[scene.triangles[2].material].image].pixels[0],
            (scene::Rgba8{0, 0, 255, 255}));
}

TEST(Ply, FacesMayComeBeforeVerticesThatHaveTextureCoordinates) {
  TestFolder folder;
  std::string file =
      "ply\nformat ascii 1.0\nelement face 2\nproperty list uchar int vertex_indices\n"
      "property list uchar float texcoord\nelement vertex 3\nproperty float x\nproperty float y\n"
      "property float z\nproperty float u\nproperty float v\nend_header\n"
      "3 0 1 2 0\n3 0 1 2 6 0 0 0.5 0 1 1\n0 0 0 0.25 1\n1 0 0 1 0\n0 1 0 0 1\n";
  scene::Scene scene = read_ply(folder.write("a.ply", file));
  ASSERT_TRUE(is_sound(scene));
  EXPECT_EQ(scene.texcoords[scene.triangles[0].texcoord[0]], (Vec2f{0.25f, 0}));
  EXPECT_EQ(scene.texcoords[scene.triangles[1].texcoord[1]], (Vec2f{0.5f, 1}));
}

TEST(Ply, AMissingTextureLeavesAColor) {
  TestFolder folder;
  std::string file =
      "ply\nformat ascii 1.0\ncomment TextureFile gone.png" + header("ascii", "", "").substr(20);
  testing::internal::CaptureStderr();
  scene::Scene scene = read_ply(folder.write("a.ply", file + "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("gone.png"), std::string::npos);
  EXPECT_EQ(scene.materials[0].image, scene::kNone);
}

TEST(Ply, StripsBecomeTriangles) {
  TestFolder folder;
  std::string file =
      "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n"
      "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
      "0 0 0\n1 0 0\n0 1 0\n1 1 0\n2 2 2\n8 0 1 2 3 -1 2 3 4\n";
  scene::Scene scene = read_ply(folder.write("a.ply", file));
  ASSERT_EQ(scene.triangles.size(), 3u);
  EXPECT_EQ(scene.triangles[0].position, (std::array<uint32_t, 3>{0, 1, 2}));
  EXPECT_EQ(scene.triangles[1].position, (std::array<uint32_t, 3>{1, 3, 2}));
  EXPECT_EQ(scene.triangles[2].position, (std::array<uint32_t, 3>{2, 3, 4}));
}

TEST(Ply, LinesOfTheHeaderMayEndAsOnAnySystem) {
  TestFolder folder;
  std::string head = header("binary_little_endian", "", "");
  std::string data = bytes_of(1.0f, Order::Little);  // next comes a vertex whose first byte is a line feed
  data = "\n" + data.substr(1);
  for (int i = 1; i < 9; ++i) data += bytes_of(static_cast<float>(i * i), Order::Little);
  data += bytes_of(uint8_t{3}, Order::Little);
  for (int corner : {0, 1, 2}) data += bytes_of(corner, Order::Little);
  for (std::string line_end : {"\n", "\r\n", "\r"}) {
    std::string file;
    for (char c : head) c == '\n' ? file += line_end : file += c;
    scene::Scene scene = read_ply(folder.write("a.ply", file + data));
    ASSERT_EQ(scene.triangles.size(), 1u);
    EXPECT_EQ(scene.positions[2], (Vec3d{36, 49, 64}));
  }
}

TEST(Ply, AHeaderLineWithoutAKnownWordIsSkippedWithOneWarning) {
  std::string head = header("ascii", "", "");
  head.insert(head.find("element"), "Created by Blender3D 247\n");
  TestFolder folder;
  const auto file = folder.write("a.ply", head + "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
  const KeptLog log;
  EXPECT_EQ(ply_points_of(file), PlyPoints::None);
  EXPECT_EQ(read_ply(file).triangles.size(), 1u);
  EXPECT_EQ(log.text(), file.string() + ":3: the header line 'Created by Blender3D 247' is skipped\n");
}

TEST(Ply, ValuesBeyondThePropertiesOfALineArePassedOver) {
  TestFolder folder;
  std::string file = header("ascii", "", "") + "0 0 0 7 7\n1 0\n0\n\n0 1 0 # a note\n3 0 1 2 9 9 9\n";
  scene::Scene scene = read_ply(folder.write("a.ply", file));
  EXPECT_EQ(scene.positions, (std::vector<Vec3d>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
  EXPECT_EQ(scene.triangles[0].position, (std::array<uint32_t, 3>{0, 1, 2}));
}

TEST(Ply, PointsWithoutFacesAreASceneWithoutTriangles) {
  TestFolder folder;
  std::string file =
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float "
      "z\nend_header\n1 2 3";
  scene::Scene scene = read_ply(folder.write("a.ply", file));
  EXPECT_EQ(scene.positions.size(), 1u);
  EXPECT_TRUE(scene.triangles.empty());
}

TEST(Ply, WhatIsWrongIsNamed) {
  TestFolder folder;
  auto expect = [&](const std::string& content, const std::string& message) {
    std::string error = error_of([&] { read_ply(folder.write("a.ply", content)); });
    EXPECT_NE(error.find(message), std::string::npos) << "'" << error << "' instead of '" << message << "'";
  };
  std::string head = header("ascii", "", "");
  expect("solid", "a.ply:1: not a PLY mesh");
  expect("ply\nformat ascii 1.0\n", "no 'end_header'");
  expect("ply\nformat utf8 1.0\n", "a.ply:2: unknown format 'utf8'");
  expect("ply\nend_header\n", "no 'format'");
  expect("ply\nformat ascii 1.0\nelement vertex -3\n", "a.ply:3: '-3' is not a number of elements");
  expect("ply\nformat ascii 1.0\nelement vertex 3\nproperty quad x\n",
         "a.ply:4: unknown property type 'quad'");
  expect("ply\nformat ascii 1.0\nproperty float x\n", "before the first element");
  expect(head + "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "face 0 refers to vertex 3, but 3 are defined");
  expect(head + "0 0 0\n1 0 0\n0 1 0\n3 0 -1 2\n", "face 0 refers to vertex -1");
  expect(head + "0 0 0\n1 0 0\n0 1 zero\n3 0 1 2\n", "expected a number instead of 'zero'");
  expect(head + "0 0 0\n1 0 0\n0 1 0\n3 0 1 ", "ends too early");
  expect(odd_binary(Order::Big).substr(0, odd_binary(Order::Big).size() - 9), "ends too early");
  expect("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n", "no x, y and z");
}

TEST(Ply, CountsThatCannotFitIntoTheFileTakeNoMemory) {
  TestFolder folder;
  for (std::string count : {"1000000000", "18446744073709551615", "4294967296"})
    for (std::string format : {"ascii", "binary_big_endian"}) {
      std::string file = header(format, "", "");
      file.replace(file.find("vertex 3") + 7, 1, count);
      std::string error = error_of([&] { read_ply(folder.write("a.ply", file + "0 0 0\n")); });
      EXPECT_NE(error.find("cannot fit into the file"), std::string::npos) << error;
    }
  std::string huge_list = header("binary_little_endian", "", "");
  huge_list.replace(huge_list.find("uchar int"), 5, "uint");
  EXPECT_NE(error_of([&] { read_ply(folder.write("a.ply", huge_list + std::string(60, '\xff'))); }), "");
}

TEST(Ply, ElementsWithoutPropertiesAreSkippedWhateverTheirCount) {
  TestFolder folder;
  std::string file = header("ascii", "", "");
  file.insert(file.find("end_header"), "element nothing 18446744073709551615\n");
  EXPECT_EQ(read_ply(folder.write("a.ply", file + "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")).triangles.size(), 1u);
}

TEST(Ply, FlippedBytesGiveAnErrorOrASoundScene) {
  TestFolder folder;
  expect_flips_to_be_harmless(odd_text(), folder.path() / "a.ply", read_ply);
  expect_flips_to_be_harmless(odd_binary(Order::Little), folder.path() / "b.ply", read_ply, 200);
  expect_flips_to_be_harmless(odd_binary(Order::Big), folder.path() / "c.ply", read_ply, 200);
}

TEST(Ply, SharedModelsAreThoseThatAssimpReads) {
  auto files = shared_models(".ply");
  if (files.empty()) GTEST_SKIP() << "no shared models";
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename().string());
    scene::Scene scene = read_ply(file);
    ASSERT_TRUE(is_sound(scene));
    std::vector<SoupTriangle> ours = soup_of(scene), theirs = assimp_soup(file);
    ASSERT_EQ(ours.size(), theirs.size());
    double tolerance = 1e-6 * largest_coordinate(scene);
    for (size_t i = 0; i < ours.size(); ++i)
      for (size_t k = 0; k < 3; ++k) {
        ASSERT_NEAR(ours[i][k].x, theirs[i][k].x, tolerance);
        ASSERT_NEAR(ours[i][k].y, theirs[i][k].y, tolerance);
        ASSERT_NEAR(ours[i][k].z, theirs[i][k].z, tolerance);
      }
  }
}

// Tests PLY lists of every type, line ends, and files that contradict their header.

enum class Encoding { Text, Little, Big };

std::string number(double value, const std::string& type, Encoding encoding) {
  auto bytes = [&](auto typed) {
    std::string text(reinterpret_cast<const char*>(&typed), sizeof typed);
    if (encoding == Encoding::Big) std::reverse(text.begin(), text.end());
    return text;
  };
  if (encoding == Encoding::Text) return fmt::format("{} ", value);
  if (type == "int8" || type == "char") return bytes(static_cast<int8_t>(value));
  if (type == "uint8" || type == "uchar") return bytes(static_cast<uint8_t>(value));
  if (type == "int16" || type == "short") return bytes(static_cast<int16_t>(value));
  if (type == "uint16" || type == "ushort") return bytes(static_cast<uint16_t>(value));
  if (type == "int32" || type == "int") return bytes(static_cast<int32_t>(value));
  if (type == "uint32" || type == "uint") return bytes(static_cast<uint32_t>(value));
  return type == "float" ? bytes(static_cast<float>(value)) : bytes(value);
}

const char* format_name(Encoding encoding) {
  return encoding == Encoding::Text     ? "ascii"
         : encoding == Encoding::Little ? "binary_little_endian"
                                        : "binary_big_endian";
}

// Returns a square among lists and elements with unknown names.
std::string square(Encoding encoding, const std::string& count, const std::string& index) {
  std::string file = fmt::format(
      "ply\nformat {} 1.0\nelement before 1\nproperty list {} {} unknown\nproperty double more\n"
      "element vertex 4\nproperty double x\nproperty double y\nproperty list {} float unknown\nproperty "
      "double z\n"
      "element face 1\nproperty list {} double unknown\nproperty list {} {} vertex_indices\nproperty uchar "
      "more\n"
      "element after 2\nproperty list {} {} unknown\nend_header\n",
      format_name(encoding), count, index, count, count, count, index, count, index);
  auto put = [&](double value, const std::string& type) { file += number(value, type, encoding); };
  auto end = [&] { file += encoding == Encoding::Text ? "\n" : ""; };
  put(2, count), put(7, index), put(8, index), put(1.5, "double"), end();
  for (int i = 0; i < 4; ++i) {
    put(i % 3 ? 1 : 0, "double"), put(i < 2 ? 0 : 1, "double"), put(1, count), put(0.5, "float"),
        put(5, "double"), end();
  }
  put(1, count), put(0.25, "double"), put(4, count);
  for (int corner : {0, 1, 2, 3}) put(corner, index);
  put(9, "uchar"), end();
  for (int i = 0; i < 2; ++i) put(1, count), put(3, index), end();
  return file;
}

TEST(PlyLists, OfEveryTypeAreReadInEveryEncoding) {
  TestFolder folder;
  const std::vector<std::string> types = {"int8", "uint8", "int16", "uint16", "int32", "uint32",
                                          "char", "uchar", "short", "ushort", "int",   "uint"};
  for (Encoding encoding : {Encoding::Text, Encoding::Little, Encoding::Big})
    for (const std::string& count : types)
      for (const std::string& index : types) {
        testing::internal::CaptureStderr();
        const scene::Scene scene = read_ply(folder.write("a.ply", square(encoding, count, index)));
        EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << format_name(encoding);
        ASSERT_EQ(scene.positions, (std::vector<Vec3d>{{0, 0, 5}, {1, 0, 5}, {1, 1, 5}, {0, 1, 5}}))
            << format_name(encoding) << " " << count << " " << index;
        ASSERT_EQ(scene.triangles.size(), 2u);
        EXPECT_EQ(scene.triangles[1].position, (std::array<uint32_t, 3>{0, 2, 3}));
      }
}

TEST(PlyLists, OfNumbersThatAreNotWholeAreRefused) {
  TestFolder folder;
  auto error = [&](Encoding encoding, const std::string& count, const std::string& index) {
    return error_of([&] { read_ply(folder.write("a.ply", square(encoding, count, index))); });
  };
  for (Encoding encoding : {Encoding::Text, Encoding::Little, Encoding::Big}) {
    EXPECT_NE(error(encoding, "uchar", "float")
                  .find("vertex_indices of element 'face' does not hold whole numbers"),
              std::string::npos);
    EXPECT_NE(error(encoding, "double", "int").find("a.ply:4: a list whose count is not a whole number"),
              std::string::npos);
  }
  std::string text = square(Encoding::Text, "uchar", "int");
  text.replace(text.find("4 0 1 2 3"), 9, "4 0 1 2.5 3");
  EXPECT_NE(error_of([&] { read_ply(folder.write("a.ply", text)); }).find("face 0 refers to vertex 2.5"),
            std::string::npos);
}

TEST(PlyLists, LinesOfOneHeaderMayEndDifferently) {
  TestFolder folder;
  const std::string unix_file = square(Encoding::Little, "uchar", "int");
  const size_t data = unix_file.find("end_header\n") + 11;
  const std::string head = unix_file.substr(0, data - 11);
  std::string dos_head;
  for (char c : head) dos_head += c == '\n' ? "\r\n" : std::string(1, c);
  for (const std::string& header :
       {head + "end_header\r\n", dos_head + "end_header\n", dos_head + "end_header\r\n"}) {
    const scene::Scene scene = read_ply(folder.write("a.ply", header + unix_file.substr(data)));
    ASSERT_EQ(scene.triangles.size(), 2u);
    EXPECT_EQ(scene.positions[2], (Vec3d{1, 1, 5}));
  }
}

TEST(PlyLists, BytesAfterTheLastElementAreNamedInAWarning) {
  TestFolder folder;
  testing::internal::CaptureStderr();
  read_ply(folder.write("a.ply", square(Encoding::Big, "uchar", "int") + "xyz"));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("a.ply: 3 bytes after the last element are ignored"),
            std::string::npos);
}

}  // namespace
}  // namespace vox
