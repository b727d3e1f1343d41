// Tests the similarities of pictures against brute force, and generated pairs of pictures against what is known of them.
#include "libvox/match/similarity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "tests/common/random.h"

namespace vox {
namespace {

using match::PicturePair;
using match::PicturePairOptions;
using match::PixelPlace;
using match::PointPair;
using match::Similarity;

TEST(PicturePairs, RefuseOptionsOutOfTheirRange) {
  const auto refused = [](const PicturePairOptions& options) {
    EXPECT_THROW(match::check(options), UsageError);
  };
  EXPECT_NO_THROW(match::check(PicturePairOptions()));
  refused({.side = 63});
  refused({.side = 4097});
  refused({.clutter = 401});
  refused({.noise = 65});
  EXPECT_NO_THROW(match::check({.side = 64, .clutter = 0, .noise = 0}));
  EXPECT_NO_THROW(match::check({.side = 4096, .clutter = 400, .noise = 64}));
}

// Without clutter, noise and edges that anti-aliasing blurs, query and reference have the same gray, apart
// from the lighting, at corresponding places.
TEST(PicturePairs, ShowTheSameAtPlacesThatBelongTogether) {
  const PicturePair pair = match::make_picture_pair({.side = 256, .clutter = 0, .noise = 0, .seed = 5});
  uint32_t same = 0, seen = 0;
  for (uint32_t y = 0; y < pair.query.height; ++y)
    for (uint32_t x = 0; x < pair.query.width; ++x) {
      const Vec2<double> at = pair.known({static_cast<double>(x), static_cast<double>(y)});
      if (at.x < 0 || at.y < 0 || at.x > 255 || at.y > 255) continue;
      const uint32_t gray =
          pair.reference
              .pixels[static_cast<size_t>(std::lround(at.y)) * 256 + static_cast<size_t>(std::lround(at.x))]
              .r;
      ++seen;
      same += pair.query.pixels[size_t{y} * pair.query.width + x].r == (gray * 217 >> 8) + 12;
    }
  EXPECT_GT(seen, 20000u);
  EXPECT_GT(same, seen * 85 / 100);
}

TEST(PicturePairs, AreOfTheirSeed) {
  const PicturePair one = match::make_picture_pair({.side = 64}),
                    again = match::make_picture_pair({.side = 64}),
                    other = match::make_picture_pair({.side = 64, .seed = 2});
  EXPECT_TRUE(one.query.pixels == again.query.pixels && one.reference.pixels == again.reference.pixels);
  EXPECT_EQ(one.known, again.known);
  EXPECT_FALSE(one.query.pixels == other.query.pixels || one.reference.pixels == other.reference.pixels);
  // These sums were recorded once: a seed stands for the same pictures for ever.
  const auto mixed = [](const scene::Image& image) {
    uint64_t sum = 0;
    for (const scene::Rgba8& pixel : image.pixels) sum = mix64(sum ^ pixel.r);
    return sum;
  };
  EXPECT_EQ(mixed(one.reference), 5946270265107162955u);
  EXPECT_EQ(mixed(one.query), 3515034949107397170u);
}

TEST(Similarities, AreFittedToPoints) {
  // The points are rotated by 90 degrees, scaled by two, and shifted.
  const std::vector<PointPair> pairs = {{{0, 0}, {7, -3}}, {{10, 0}, {7, 17}}, {{3, 4}, {-1, 3}}};
  const auto fit = match::fit_similarity(pairs);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->turn, (Vec2<double>{0, 2}));
  EXPECT_EQ(fit->degrees(), 90);
  EXPECT_EQ(fit->scale(), 2);
  EXPECT_NEAR(fit->shift.x, 7, 1e-12);
  EXPECT_NEAR(fit->shift.y, -3, 1e-12);
  const Vec2<double> back = fit->inverse()({7, 17});
  EXPECT_NEAR(back.x, 10, 1e-12);
  EXPECT_NEAR(back.y, 0, 1e-12);
  EXPECT_FALSE(match::fit_similarity(std::vector<PointPair>{{{5, 5}, {1, 2}}, {{5, 5}, {3, 4}}}));
  // No other similarity nearby has a smaller sum of squared distances.
  Random random(1);
  std::vector<PointPair> rough;
  for (int i = 0; i < 30; ++i)
    rough.push_back({{static_cast<int32_t>(random.below(500)), static_cast<int32_t>(random.below(500))},
                     {static_cast<int32_t>(random.below(500)), static_cast<int32_t>(random.below(500))}});
  const auto sum_of = [&](const Similarity& similarity) {
    double sum = 0;
    for (const auto& [q, r] : rough) {
      const Vec2<double> at = similarity({static_cast<double>(q.x), static_cast<double>(q.y)});
      sum += (at.x - r.x) * (at.x - r.x) + (at.y - r.y) * (at.y - r.y);
    }
    return sum;
  };
  const Similarity best = *match::fit_similarity(rough);
  for (const double change : {-1e-3, 1e-3})
    for (double Vec2<double>::*axis : {&Vec2<double>::x, &Vec2<double>::y})
      for (Vec2<double> Similarity::*part : {&Similarity::turn, &Similarity::shift}) {
        Similarity other = best;
        other.*part.*axis += change;
        EXPECT_GT(sum_of(other), sum_of(best));
      }
}

TEST(Similarities, BringTogetherPointsThatAreNearestToEachOther) {
  Random random(2);
  const auto places = [&](size_t count) {
    std::vector<PixelPlace> places;
    for (size_t i = 0; i < count; ++i)
      places.push_back({static_cast<int32_t>(random.below(100)), static_cast<int32_t>(random.below(100))});
    return places;
  };
  const std::vector<PixelPlace> query = places(120), reference = places(150);
  const Similarity similarity = {{0.8, 0.5}, {10.25, -20.5}};
  const auto square = [&](PixelPlace q, PixelPlace r) {
    const Vec2<double> at = similarity({static_cast<double>(q.x), static_cast<double>(q.y)});
    return (at.x - r.x) * (at.x - r.x) + (at.y - r.y) * (at.y - r.y);
  };
  size_t expected = 0;
  for (size_t q = 0; q < query.size(); ++q)
    for (size_t r = 0; r < reference.size(); ++r) {
      const double here = square(query[q], reference[r]);
      bool nearest = here <= 25;
      for (size_t i = 0; i < query.size(); ++i)
        if (const double there = square(query[i], reference[r]); there < here || (there == here && i < q))
          nearest = false;
      for (size_t i = 0; i < reference.size(); ++i)
        if (const double there = square(query[q], reference[i]); there < here || (there == here && i < r))
          nearest = false;
      expected += nearest ? 1 : 0;
    }
  const auto together = match::points_together(query, reference, similarity, 5);
  EXPECT_GT(expected, 10u);
  EXPECT_EQ(together.size(), expected);
  for (const auto& [q, r] : together) EXPECT_LE(square(q, r), 25);
}

TEST(Similarities, AreAsFarApartAsAtTheCornerWhereTheyAreFarthest) {
  const Similarity a = {{1, 0.1}, {3, 4}}, b = {{0.9, 0}, {3, -2}};
  double most = 0;
  for (const double x : {0.0, 99.0})
    for (const double y : {0.0, 49.0})
      most = std::max(most, std::hypot(a({x, y}).x - b({x, y}).x, a({x, y}).y - b({x, y}).y));
  EXPECT_NEAR(match::greatest_distance(a, b, 100, 50), most, 1e-12);
}

// Points of two pictures, of which the first `together` fall on each other when the query is moved by 1000 pixels,
// and the others lie far from all.
struct MovedPoints {
  std::vector<PixelPlace> query, reference;

  MovedPoints(uint32_t together, uint32_t all) {
    for (uint32_t i = 0; i < all; ++i) {
      const PixelPlace at = {static_cast<int32_t>(37 * i % 251), static_cast<int32_t>(53 * i % 241)};
      query.push_back(at);
      reference.push_back(i < together ? PixelPlace{at.x + 1000, at.y}
                                       : PixelPlace{-1000 - 40 * static_cast<int32_t>(i), 5000});
    }
  }
  std::optional<match::PictureMatch> match(std::vector<match::VotedPair> pairs,
                                           const match::MatchLimits& limits = {
                                               .reference_pixels = 1 << 20}) const {
    return match::best_match(query, reference, pairs, limits);
  }
  // The two bases of which consist of the same points, from number i to number j.
  static match::VotedPair right_pair(uint32_t i, uint32_t j, uint32_t votes = 1) {
    return {votes, match::basis_of(i, j), match::basis_of(i, j)};
  }
};

TEST(Matches, NeedEightPointsAndAShareOfTheQuerys) {
  const std::vector<match::VotedPair> pairs = {MovedPoints::right_pair(0, 3)};
  EXPECT_FALSE(MovedPoints(7, 20).match(pairs));
  const auto eight = MovedPoints(8, 20).match(pairs);
  ASSERT_TRUE(eight);
  EXPECT_EQ(eight->points, 8u);
  EXPECT_NEAR(eight->similarity.shift.x, 1000, 1e-9);
  const match::MatchLimits forty = {.least_percent = 40, .reference_pixels = 1 << 20},
                           more = {.least_percent = 41, .reference_pixels = 1 << 20};
  EXPECT_TRUE(MovedPoints(8, 20).match(pairs, forty));  // exactly the share
  EXPECT_FALSE(MovedPoints(8, 20).match(pairs, more));
  // On a small reference, chance brings as many points together.
  EXPECT_FALSE(MovedPoints(8, 20).match(pairs, {.reference_pixels = 1 << 10}));
}

TEST(Matches, AreTheFirstOfTheBestAmongSixtyFourPairs) {
  const MovedPoints points(12, 20);
  const match::VotedPair wrong = {5, match::basis_of(0, 1), match::basis_of(18, 19)};
  std::vector<match::VotedPair> pairs(63, wrong);
  EXPECT_FALSE(points.match(pairs));
  pairs.push_back(MovedPoints::right_pair(0, 3, 4));
  pairs.push_back(MovedPoints::right_pair(2, 5, 3));
  const auto found = points.match(pairs);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->votes, 4u);
  EXPECT_EQ(points.match({MovedPoints::right_pair(2, 5, 3), MovedPoints::right_pair(0, 3, 4)})->votes, 3u);
  pairs.insert(pairs.begin(), wrong);  // now 64 wrong ones come first
  EXPECT_FALSE(points.match(pairs));
}

TEST(Overlays, ShowExactlyTheQuerysEdges) {
  match::GrayPicture query = {16, 12, std::vector<uint8_t>(16 * 12, 200)};
  for (uint32_t i = 0; i < query.values.size(); ++i)
    if (i % 16 < 1 || (i % 16 > 8 && i / 16 > 9)) query.values[i] = 10;
  const match::GrayPicture reference = {20, 20, std::vector<uint8_t>(20 * 20, 90)};
  const match::EdgesRef edges = match::edges_of(query, query.values.data(), 32);
  for (const int32_t shift : {0, 3}) {
    const scene::Image image =
        match::overlay_of(query, reference, 32, Similarity{{1, 0}, {double(shift), 0}});
    uint32_t shown = 0;
    size_t at = 0;
    for (int32_t y = 0; y < 20; ++y)
      for (int32_t x = 0; x < 20; ++x) {
        const scene::Rgba8 pixel = image.pixels[at++];
        const bool expected = edges.is_inside(x - shift, y, 0) && edges.is_edge(x - shift, y);
        EXPECT_EQ(pixel.r != pixel.b, expected) << x << ' ' << y;
        shown += expected ? 1 : 0;
      }
    EXPECT_GT(shown, 20u);
  }
}

TEST(Overlays, ShowTheQuerysEdgesWhereItWasFound) {
  const PicturePair pair = match::make_picture_pair({.side = 64, .seed = 3});
  const auto query = match::gray_of(pair.query), reference = match::gray_of(pair.reference);
  const auto colored = [&](const scene::Image& image) {
    return std::ranges::count_if(image.pixels, [](const auto& pixel) { return pixel.r != pixel.b; });
  };
  const scene::Image with = match::overlay_of(query, reference, 32, pair.known),
                     without = match::overlay_of(query, reference, 32, std::nullopt);
  EXPECT_EQ(with.width, 64u);
  EXPECT_GT(colored(with), 50);
  EXPECT_EQ(colored(without), 0);
  EXPECT_TRUE(without.pixels == pair.reference.pixels);
  // At extreme distances nothing is visible, and nothing fails.
  EXPECT_EQ(colored(match::overlay_of(query, reference, 32, Similarity{{1e-9, 0}, {1e12, 0}})), 0);
}

}  // namespace
}  // namespace vox
