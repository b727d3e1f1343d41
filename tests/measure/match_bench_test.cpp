// Tests that every table finds pictures at the same, correct place in others, and that a missing picture is
// not found.
#include "libvox/measure/match_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "libvox/base/error.h"
#include "libvox/hash/keyed/key_table.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"

namespace vox {
namespace {

using measure::MatchBenchOptions;
using measure::MatchBenchResult;
using measure::PicturePair;
using measure::PicturePairOptions;
using measure::PixelPlace;
using measure::PointPair;
using measure::Similarity;

MatchBenchOptions match_options(const PicturePair& pair) {
  MatchBenchOptions options;
  options.tables = {"lines"};
  options.points = 128;
  options.bases = 4000;
  options.query_bases = 96;
  options.repetitions = 1;
  options.query = pair.query;
  options.reference = pair.reference;
  return options;
}

// Returns the distance in pixels between the match and the known position, at a corner of the query.
double off(const PicturePair& pair, const MatchBenchResult& result) {
  if (!result.match) return INFINITY;
  return measure::greatest_distance(pair.known, result.match->similarity, pair.query.width,
                                    pair.query.height);
}

TEST(MatchBench, FindsAPictureWithinAPixel) {
  for (const uint64_t seed : {1, 2, 3}) {
    const PicturePair pair = measure::make_picture_pair({.side = 256, .seed = seed});
    const MatchBenchResult result = measure::bench_match(*test_engine(), match_options(pair));
    EXPECT_LT(off(pair, result), 1) << seed;
    EXPECT_GT(result.share(), 0.4);
    EXPECT_EQ(result.query.width, 192u);
    EXPECT_EQ(result.reference.width, 256u);
  }
}

TEST(MatchBench, FindsAPictureBehindAsMuchClutterAsItShows) {
  const PicturePair pair = measure::make_picture_pair({.side = 256, .clutter = 100, .noise = 10, .seed = 3});
  EXPECT_LT(off(pair, measure::bench_match(*test_engine(), match_options(pair))), 1);
}

TEST(MatchBench, FindsAPictureInItself) {
  PicturePair pair = measure::make_picture_pair({.side = 256});
  pair.query = pair.reference;
  const MatchBenchResult result = measure::bench_match(*test_engine(), match_options(pair));
  ASSERT_TRUE(result.match);
  EXPECT_LT(measure::greatest_distance({}, result.match->similarity, 256, 256), 1e-9);
  EXPECT_EQ(result.share(), 1);
}

TEST(MatchBench, DoesNotFindAPictureOfSomethingElse) {
  for (const uint64_t seed : {1, 2}) {
    PicturePair pair = measure::make_picture_pair({.side = 256, .seed = seed});
    pair.query = measure::make_picture_pair({.side = 256, .seed = seed + 100}).query;
    const MatchBenchResult result = measure::bench_match(*test_engine(), match_options(pair));
    EXPECT_FALSE(result.match) << seed;
    EXPECT_EQ(result.share(), 0);
    EXPECT_GT(result.most_votes, 0u);
  }
}

TEST(MatchBench, FindsTheSameWithEveryTableDeviceAndNumberOfThreads) {
  const PicturePair pair = measure::make_picture_pair({.side = 192});
  MatchBenchOptions options = match_options(pair);
  options.bases = 1500;
  options.tables = hash::key_table_names();
  const MatchBenchResult all = measure::bench_match(*test_engine(), options);
  ASSERT_TRUE(all.match);
  ASSERT_EQ(all.rows.size(), options.tables.size());
  for (const measure::MatchBenchRow& row : all.rows) {
    EXPECT_EQ(row.error, "") << row.table;
    EXPECT_EQ(row.items, all.reference.bases * (all.reference.points - 2));
    EXPECT_EQ(row.keys, all.rows.front().keys);
    EXPECT_EQ(row.votes, all.rows.front().votes);
    EXPECT_EQ(row.most_values, all.rows.front().most_values);
    EXPECT_GT(row.mean_values(), 1);
    EXPECT_GE(static_cast<double>(row.most_values), row.mean_values());
    EXPECT_GT(row.bytes, 4 * row.items);
    ASSERT_TRUE(row.time && row.map_time && row.index_time && row.vote_time);
    EXPECT_GT(row.time->median, 0);
  }
  options.tables = {"sorted"};
  for (const uint32_t threads : {1u, 3u}) {
    const MatchBenchResult one =
        measure::bench_match(*make_engine({.device = "cpu", .threads = threads}), options);
    ASSERT_TRUE(one.match);
    EXPECT_EQ(one.match->similarity, all.match->similarity);
    EXPECT_EQ(one.match->votes, all.match->votes);
    EXPECT_EQ(one.match->points, all.match->points);
    EXPECT_EQ(one.most_votes, all.most_votes);
    EXPECT_EQ(one.query.edge_points, all.query.edge_points);
    EXPECT_EQ(one.reference.bases, all.reference.bases);
    EXPECT_EQ(one.rows.front().keys, all.rows.front().keys);
    EXPECT_EQ(one.rows.front().votes, all.rows.front().votes);
  }
}

TEST(MatchBench, APictureWithoutBasesIsAnErrorThatNamesIt) {
  const PicturePair pair = measure::make_picture_pair({.side = 64});
  const scene::Image dot = {"dot.png", 1, 1, {{0, 0, 0, 255}}};
  const scene::Image white = {"white.png", 50, 50, std::vector<scene::Rgba8>(2500, {255, 255, 255, 255})};
  for (const scene::Image& empty : {dot, white})
    for (const bool is_query : {false, true}) {
      MatchBenchOptions options = match_options(pair);
      (is_query ? options.query : options.reference) = empty;
      try {
        measure::bench_match(*test_engine(), options);
        ADD_FAILURE() << empty.name;
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(empty.name + ": the picture has too few edges"),
                  std::string::npos)
            << error.what();
      }
    }
}

TEST(MatchBench, RefusesOptionsOutOfTheirRange) {
  const auto refused = [](auto change) {
    MatchBenchOptions options;
    change(options);
    EXPECT_THROW(measure::check(options), UsageError);
  };
  EXPECT_NO_THROW(measure::check(MatchBenchOptions()));
  refused([](auto& options) { options.tables = {"round"}; });
  refused([](auto& options) { options.points = 7; });
  refused([](auto& options) { options.points = 4097; });
  refused([](auto& options) { options.bases = 0; });
  refused([](auto& options) { options.query_bases = 65537; });
  refused([](auto& options) { options.cells = 3; });
  refused([](auto& options) { options.cells = 129; });
  refused([](auto& options) { options.step = 0; });
  refused([](auto& options) { options.step = 256; });
  refused([](auto& options) { options.least_percent = 101; });
  refused([](auto& options) { options.repetitions = 0; });
  const auto refused_pair = [](const PicturePairOptions& options) {
    EXPECT_THROW(measure::check(options), UsageError);
  };
  EXPECT_NO_THROW(measure::check(PicturePairOptions()));
  refused_pair({.side = 63});
  refused_pair({.side = 4097});
  refused_pair({.clutter = 401});
  refused_pair({.noise = 65});
}

// Without clutter, noise and edges that anti-aliasing blurs, query and reference have the same grey, apart
// from the lighting, at corresponding places.
TEST(PicturePairs, ShowTheSameAtPlacesThatBelongTogether) {
  const PicturePair pair = measure::make_picture_pair({.side = 256, .clutter = 0, .noise = 0, .seed = 5});
  uint32_t same = 0, seen = 0;
  for (uint32_t y = 0; y < pair.query.height; ++y)
    for (uint32_t x = 0; x < pair.query.width; ++x) {
      const Vec2<double> at = pair.known({static_cast<double>(x), static_cast<double>(y)});
      if (at.x < 0 || at.y < 0 || at.x > 255 || at.y > 255) continue;
      const uint32_t grey =
          pair.reference
              .pixels[static_cast<size_t>(std::lround(at.y)) * 256 + static_cast<size_t>(std::lround(at.x))]
              .r;
      ++seen;
      same += pair.query.pixels[size_t{y} * pair.query.width + x].r == (grey * 217 >> 8) + 12;
    }
  EXPECT_GT(seen, 20000u);
  EXPECT_GT(same, seen * 85 / 100);
}

TEST(PicturePairs, AreOfTheirSeed) {
  const PicturePair one = measure::make_picture_pair({.side = 64}),
                    again = measure::make_picture_pair({.side = 64}),
                    other = measure::make_picture_pair({.side = 64, .seed = 2});
  EXPECT_TRUE(one.query.pixels == again.query.pixels && one.reference.pixels == again.reference.pixels);
  EXPECT_EQ(one.known, again.known);
  EXPECT_FALSE(one.query.pixels == other.query.pixels || one.reference.pixels == other.reference.pixels);
}

TEST(Similarities, AreFittedToPoints) {
  // The points are rotated by 90 degrees, scaled by two, and shifted.
  const std::vector<PointPair> pairs = {{{0, 0}, {7, -3}}, {{10, 0}, {7, 17}}, {{3, 4}, {-1, 3}}};
  const auto fit = measure::fit_similarity(pairs);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->turn, (Vec2<double>{0, 2}));
  EXPECT_EQ(fit->degrees(), 90);
  EXPECT_EQ(fit->scale(), 2);
  EXPECT_NEAR(fit->shift.x, 7, 1e-12);
  EXPECT_NEAR(fit->shift.y, -3, 1e-12);
  const Vec2<double> back = fit->inverse()({7, 17});
  EXPECT_NEAR(back.x, 10, 1e-12);
  EXPECT_NEAR(back.y, 0, 1e-12);
  EXPECT_FALSE(measure::fit_similarity(std::vector<PointPair>{{{5, 5}, {1, 2}}, {{5, 5}, {3, 4}}}));
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
  const Similarity best = *measure::fit_similarity(rough);
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
  const auto together = measure::points_together(query, reference, similarity, 5);
  EXPECT_GT(expected, 10u);
  EXPECT_EQ(together.size(), expected);
  for (const auto& [q, r] : together) EXPECT_LE(square(q, r), 25);
}

TEST(Overlays, ShowTheQuerysEdgesWhereItWasFound) {
  const PicturePair pair = measure::make_picture_pair({.side = 64, .seed = 3});
  const auto query = measure::grey_of(pair.query), reference = measure::grey_of(pair.reference);
  const auto colored = [&](const scene::Image& image) {
    return std::ranges::count_if(image.pixels, [](const auto& pixel) { return pixel.r != pixel.b; });
  };
  const scene::Image with = measure::overlay_of(query, reference, 32, pair.known),
                     without = measure::overlay_of(query, reference, 32, std::nullopt);
  EXPECT_EQ(with.width, 64u);
  EXPECT_GT(colored(with), 50);
  EXPECT_EQ(colored(without), 0);
  EXPECT_TRUE(without.pixels == pair.reference.pixels);
  // At extreme distances nothing is visible, and nothing fails.
  EXPECT_EQ(colored(measure::overlay_of(query, reference, 32, Similarity{{1e-9, 0}, {1e12, 0}})), 0);
}

}  // namespace
}  // namespace vox
