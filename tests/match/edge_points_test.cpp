// Compares feature points with those that plain loops over the picture find.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "libvox/device/cpu_device.h"
#include "libvox/hash/keyed/key_table.h"
#include "libvox/match/edge_points.h"
#include "libvox/match/similarity.h"
#include "libvox/match/votes.h"
#include "tests/common/random.h"

namespace vox {
namespace {

using match::GrayPicture;
using match::PixelPlace;

// Sobel's filter in its usual form, on a picture of whole numbers.
class PlainEdges {
 public:
  explicit PlainEdges(const GrayPicture& picture)
      : width_(static_cast<int>(picture.width)),
        height_(static_cast<int>(picture.height)),
        picture_(picture) {}

  std::pair<int64_t, int64_t> gradient(int x, int y) const {
    static constexpr int kSobel[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
    int64_t across = 0, down = 0;
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) {
        const int gray = picture_.values[static_cast<size_t>((y + j - 1) * width_ + x + i - 1)];
        across += kSobel[j][i] * gray;
        down += kSobel[i][j] * gray;
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
  const GrayPicture& picture_;
};

// Dots look the same from all sides, so edges turn equally at several pixels of each.
GrayPicture picture_of_dots() {
  GrayPicture picture = {96, 64, std::vector<uint8_t>(96 * 64, 220)};
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 96; ++x) {
      const int dx = x % 32 - 16, dy = y % 32 - 16;
      if (dx * dx + dy * dy <= 9) picture.values[static_cast<size_t>(y) * 96 + static_cast<size_t>(x)] = 20;
    }
  return picture;
}

class EdgePoints : public testing::Test {
 protected:
  match::FeaturePoints found(const GrayPicture& picture, const match::FeatureOptions& options = {}) {
    return match::find_feature_points(device_, picture, options);
  }
  device::CpuDevice device_{0, false};
};

TEST_F(EdgePoints, AreThoseOfAPlainLoop) {
  const std::vector<GrayPicture> pictures = {
      match::gray_of(match::make_picture_pair({.side = 128, .seed = 1}).query),
      match::gray_of(match::make_picture_pair({.side = 128, .seed = 2}).query), picture_of_dots()};
  for (const GrayPicture& picture : pictures) {
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
  const GrayPicture picture = match::gray_of(match::make_picture_pair({.side = 256}).reference);
  const auto all = found(picture, {.most = UINT64_MAX}), some = found(picture, {.most = 20});
  ASSERT_GT(all.places.size(), 40u);
  EXPECT_EQ(some.turns, all.places.size());
  EXPECT_EQ(some.places, std::vector(all.places.begin(), all.places.begin() + 20));
}

// The four squares are alike, so a hash decides which of their corners come first.
TEST_F(EdgePoints, OfEqualOnesASeedDecides) {
  GrayPicture picture = {80, 80, std::vector<uint8_t>(80 * 80, 200)};
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
  GrayPicture half = {64, 64, std::vector<uint8_t>(64 * 64, 255)};  // one straight edge
  std::fill(half.values.begin(), half.values.begin() + 64 * 32, uint8_t{0});
  const auto straight = found(half);
  EXPECT_EQ(straight.edge_points, 2u * 62);
  EXPECT_EQ(straight.places.size(), 0u);
}

TEST_F(EdgePoints, GrayIsTheLightnessOfColorsAndWhiteWhereNothingIsSeen) {
  const scene::Image image = {
      "", 5, 1, {{255, 255, 255, 255}, {0, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 0, 0}, {0, 0, 255, 1}}};
  EXPECT_EQ(match::gray_of(image).values, (std::vector<uint8_t>{255, 0, 149, 255, 28}));
}

// Compares bases, their coordinates and votes with loops over all pairs and triples of points, without a
// table.

using match::BasisChoice;
using match::VotedPair;
using Points = std::vector<PixelPlace>;
using Bases = match::PictureBases<device::CpuDevice>;

class Votes : public testing::Test {
 protected:
  static constexpr int32_t kSide = 200;

  // Returns `count` different places.
  static Points random_points(uint64_t seed, size_t count) {
    std::set<std::pair<int32_t, int32_t>> places;
    Random random(seed);
    while (places.size() < count) {
      const auto x = static_cast<int32_t>(random.below(kSide));
      places.emplace(x, static_cast<int32_t>(random.below(kSide)));
    }
    Points points;
    for (const auto& [x, y] : places) points.push_back({x, y});
    return points;
  }
  Bases bases_of(const Points& points, const BasisChoice& choice) {
    return match::choose_bases(device_, {kSide, kSide, {}}, points, choice);
  }
  static std::vector<uint32_t> list(const Bases& bases) {
    return {bases.bases.data(), bases.bases.data() + bases.count};
  }

  // Returns the coordinates of a point with respect to a basis, in steps of a cell.
  static std::pair<int64_t, int64_t> coordinates(const Points& points, uint32_t basis, PixelPlace point,
                                                 uint32_t cells) {
    const PixelPlace a = points[basis >> 16], b = points[basis & 0xffff];
    const __int128 x = b.x - a.x, y = b.y - a.y, dx = point.x - a.x, dy = point.y - a.y;
    const __int128 square = x * x + y * y;
    const auto rounded = [&](__int128 part) {
      __int128 low = part * cells / square - 2;
      while ((2 * low + 1) * square <= 2 * part * cells) ++low;
      return static_cast<int64_t>(low);
    };
    return {rounded(dx * x + dy * y), rounded(dy * x - dx * y)};
  }

  // Returns for each basis of the query the reference's basis with the most votes.
  static std::vector<VotedPair> count_votes(const Points& query, const std::vector<uint32_t>& query_bases,
                                            const Points& reference, const std::vector<uint32_t>& bases,
                                            uint32_t cells) {
    std::vector<VotedPair> best;
    for (const uint32_t of_query : query_bases) {
      VotedPair most = {0, of_query, 0};
      for (const uint32_t of_reference : bases) {
        uint32_t votes = 0;
        for (uint32_t q = 0; q < query.size(); ++q)
          for (uint32_t r = 0; r < reference.size(); ++r)
            if (q != of_query >> 16 && q != (of_query & 0xffff) && r != of_reference >> 16 &&
                r != (of_reference & 0xffff))
              votes += coordinates(query, of_query, query[q], cells) ==
                       coordinates(reference, of_reference, reference[r], cells);
        if (votes > most.votes || (votes == most.votes && votes > 0 && of_reference < most.reference))
          most = {votes, of_query, of_reference};
      }
      if (most.votes > 0) best.push_back(most);
    }
    std::ranges::sort(best, [](const VotedPair& a, const VotedPair& b) {
      return std::pair(~a.votes, a.query) < std::pair(~b.votes, b.query);
    });
    return best;
  }

  device::CpuDevice device_{0, false};
};

TEST_F(Votes, AreThoseOfALoopOverAllPointsWithoutATable) {
  const Points query = random_points(1, 14), reference = random_points(2, 18);
  const Bases query_bases = bases_of(query, {.most = 12, .cells = 5}),
              bases = bases_of(reference, {.chance = BasisChoice::kAlways / 3, .cells = 5});
  ASSERT_EQ(query_bases.count, 12u);
  ASSERT_GT(bases.count, 30u);
  const auto expected = count_votes(query, list(query_bases), reference, list(bases), 5);
  ASSERT_GT(expected.size(), 5u);
  for (const std::string& table : hash::key_table_names()) {
    // The loop works on everything at once, and then on the smallest parts.
    for (const match::VoteSizes& sizes : {match::VoteSizes(), match::VoteSizes{1, 1, 1}}) {
      match::GeometricHash<device::CpuDevice> matcher(device_, table, sizes);
      matcher.build_map(bases);
      matcher.build_index(bases);
      EXPECT_EQ(matcher.vote(query_bases), expected) << table;
      EXPECT_GE(matcher.votes_cast(), expected.front().votes);
    }
  }
}

TEST_F(Votes, OfTheMapAreAllPointsOfEveryBasis) {
  const Points points = random_points(3, 20);
  const Bases bases = bases_of(points, {.cells = 4});
  match::GeometricHash<device::CpuDevice> matcher(device_, "lines");
  matcher.build_map(bases);
  std::map<std::pair<int64_t, int64_t>, uint32_t> counts;
  uint32_t longest = 0;
  for (const uint32_t basis : list(bases))
    for (uint32_t i = 0; i < points.size(); ++i)
      if (i != basis >> 16 && i != (basis & 0xffff))
        longest = std::max(longest, ++counts[coordinates(points, basis, points[i], 4)]);
  EXPECT_EQ(bases.items(), bases.count * 18);
  EXPECT_EQ(matcher.map().index().count(), counts.size());
  EXPECT_EQ(matcher.longest_run(), longest);
}

TEST_F(Votes, BasesAreTheChosenPairsThatAreNeitherTooShortNorTooLong) {
  const Points points = random_points(4, 40);
  std::set<uint32_t> expected;
  const double diagonal = std::sqrt(2.0) * kSide;
  for (uint32_t i = 0; i < points.size(); ++i)
    for (uint32_t j = 0; j < points.size(); ++j) {
      const double length = std::hypot(points[i].x - points[j].x, points[i].y - points[j].y);
      if (length > diagonal / 12 && length < diagonal / 2) expected.insert(i << 16 | j);
    }
  const auto all = list(bases_of(points, {}));
  EXPECT_EQ(std::set(all.begin(), all.end()), expected);
  EXPECT_EQ(all.size(), expected.size());
  // About a third of the bases, and the first ones by their hash.
  const auto third = list(bases_of(points, {.chance = BasisChoice::kAlways / 3})),
             some = list(bases_of(points, {.most = 50})),
             others = list(bases_of(points, {.most = 50, .seed = 1}));
  EXPECT_NEAR(static_cast<double>(third.size()), static_cast<double>(all.size()) / 3, 60);
  EXPECT_EQ(third, std::vector(all.begin(), all.begin() + static_cast<int64_t>(third.size())));
  EXPECT_EQ(some, std::vector(all.begin(), all.begin() + 50));
  EXPECT_NE(some, others);
}

TEST_F(Votes, APictureWithFewerThanThreePointsHasNoBases) {
  EXPECT_EQ(bases_of({}, {}).count, 0u);
  EXPECT_EQ(bases_of({{0, 0}}, {}).count, 0u);
  EXPECT_EQ(bases_of({{0, 0}, {50, 50}}, {}).items(), 0u);
}

// The largest picture and its shortest basis: coordinates stay within their bits.
TEST_F(Votes, CoordinatesAreExactInTheLargestPictures) {
  constexpr int32_t kFar = 32767;
  const Points points = {{0, 0}, {2731, 2731}, {kFar, kFar}, {kFar, 0}, {0, kFar}, {kFar, kFar - 1}};
  for (const uint32_t basis : {match::basis_of(0, 1), match::basis_of(1, 0), match::basis_of(4, 3)})
    for (const PixelPlace point : points)
      for (const uint32_t cells : {4u, 128u}) {
        const auto [u, v] = coordinates(points, basis, point, cells);
        EXPECT_EQ(match::BasisFrame(points.data(), basis, cells).key(point),
                  static_cast<uint32_t>(u + 32768) << 16 | static_cast<uint32_t>(v + 32768));
      }
}

}  // namespace
}  // namespace vox
