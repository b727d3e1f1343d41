#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "formats/points/point_voxels.h"
#include "formats/points/points.h"
#include "libvox/base/error.h"
#include "libvox/voxelize/grid.h"
#include "tests/common/random.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

// Small files of points that tests write byte by byte, and the values that reading them gives.

template <class T>
std::string little_bytes(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

struct LasPointValues {
  int32_t x, y, z;
  uint16_t r = 0, g = 0, b = 0;
  uint8_t flags = 0;  // byte 15
};

struct LasFileOptions {
  uint8_t minor = 2, format = 2;
  uint16_t more_bytes = 0;  // additional bytes of a record, after those of its format
  double scale = 1, offset = 0;
};

// Returns a LAS file that follows the tables of its specification: the bytes of a record before its colors,
// and after them.
std::string las_file(const std::vector<LasPointValues>& points, const LasFileOptions& options = {}) {
  static constexpr size_t kBefore[] = {20, 28, 20, 28, 57, 28, 30, 30, 30, 59, 30};
  static constexpr size_t kBehind[] = {0, 0, 0, 0, 0, 29, 0, 0, 2, 0, 31};
  const uint8_t format = options.format;
  const bool colored =
      format == 2 || format == 3 || format == 5 || format == 7 || format == 8 || format == 10;
  std::string records;
  for (const LasPointValues& p : points) {
    std::string record = little_bytes(p.x) + little_bytes(p.y) + little_bytes(p.z);
    record += std::string(3, '\x11') + static_cast<char>(p.flags);
    record.resize(kBefore[format], '\x22');
    if (colored) record += little_bytes(p.r) + little_bytes(p.g) + little_bytes(p.b);
    record += std::string(kBehind[format] + options.more_bytes, '\x33');
    records += record;
  }
  const auto count = static_cast<uint32_t>(points.size());
  const size_t header_bytes = options.minor == 4 ? 375 : options.minor == 3 ? 235 : 227;
  const size_t length = kBefore[format] + (colored ? 6 : 0) + kBehind[format] + options.more_bytes;
  std::string file = "LASF" + std::string(20, '\0') + '\x01' + static_cast<char>(options.minor);
  file.resize(94);
  file += little_bytes(static_cast<uint16_t>(header_bytes));
  file += little_bytes(static_cast<uint32_t>(header_bytes + 5)) + little_bytes(uint32_t{0});
  file += static_cast<char>(format);
  file += little_bytes(static_cast<uint16_t>(length)) + little_bytes(options.minor == 4 ? 0 : count);
  file.resize(131);
  for (int i = 0; i < 3; ++i) file += little_bytes(options.scale * (i + 1));
  for (int i = 0; i < 3; ++i) file += little_bytes(options.offset + i);
  file.resize(header_bytes);
  if (options.minor == 4) file.replace(247, 8, little_bytes(uint64_t{count}));
  return file + "pause" + records;
}

CloudPiece all_points(const PointCloud& cloud) {
  CloudPiece all;
  for (size_t piece = 0; piece < cloud.pieces; ++piece) {
    const CloudPiece part = cloud.read(piece);
    all.points.insert(all.points.end(), part.points.begin(), part.points.end());
    all.left_out += part.left_out;
  }
  return all;
}

// x, y, z and color of a point.
using PointValues = std::tuple<double, double, double, uint32_t>;
std::vector<PointValues> values_of(const PointCloud& cloud) {
  std::vector<PointValues> values;
  for (const auto& [p, rgb] : all_points(cloud).points) values.emplace_back(p.x, p.y, p.z, rgb);
  return values;
}

const std::vector<LasPointValues> kThreePoints = {
    {.x = 1, .y = -2, .z = 3, .r = 65535, .g = 257, .b = 128},
    {.x = -2147483647, .y = 0, .z = 7, .r = 129, .g = 0, .b = 514},
    {.x = 5, .y = 6, .z = 2147483647}};

TEST(Las, CoordinatesAndColorsOfEveryPointFormatAreRead) {
  TestFolder folder;
  for (uint8_t format = 0; format <= 10; ++format) {
    const LasFileOptions options = {
        .minor = 4, .format = format, .more_bytes = 3, .scale = 0.5, .offset = 10};
    const PointCloud cloud = open_las(folder.write("a.las", las_file(kThreePoints, options)));
    const bool colored =
        format == 2 || format == 3 || format == 5 || format == 7 || format == 8 || format == 10;
    EXPECT_EQ(cloud.has_colors, colored) << int{format};
    EXPECT_EQ(cloud.up, dag::UpAxis::Z);
    const std::vector<PointValues> expected = {{10.5, 9, 16.5, colored ? 0xff0100 : 0},
                                               {-2147483647 * 0.5 + 10, 11, 22.5, colored ? 0x010002 : 0},
                                               {12.5, 17, 2147483647 * 1.5 + 12, 0}};
    EXPECT_EQ(values_of(cloud), expected) << int{format};
  }
}

TEST(Las, EveryVersionIsRead) {
  TestFolder folder;
  for (uint8_t minor = 0; minor <= 4; ++minor)
    EXPECT_EQ(values_of(open_las(folder.write("a.las", las_file(kThreePoints, {.minor = minor})))).size(), 3u)
        << int{minor};
}

TEST(Las, ColorsOf8BitsInFieldsOf16AreTakenAsTheyAre) {
  TestFolder folder;
  const auto rgb = [&](const LasPointValues& other) {
    const std::vector<LasPointValues> points = {{.x = 0, .y = 0, .z = 0, .r = 255, .g = 16, .b = 1}, other};
    return std::get<3>(values_of(open_las(folder.write("a.las", las_file(points))))[0]);
  };
  EXPECT_EQ(rgb({.x = 0, .y = 0, .z = 0, .g = 255}), 0xff1001u);
  EXPECT_EQ(rgb({.x = 0, .y = 0, .z = 0, .g = 256}), 0x010000u);
}

TEST(Las, PointsThatNobodyHasColoredHaveNoColors) {
  TestFolder folder;
  EXPECT_FALSE(open_las(folder.write("a.las", las_file({{.x = 1, .y = 2, .z = 3}}))).has_colors);
}

TEST(Las, WithheldPointsAreLeftOutButVersion10KnowsNone) {
  TestFolder folder;
  const auto read = [&](uint8_t minor, uint8_t format, uint8_t flags) {
    const std::vector<LasPointValues> points = {{.x = 1, .y = 2, .z = 3, .flags = flags},
                                                {.x = 4, .y = 5, .z = 6}};
    const auto file = folder.write("a.las", las_file(points, {.minor = minor, .format = format}));
    const CloudPiece all = all_points(open_las(file));
    EXPECT_EQ(all.points.size() + all.left_out, 2u);
    return all.left_out;
  };
  EXPECT_EQ(read(2, 0, 128), 1u);
  EXPECT_EQ(read(2, 0, 64 + 4), 0u);
  EXPECT_EQ(read(4, 6, 4), 1u);
  EXPECT_EQ(read(4, 6, 128), 0u);
  EXPECT_EQ(read(0, 0, 128), 0u);
}

TEST(Las, WhatIsWrongIsNamed) {
  TestFolder folder;
  const auto expect = [&](const std::string& content, const std::string& message) {
    const std::filesystem::path file = folder.write("a.las", content);
    const std::string error = error_of([&] { open_points(std::vector{file}); });
    EXPECT_NE(error.find("a.las: " + message), std::string::npos) << error;
  };
  const std::string good = las_file(kThreePoints);
  const auto changed = [&](size_t at, const std::string& bytes) {
    std::string bad = good;
    return bad.replace(at, bytes.size(), bytes);
  };
  expect("no points", "is not a LAS file");
  expect(good.substr(0, 100), "ends within its header");
  expect(good.substr(0, good.size() - 1), "3 points cannot fit");
  expect(changed(25, "\x05"), "is LAS 1.5");
  expect(changed(104, "\x82"), "its points are compressed as LAZ");
  expect(changed(104, "\x0b"), "has points of format 11");
  expect(changed(105, std::string("\x19\0", 2)), "has 25 bytes for a point of format 2, which takes 26");
  expect(changed(96, "\xff\xff\xff\xff"), "its points begin at byte 4294967295");
  expect(changed(131, little_bytes(0.0)), "its coordinates have the scale 0");
}

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
  const auto whole = folder.write("a.ply", start + "end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
  EXPECT_EQ(ply_points_of(whole), PlyPoints::None);
  EXPECT_EQ(ply_points_of(folder.write("b.ply", start)), PlyPoints::None);
  EXPECT_EQ(ply_points_of(folder.path() / "missing.ply"), PlyPoints::None);
}

TEST(PlyPoints, SplatsHaveTheColorOfTheirFirstHarmonicAndALeastOpacity) {
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
    const PointCloud cloud = open_ply_points(file, {.splats = SplatUse::Centers, .splat_opacity = opacity});
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

std::vector<PointValues> values_of_text(const TestFolder& folder, const std::string& content) {
  return values_of(open_point_text(folder.write("a.xyz", content)));
}

TEST(PointText, ThreeNumbersArePoints) {
  TestFolder folder;
  EXPECT_EQ(values_of_text(folder, "# x y z\n//X Y Z\n\n1 2.5 -3e2\n\t4 5 6\r\n7 8 9"),
            (std::vector<PointValues>{{1, 2.5, -300, 0}, {4, 5, 6, 0}, {7, 8, 9, 0}}));
}

TEST(PointText, SixOrSevenNumbersHaveColorsWhereTheyAreBytes) {
  TestFolder folder;
  EXPECT_EQ(values_of_text(folder, "1 2 3 255 0 16\n4 5 6 1 2 3\n"),
            (std::vector<PointValues>{{1, 2, 3, 0xff0010}, {4, 5, 6, 0x010203}}));
  EXPECT_EQ(values_of_text(folder, "2\n1 2 3 -700 255 0 16\n4 5 6 99 1 2 3\n"),
            (std::vector<PointValues>{{1, 2, 3, 0xff0010}, {4, 5, 6, 0x010203}}));
  EXPECT_EQ(values_of_text(folder, "1 2 3 0 0 1\n4 5 6 0 -0.5 1\n"),
            (std::vector<PointValues>{{1, 2, 3, 0}, {4, 5, 6, 0}}));
}

TEST(PointText, NormalsOfWholeNumbersAreNoColors) {
  TestFolder folder;
  EXPECT_EQ(values_of_text(folder, "1 2 3 0 0 1\n4 5 6 0 1 0\n"),
            (std::vector<PointValues>{{1, 2, 3, 0}, {4, 5, 6, 0}}));
  EXPECT_EQ(values_of_text(folder, "1 2 3 255 0 16 0 0 1\n4 5 6 1 2 3 1 0 0\n"),
            (std::vector<PointValues>{{1, 2, 3, 0xff0010}, {4, 5, 6, 0x010203}}));
  // An intensity comes before these colors.
  EXPECT_EQ(values_of_text(folder, "1 2 3 9 255 0 16 0 0 1\n4 5 6 9 1 2 3 0 0 1\n"),
            (std::vector<PointValues>{{1, 2, 3, 0xff0010}, {4, 5, 6, 0x010203}}));
  EXPECT_EQ(values_of_text(folder, "1 2 3 9 255 0 16 5 floor\n4 5 6 9 1 2 3 6 floor\n"),
            (std::vector<PointValues>{{1, 2, 3, 0xff0010}, {4, 5, 6, 0x010203}}));
}

TEST(PointText, WhatIsWrongIsNamedWithItsLine) {
  TestFolder folder;
  const auto expect = [&](const std::string& content, const std::string& message) {
    const std::filesystem::path file = folder.write("a.pts", content);
    const std::string error = error_of([&] { survey(open_points(std::vector{file})); });
    EXPECT_NE(error.find(message), std::string::npos) << error;
  };
  expect("\n\n", "a.pts: holds no line of numbers");
  expect("1 2 3\r\n\r\n4,5,6\r\n", "a.pts:3: expected a number instead of '4,5,6'");
  expect("1 2 3\n1 2\n", "a.pts:2: the line has too few numbers");
  std::string many;
  for (int i = 0; i < 60000; ++i) many += "1 2 3 4 5 6\n";
  expect(many + "1 2 3 4 5 256\n", "a.pts:60001: expected a color from 0 to 255 instead of 256");
  expect(many + std::string(600000, ' ') + "1 2 3 4 5 6", "too long");
}

TEST(PointText, LinesAreReadOnceWhereverPiecesEnd) {
  TestFolder folder;
  Random random(3);
  std::string content;
  std::vector<std::string> expected;
  while (content.size() < (3 << 19)) {
    std::string line = std::to_string(random.below(1 << 30)) + std::string(random.below(300), ' ') + "7";
    content += line + (random.below(2) ? "\n" : random.below(2) ? "\r\n" : "\n\n");
    expected.push_back(line);
  }
  const TextLines lines(folder.write("a.txt", content), 0);
  EXPECT_GE(lines.pieces(), 3u);
  EXPECT_EQ(lines.count(), expected.size());
  std::vector<std::string> found;
  for (size_t piece = 0; piece < lines.pieces(); ++piece) {
    EXPECT_EQ(lines.first_of(piece), found.size());
    lines.for_each_in(piece, [&](const char* p) {
      const char* end = p;
      while (!is_line_end(*end)) ++end;
      found.emplace_back(p, end);
    });
  }
  EXPECT_EQ(found, expected);
}

// Damaged files of points must give an Error that names the file, or a sound scene.

enum class Depth { Survey, Scene };

void expect_error_or_scene(const std::filesystem::path& file, const std::string& content, Depth depth) {
  std::filesystem::remove(file);  // some file systems flush a file that is truncated and rewritten
  std::ofstream(file, std::ios::binary) << content;
  try {
    const PointCloud cloud = open_points(std::vector{file});
    const CloudSurvey found = survey(cloud);
    if (found.points == 0 || depth == Depth::Survey) return;
    const voxelize::Grid grid = voxelize::fit_box(found.box, {.resolution = 32});
    dag::verify(
        scene_of_voxels(point_voxels(cloud, grid, {.radius = grid.voxel_size.x}), {}, file).scene.dag);
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.find(file.filename().string()) != std::string::npos ||
                text.find("bounding box") != std::string::npos)
        << text;
  }
}

void expect_damage_to_be_harmless(const TestFolder& folder, const std::string& name,
                                  const std::string& content) {
  QuietLog quiet;
  const std::filesystem::path file = folder.path() / name;
  for (size_t size = 1; size < content.size(); ++size)
    expect_error_or_scene(file, content.substr(0, size), size % 50 == 0 ? Depth::Scene : Depth::Survey);
  std::mt19937 random(1);
  for (int i = 0; i < 1500; ++i) {
    std::string damaged = content;
    for (size_t flips = 1 + random() % 3; flips > 0; --flips)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    expect_error_or_scene(file, damaged, i % 30 == 0 ? Depth::Scene : Depth::Survey);
  }
}

TEST(PointDamage, OfLasFilesIsHarmless) {
  TestFolder folder;
  std::vector<LasPointValues> points;
  for (int i = 0; i < 9; ++i) points.push_back({i * 7, i * i, 90 - i, uint16_t(i * 5000), 400, 9});
  expect_damage_to_be_harmless(folder, "a.las", las_file(points, {.minor = 4, .format = 7}));
}

TEST(PointDamage, OfPlyFilesIsHarmless) {
  TestFolder folder;
  const std::string start =
      " 1.0\nelement note 2\nproperty short n\nelement vertex 5\nproperty float x\nproperty float y\n"
      "property double z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n";
  std::string binary = "ply\nformat binary_little_endian" + start + "nnnn",
              text = "ply\nformat ascii" + start + "5\n6\n";
  for (int i = 0; i < 5; ++i) {
    binary += little_bytes(static_cast<float>(i) / 2) + little_bytes(static_cast<float>(-i)) +
              little_bytes(i * 9.0) + "rgb";
    text += std::to_string(i) + " 2 3.5 100 200 30\n";
  }
  expect_damage_to_be_harmless(folder, "a.ply", binary);
  expect_damage_to_be_harmless(folder, "b.ply", text);
}

TEST(PointDamage, OfTextIsHarmless) {
  TestFolder folder;
  expect_damage_to_be_harmless(folder, "a.pts", "3\n1 2 3 -50 7 8 9\n4 5.5 6 17 255 0 1\n7e1 8 -9 0 1 2 3\n");
}

}  // namespace

}  // namespace vox
