#include <gtest/gtest.h>

#include "formats/points/ply_points.h"
#include "formats/points/points.h"
#include "tests/formats/mesh/mesh_checks.h"
#include "tests/formats/points/point_files.h"

namespace vox {
namespace {

std::string big_bytes(auto value) {
  std::string bytes = little_bytes(value);
  std::ranges::reverse(bytes);
  return bytes;
}

std::string points_header(const std::string& format, const std::string& rest) {
  return "ply\nformat " + format + " 1.0\nelement camera 2\nproperty short id\nelement vertex 2\n" + rest +
         "element face 0\nproperty list uchar int vertex_indices\nend_header\n";
}

const std::string kColored =
    "property uchar red\nproperty double x\nproperty float z\nproperty ushort green\nproperty float y\n"
    "property float blue\n";

const std::vector<PointValues> kTwoPoints = {{0.25, -3, 1.5, 0x0701ff}, {1e9, 4, 0, 0xff0080}};

TEST(PlyPoints, AFileWithoutFacesIsPointsInTextAndBothByteOrders) {
  TestFolder folder;
  const auto binary = [](const auto& b) {
    const auto vertex = [&](uint8_t r, double x, float z, uint16_t g, float y, float blue) {
      return b(r) + b(x) + b(z) + b(g) + b(y) + b(blue);
    };
    return b(int16_t{1}) + b(int16_t{2}) + vertex(7, 0.25, 1.5f, 257, -3, 1) +
           vertex(255, 1e9, 0, 0, 4, 0.5f);
  };
  const std::string little = points_header("binary_little_endian", kColored) +
                             binary([](auto value) { return little_bytes(value); });
  const std::string big =
      points_header("binary_big_endian", kColored) + binary([](auto value) { return big_bytes(value); });
  const std::string text =
      points_header("ascii", kColored) + "1\n2\n7 0.25 1.5 257 -3 1\n\n 255 1e9 0 0 4 0.5\r\n";
  for (const std::string& content : {little, big, text}) {
    const auto file = folder.write("a.ply", content);
    EXPECT_EQ(ply_points_of(file), PlyPoints::Plain);
    const PointCloud cloud = open_ply_points(file);
    EXPECT_TRUE(cloud.has_colors);
    EXPECT_EQ(values_of(cloud), kTwoPoints);
  }
}

TEST(PlyPoints, AFileWithFacesIsAMesh) {
  TestFolder folder;
  const std::string start =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
      "property float z\nelement face 1\nproperty list uchar int vertex_indices\n";
  EXPECT_FALSE(is_points_path(folder.write("a.ply", start + "end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")));
  EXPECT_FALSE(is_points_path(folder.write("a.ply", start)));
  EXPECT_FALSE(is_points_path(folder.path() / "missing.ply"));
}

TEST(PlyPoints, SplatsHaveTheColourOfTheirFirstHarmonicAndALeastOpacity) {
  TestFolder folder;
  std::string content =
      "ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
      "property float z\nproperty float f_dc_0\nproperty float f_dc_1\nproperty float f_dc_2\n"
      "property float f_rest_0\nproperty float opacity\nproperty float scale_0\nend_header\n";
  // The opacities are 1 / 2, 1 / 4 and 9 / 10, and the last one is not a number.
  const std::vector<float> logits = {0, -1.0986123f, 2.1972246f, std::nanf("")};
  for (size_t i = 0; i < logits.size(); ++i)
    for (const float value : {float(i), 0.0f, 0.0f, 0.0f, 1.7724538f, -9.0f, 5.0f, logits[i], -3.0f})
      content += little_bytes(value);
  const auto file = folder.write("a.ply", content);
  EXPECT_EQ(ply_points_of(file), PlyPoints::Splats);
  const auto read = [&](double opacity) {
    const PointCloud cloud = open_ply_points(file, {.splat_opacity = opacity});
    EXPECT_EQ(all_points(cloud).left_out, 4 - values_of(cloud).size());
    std::vector<double> kept;
    for (const auto& [x, y, z, rgb] : values_of(cloud)) {
      EXPECT_EQ(rgb, 0x80ff00u);
      kept.push_back(x);
    }
    return kept;
  };
  EXPECT_EQ(read(0.5), (std::vector<double>{0, 2}));
  EXPECT_EQ(read(0.2), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(read(0.51), (std::vector<double>{2}));
  EXPECT_EQ(read(0), (std::vector<double>{0, 1, 2}));
}

TEST(PlyPoints, WhatIsWrongIsNamed) {
  TestFolder folder;
  const auto expect = [&](const std::string& content, const std::string& message) {
    const std::filesystem::path file = folder.write("a.ply", content);
    const std::string error = error_of([&] { survey(open_points(std::vector{file})); });
    EXPECT_NE(error.find(message), std::string::npos) << error;
  };
  const std::string start = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n";
  expect(start + "end_header\n0 0\n0 0\n", "a.ply: vertices have no x, y and z");
  expect(start + "property float z\nend_header\n0.00 0.00 0.00\n0.00 0.00\n",
         "a.ply:9: the line has too few numbers");
  expect(start + "property float z\nend_header\n0 0 0\n0 0 z\n", "a.ply:9: expected a number instead of 'z'");
  expect(start + "property float z\nend_header\n0 0 0            \n", "a.ply: the file ends too early");
  expect(start + "property float z\nproperty list int int n\nend_header\n0 0 0 0\n0 0 0 0\n",
         "a.ply: each point has a list 'n'");
  expect(start + "property float z\nend_header\n0 0 0\n", "2 elements 'vertex' cannot fit");
  expect(start + "element face 1\nproperty list int int vertex_indices\nend_header\n0 0\n0 0\n3 0 1 1\n",
         "a.ply: is a mesh");
  expect("ply\nformat ascii 1.0\nelement vertex 1\nproperty uint packed_position\nend_header\n1\n",
         "a.ply: its splats are packed");
}

}  // namespace
}  // namespace vox
