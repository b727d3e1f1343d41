// Tests that every table finds pictures at the same, correct place in others, and that a missing picture is
// not found.
#include "libvox/measure/match_bench.h"

#include <gtest/gtest.h>

#include <cmath>

#include "libvox/base/error.h"
#include "libvox/hash/keyed/key_table.h"
#include "libvox/match/picture_pair.h"
#include "tests/common/test_engine.h"

namespace vox {
namespace {

using match::PicturePair;
using measure::MatchBenchOptions;
using measure::MatchBenchResult;

MatchBenchOptions match_options(const PicturePair& pair) {
  MatchBenchOptions options;
  options.tables = {"lines"};
  options.points = 128;
  options.bases = 4000;
  options.query_bases = 96;
  options.repetitions = 1;
  options.queries = {pair.query};
  options.reference = pair.reference;
  return options;
}

// Returns the distance in pixels between the match and the known position, at a corner of the query.
double off(const PicturePair& pair, const MatchBenchResult& result) {
  const auto& match = result.queries.front().match;
  if (!match) return INFINITY;
  return match::greatest_distance(pair.known, match->similarity, pair.query.width, pair.query.height);
}

TEST(MatchBench, FindsAPictureWithinAPixel) {
  for (const uint64_t seed : {1, 2, 3}) {
    const PicturePair pair = match::make_picture_pair({.side = 256, .seed = seed});
    const MatchBenchResult result = measure::bench_match(*test_engine(), match_options(pair));
    EXPECT_LT(off(pair, result), 1) << seed;
    EXPECT_GT(result.queries.front().share(), 0.4);
    EXPECT_EQ(result.queries.front().features.width, 192u);
    EXPECT_EQ(result.reference.width, 256u);
  }
}

TEST(MatchBench, FindsAPictureBehindAsMuchClutterAsItShows) {
  const PicturePair pair = match::make_picture_pair({.side = 256, .clutter = 100, .noise = 10, .seed = 3});
  EXPECT_LT(off(pair, measure::bench_match(*test_engine(), match_options(pair))), 1);
}

TEST(MatchBench, FindsAPictureInItself) {
  PicturePair pair = match::make_picture_pair({.side = 256});
  pair.query = pair.reference;
  const MatchBenchResult result = measure::bench_match(*test_engine(), match_options(pair));
  ASSERT_TRUE(result.queries.front().match);
  EXPECT_LT(match::greatest_distance({}, result.queries.front().match->similarity, 256, 256), 1e-9);
  EXPECT_EQ(result.queries.front().share(), 1);
}

TEST(MatchBench, DoesNotFindAPictureOfSomethingElse) {
  for (const uint64_t seed : {1, 2}) {
    PicturePair pair = match::make_picture_pair({.side = 256, .seed = seed});
    pair.query = match::make_picture_pair({.side = 256, .seed = seed + 100}).query;
    const MatchBenchResult result = measure::bench_match(*test_engine(), match_options(pair));
    EXPECT_FALSE(result.queries.front().match) << seed;
    EXPECT_EQ(result.queries.front().share(), 0);
    EXPECT_GT(result.queries.front().most_votes, 0u);
  }
}

TEST(MatchBench, FindsTheSameWithEveryTableDeviceAndNumberOfThreads) {
  const PicturePair pair = match::make_picture_pair({.side = 192});
  MatchBenchOptions options = match_options(pair);
  options.bases = 1500;
  options.tables = hash::key_table_names();
  const MatchBenchResult all = measure::bench_match(*test_engine(), options);
  ASSERT_TRUE(all.queries.front().match);
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
    ASSERT_TRUE(one.queries.front().match);
    EXPECT_EQ(one.queries.front().match->similarity, all.queries.front().match->similarity);
    EXPECT_EQ(one.queries.front().match->votes, all.queries.front().match->votes);
    EXPECT_EQ(one.queries.front().match->points, all.queries.front().match->points);
    EXPECT_EQ(one.queries.front().most_votes, all.queries.front().most_votes);
    EXPECT_EQ(one.queries.front().features.edge_points, all.queries.front().features.edge_points);
    EXPECT_EQ(one.reference.bases, all.reference.bases);
    EXPECT_EQ(one.rows.front().keys, all.rows.front().keys);
    EXPECT_EQ(one.rows.front().votes, all.rows.front().votes);
  }
}

TEST(MatchBench, FindsEachQueryAsIfItWereAlone) {
  MatchBenchOptions together = match_options(match::make_picture_pair({.side = 192}));
  together.tables = {"lines", "sorted"};
  together.queries.clear();
  std::vector<PicturePair> pairs;
  for (uint32_t frame = 0; frame < 3; ++frame) {
    pairs.push_back(match::make_picture_pair({.side = 192, .frame = frame}));
    together.queries.push_back(pairs.back().query);
  }
  EXPECT_TRUE(pairs[1].reference.pixels == pairs[0].reference.pixels);
  EXPECT_FALSE(pairs[1].query.pixels == pairs[0].query.pixels);
  const MatchBenchResult all = measure::bench_match(*test_engine(), together);
  ASSERT_EQ(all.queries.size(), 3u);
  uint64_t votes = 0;
  for (size_t i = 0; i < 3; ++i) {
    MatchBenchOptions alone = match_options(pairs[i]);
    const MatchBenchResult one = measure::bench_match(*test_engine(), alone);
    EXPECT_LT(off(pairs[i], one), 1);
    ASSERT_TRUE(all.queries[i].match && one.queries.front().match);
    EXPECT_EQ(all.queries[i].match->similarity, one.queries.front().match->similarity);
    EXPECT_EQ(all.queries[i].most_votes, one.queries.front().most_votes);
    votes += one.rows.front().votes;
  }
  for (const measure::MatchBenchRow& row : all.rows) {
    EXPECT_EQ(row.error, "") << row.table;
    EXPECT_EQ(row.votes, votes) << row.table;
  }
}

TEST(MatchBench, APictureWithoutBasesIsAnErrorThatNamesIt) {
  const PicturePair pair = match::make_picture_pair({.side = 64});
  const scene::Image dot = {"dot.png", 1, 1, {{0, 0, 0, 255}}};
  const scene::Image white = {"white.png", 50, 50, std::vector<scene::Rgba8>(2500, {255, 255, 255, 255})};
  for (const scene::Image& empty : {dot, white})
    for (const bool is_query : {false, true}) {
      MatchBenchOptions options = match_options(pair);
      (is_query ? options.queries.front() : options.reference) = empty;
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
}

}  // namespace
}  // namespace vox
