// Compares bases, their coordinates and votes with loops over all pairs and triples of points, without a
// table.
#include "libvox/measure/votes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "libvox/device/cpu_device.h"
#include "libvox/hash/keyed/key_table.h"
#include "tests/common/random.h"

namespace vox {
namespace {

using measure::BasisChoice;
using measure::PixelPlace;
using measure::VotedPair;
using Points = std::vector<PixelPlace>;
using Bases = measure::PictureBases<device::CpuDevice>;

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
    return measure::choose_bases(device_, {kSide, kSide, {}}, points, choice);
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
    for (const measure::VoteSizes& sizes : {measure::VoteSizes(), measure::VoteSizes{1, 1, 1}}) {
      measure::GeometricHash<device::CpuDevice> matcher(device_, table, sizes);
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
  measure::GeometricHash<device::CpuDevice> matcher(device_, "lines");
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
  for (const uint32_t basis : {measure::basis_of(0, 1), measure::basis_of(1, 0), measure::basis_of(4, 3)})
    for (const PixelPlace point : points)
      for (const uint32_t cells : {4u, 128u}) {
        const auto [u, v] = coordinates(points, basis, point, cells);
        EXPECT_EQ(measure::BasisFrame(points.data(), basis, cells).key(point),
                  static_cast<uint32_t>(u + 32768) << 16 | static_cast<uint32_t>(v + 32768));
      }
}

}  // namespace
}  // namespace vox
