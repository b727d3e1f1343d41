#include <gtest/gtest.h>

#include "formats/points/points.h"
#include "formats/points/text_lines.h"
#include "tests/common/random.h"
#include "tests/formats/mesh/mesh_checks.h"
#include "tests/formats/points/point_files.h"

namespace vox {
namespace {

std::vector<PointValues> values_of_text(const TestFolder& folder, const std::string& content) {
  return values_of(open_point_text(folder.write("a.xyz", content)));
}

TEST(PointText, ThreeNumbersArePoints) {
  TestFolder folder;
  EXPECT_EQ(values_of_text(folder, "# x y z\n//X Y Z\n\n1 2.5 -3e2\n\t4 5 6\r\n7 8 9"),
            (std::vector<PointValues>{{1, 2.5, -300, 0}, {4, 5, 6, 0}, {7, 8, 9, 0}}));
}

TEST(PointText, SixOrSevenNumbersHaveColoursWhereTheyAreBytes) {
  TestFolder folder;
  EXPECT_EQ(values_of_text(folder, "1 2 3 255 0 16\n4 5 6 1 2 3\n"),
            (std::vector<PointValues>{{1, 2, 3, 0xff0010}, {4, 5, 6, 0x010203}}));
  EXPECT_EQ(values_of_text(folder, "2\n1 2 3 -700 255 0 16\n4 5 6 99 1 2 3\n"),
            (std::vector<PointValues>{{1, 2, 3, 0xff0010}, {4, 5, 6, 0x010203}}));
  EXPECT_EQ(values_of_text(folder, "1 2 3 0 0 1\n4 5 6 0 -0.5 1\n"),
            (std::vector<PointValues>{{1, 2, 3, 0}, {4, 5, 6, 0}}));
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
  expect(many + "1 2 3 4 5 256\n", "a.pts:60001: expected a colour from 0 to 255 instead of 256");
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

}  // namespace
}  // namespace vox
