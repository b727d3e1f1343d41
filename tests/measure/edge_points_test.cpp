// Compares feature points with those that plain loops over the picture find.
#include "libvox/measure/edge_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "libvox/device/cpu_device.h"
#include "libvox/measure/picture_pair.h"

namespace vox {
namespace {

using measure::GreyPicture;
using measure::PixelPlace;

// Sobel's filter in its usual form, on a picture of whole numbers.
class PlainEdges {
 public:
  explicit PlainEdges(const GreyPicture& picture)
      : width_(static_cast<int>(picture.width)),
        height_(static_cast<int>(picture.height)),
        picture_(picture) {}

  std::pair<int64_t, int64_t> gradient(int x, int y) const {
    static constexpr int kSobel[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
    int64_t across = 0, down = 0;
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) {
        const int grey = picture_.values[static_cast<size_t>((y + j - 1) * width_ + x + i - 1)];
        across += kSobel[j][i] * grey;
        down += kSobel[i][j] * grey;
      }
    return {across, down};
  }
  bool is_edge(int x, int y, int step) const {
    if (x < 1 || y < 1 || x >= width_ - 1 || y >= height_ - 1) return false;
    const auto [across, down] = gradient(x, y);
    return across * across + down * down >= 16 * step * step;
  }
  int64_t turn(int x, int y, int step) const {
    if (x < 4 || y < 4 || x >= width_ - 4 || y >= height_ - 4 || !is_edge(x, y, step)) return 0;
    int64_t a = 0, b = 0, c = 0;
    for (int j = -3; j <= 3; ++j)
      for (int i = -3; i <= 3; ++i) {
        const auto [across, down] = gradient(x + i, y + j);
        const int64_t weight = (4 - std::abs(i)) * (4 - std::abs(j));
        a += weight * across * across;
        b += weight * across * down;
        c += weight * down * down;
      }
    return 40 * (a * c - b * b) < (a + c) * (a + c) ? 0 : (a * c - b * b) / (a + c);
  }

  uint64_t edge_points(int step) const {
    uint64_t count = 0;
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x) count += is_edge(x, y, step) ? 1 : 0;
    return count;
  }

  // Returns (turn, y, x) of all points at which an edge turns most among 9 x 9 pixels, sorted by descending
  // turn.
  std::vector<std::tuple<int64_t, int, int>> points(int step) const {
    std::vector<int64_t> turns;
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x) turns.push_back(turn(x, y, step));
    std::vector<std::tuple<int64_t, int, int>> points;
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x) {
        const int64_t here =
            turns[static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x)];
        bool most = here > 0;
        for (int j = std::max(0, y - 4); j <= std::min(height_ - 1, y + 4); ++j)
          for (int i = std::max(0, x - 4); i <= std::min(width_ - 1, x + 4); ++i) {
            const int64_t other =
                turns[static_cast<size_t>(j) * static_cast<size_t>(width_) + static_cast<size_t>(i)];
            if (other > here || (other == here && std::pair(j, i) < std::pair(y, x))) most = false;
          }
        if (most) points.emplace_back(here, y, x);
      }
    std::ranges::sort(points, std::greater());
    return points;
  }

 private:
  int width_, height_;
  const GreyPicture& picture_;
};

// Dots look the same from all sides, so edges turn equally at several pixels of each.
GreyPicture picture_of_dots() {
  GreyPicture picture = {96, 64, std::vector<uint8_t>(96 * 64, 220)};
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 96; ++x) {
      const int dx = x % 32 - 16, dy = y % 32 - 16;
      if (dx * dx + dy * dy <= 9) picture.values[static_cast<size_t>(y) * 96 + static_cast<size_t>(x)] = 20;
    }
  return picture;
}

class EdgePoints : public testing::Test {
 protected:
  measure::FeaturePoints found(const GreyPicture& picture, const measure::FeatureOptions& options = {}) {
    return measure::find_feature_points(device_, picture, options);
  }
  device::CpuDevice device_{0, false};
};

TEST_F(EdgePoints, AreThoseOfAPlainLoop) {
  const std::vector<GreyPicture> pictures = {
      measure::grey_of(measure::make_picture_pair({.side = 128, .seed = 1}).query),
      measure::grey_of(measure::make_picture_pair({.side = 128, .seed = 2}).query), picture_of_dots()};
  for (const GreyPicture& picture : pictures) {
    const PlainEdges plain(picture);
    for (const int step : {8, 32, 100}) {
      const auto features = found(picture, {.step = static_cast<uint32_t>(step), .most = UINT64_MAX});
      EXPECT_EQ(features.edge_points, plain.edge_points(step));
      const auto expected = plain.points(step);
      EXPECT_GT(expected.size(), 3u);
      std::vector<std::tuple<int64_t, int, int>> points;
      for (const PixelPlace at : features.places)
        points.emplace_back(plain.turn(at.x, at.y, step), at.y, at.x);
      EXPECT_TRUE(
          std::ranges::is_sorted(points, std::greater(), [](const auto& p) { return std::get<0>(p); }));
      std::ranges::sort(points, std::greater());
      EXPECT_EQ(points, expected);
    }
  }
}

TEST_F(EdgePoints, AreThoseWhereEdgesTurnMostIfThereAreMore) {
  const GreyPicture picture = measure::grey_of(measure::make_picture_pair({.side = 256}).reference);
  const auto all = found(picture, {.most = UINT64_MAX}), some = found(picture, {.most = 20});
  ASSERT_GT(all.places.size(), 40u);
  EXPECT_EQ(some.turns, all.places.size());
  EXPECT_EQ(some.places, std::vector(all.places.begin(), all.places.begin() + 20));
}

// The four squares are alike, so a hash decides which of their corners come first.
TEST_F(EdgePoints, OfEqualOnesASeedDecides) {
  GreyPicture picture = {80, 80, std::vector<uint8_t>(80 * 80, 200)};
  for (const uint32_t corner : {10u, 50u})
    for (const uint32_t other : {10u, 50u})
      for (uint32_t i = 0; i < 20 * 20; ++i) picture.values[(corner + i / 20) * 80 + other + i % 20] = 40;
  const auto first = found(picture, {.seed = 1}), again = found(picture, {.seed = 1}),
             second = found(picture, {.seed = 2});
  EXPECT_EQ(first.places.size(), 16u);
  EXPECT_EQ(first.places, again.places);
  EXPECT_NE(first.places, second.places);
}

TEST_F(EdgePoints, AreNoneOfPicturesWithoutAnEdgeThatTurns) {
  EXPECT_EQ(found({1, 1, {7}}).edge_points, 0u);
  EXPECT_EQ(found({2, 5, std::vector<uint8_t>(10, 7)}).places.size(), 0u);
  EXPECT_EQ(found({64, 64, std::vector<uint8_t>(64 * 64, 255)}).places.size(), 0u);
  GreyPicture half = {64, 64, std::vector<uint8_t>(64 * 64, 255)};  // one straight edge
  std::fill(half.values.begin(), half.values.begin() + 64 * 32, uint8_t{0});
  const auto straight = found(half);
  EXPECT_EQ(straight.edge_points, 2u * 62);
  EXPECT_EQ(straight.places.size(), 0u);
}

TEST_F(EdgePoints, GreyIsTheLightnessOfColoursAndWhiteWhereNothingIsSeen) {
  const scene::Image image = {
      "", 4, 1, {{255, 255, 255, 255}, {0, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 0, 0}}};
  EXPECT_EQ(measure::grey_of(image).values, (std::vector<uint8_t>{255, 0, 149, 255}));
}

}  // namespace
}  // namespace vox
