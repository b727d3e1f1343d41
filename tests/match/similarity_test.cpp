// Tests the similarities of pictures against brute force, and generated pairs of pictures against what is known of them.
#include "libvox/match/similarity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "libvox/base/error.h"
#include "libvox/match/picture_pair.h"
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
