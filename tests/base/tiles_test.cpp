#include "libvox/base/tiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace vox {
namespace {

using Pixel = Vec2<uint32_t>;

// Returns the pixels tile by tile, and each tile row by row.
std::vector<Pixel> pixels_of(uint32_t width, uint32_t height) {
  std::vector<Pixel> pixels;
  for (uint32_t top = 0; top < height; top += 4)
    for (uint32_t left = 0; left < width; left += 8)
      for (uint32_t y = 0; y < 4; ++y)
        for (uint32_t x = 0; x < 8; ++x) pixels.push_back({left + x, top + y});
  return pixels;
}

TEST(Tiles, GoThroughAnImageRowByRow) {
  for (const uint32_t width : {0u, 1u, 7u, 8u, 9u, 24u, 37u})
    for (const uint32_t height : {0u, 1u, 3u, 4u, 5u, 12u, 18u}) {
      const Tiles tiles = {width, height};
      const std::vector<Pixel> expected = pixels_of(width, height);
      ASSERT_EQ(tiles.count(), expected.size()) << width << " " << height;
      for (uint64_t i = 0; i < tiles.count(); ++i)
        EXPECT_EQ(tiles.pixel(i), expected[i]) << width << " " << i;
    }
}

TEST(Tiles, HoldEachPixelOfTheImageOnceAndKnowItsPlace) {
  for (const uint32_t width : {1u, 8u, 13u})
    for (const uint32_t height : {1u, 4u, 11u}) {
      const Tiles tiles = {width, height};
      std::vector<int> visits(width * height);
      for (uint64_t i = 0; i < tiles.count(); ++i) {
        const Pixel pixel = tiles.pixel(i);
        EXPECT_EQ(tiles.holds(pixel), pixel.x < width && pixel.y < height);
        if (tiles.holds(pixel)) ++visits.at(tiles.index(pixel));
      }
      EXPECT_EQ(visits, std::vector<int>(width * height, 1));
      EXPECT_EQ(tiles.index({width - 1, 0}), width - 1);
      EXPECT_EQ(tiles.index({0, height - 1}), width * (height - 1));
    }
}

TEST(Tiles, OfARowStandTogetherAndHoldIt) {
  for (auto [width, height] : {std::pair{1u, 1u}, {8u, 4u}, {19u, 23u}}) {
    const Tiles tiles = {width, height};
    for (uint32_t row = 0; row < height; ++row) {
      std::vector<bool> held(width);
      for (uint64_t i = 0; i < tiles.count(); ++i) {
        const Vec2<uint32_t> at = tiles.pixel(i);
        const bool is_between = i >= tiles.begin_of_row(row) && i < tiles.end_of_row(row);
        EXPECT_EQ(is_between, at.y / 4 == row / 4) << i;
        if (is_between && at.y == row && tiles.holds(at)) held[at.x] = true;
      }
      EXPECT_TRUE(std::ranges::all_of(held, std::identity()));
    }
  }
}

TEST(Tiles, OfTheWidestImageDoNotOverflow) {
  const Tiles tiles = {UINT32_MAX, 65536};
  EXPECT_EQ(tiles.count(), uint64_t{1} << 48);
  EXPECT_EQ(tiles.pixel(tiles.count() - 1), (Pixel{UINT32_MAX, 65535}));
  EXPECT_FALSE(tiles.holds({UINT32_MAX, 65535}));
  EXPECT_EQ(tiles.index({UINT32_MAX - 1, 65535}), (uint64_t{UINT32_MAX} << 16) - 1);
}

}  // namespace
}  // namespace vox
