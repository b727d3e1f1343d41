// Tests PLY lists of every type, line ends, and files that contradict their header.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "formats/mesh/mesh.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

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
