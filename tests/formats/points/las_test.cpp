#include <gtest/gtest.h>

#include "formats/points/points.h"
#include "tests/formats/mesh/mesh_checks.h"
#include "tests/formats/points/point_files.h"

namespace vox {
namespace {

const std::vector<LasPointValues> kThreePoints = {
    {.x = 1, .y = -2, .z = 3, .r = 65535, .g = 257, .b = 128},
    {.x = -2147483647, .y = 0, .z = 7, .r = 129, .g = 0, .b = 514},
    {.x = 5, .y = 6, .z = 2147483647}};

TEST(Las, CoordinatesAndColoursOfEveryPointFormatAreRead) {
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

TEST(Las, ColoursOf8BitsInFieldsOf16AreTakenAsTheyAre) {
  TestFolder folder;
  const auto rgb = [&](const LasPointValues& other) {
    const std::vector<LasPointValues> points = {{.x = 0, .y = 0, .z = 0, .r = 255, .g = 16, .b = 1}, other};
    return std::get<3>(values_of(open_las(folder.write("a.las", las_file(points))))[0]);
  };
  EXPECT_EQ(rgb({.x = 0, .y = 0, .z = 0, .g = 255}), 0xff1001u);
  EXPECT_EQ(rgb({.x = 0, .y = 0, .z = 0, .g = 256}), 0x010000u);
}

TEST(Las, PointsThatNobodyHasColouredHaveNoColours) {
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

}  // namespace
}  // namespace vox
