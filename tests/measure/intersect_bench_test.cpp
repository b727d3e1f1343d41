// Benchmarks whose results are compared with loops: the intersection of moving surfaces, and pictures found in others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "libvox/base/error.h"
#include "libvox/hash/keyed/key_table.h"
#include "libvox/match/similarity.h"
#include "libvox/measure/intersect_bench.h"
#include "libvox/measure/match_bench.h"
#include "tests/common/test_engine.h"
#include "tests/voxelize/brute_force.h"
#include "tests/voxelize/soup.h"

namespace vox {
namespace {

using measure::IntersectCounts;
using measure::IntersectOptions;
using measure::IntersectResult;

// A mesh in one frame: its snapped triangles, and the triangles in each voxel that it fills.
struct StandingMesh {
  std::vector<brute::SnappedTriangle> triangles;
  std::map<std::tuple<int, int, int>, std::vector<uint32_t>> voxels;

  StandingMesh(const scene::Scene& scene, const measure::MeshPlace& place, uint32_t resolution) {
    scene::Scene placed = scene;
    for (Vec3d& position : placed.positions) position = place(position);
    triangles = brute::snap_scene(placed, unit_grid(resolution));
    for (uint32_t t = 0; t < triangles.size(); ++t)
      brute::for_each_voxel(brute::voxel_range(triangles[t], resolution), [&](Int3 v) {
        if (brute::touches_cube(triangles[t], v)) voxels[{v.x, v.y, v.z}].push_back(t);
      });
  }
};

IntersectCounts brute_counts(const StandingMesh& first, const StandingMesh& second) {
  IntersectCounts counts = {.first_voxels = first.voxels.size(), .second_voxels = second.voxels.size()};
  std::set<std::pair<uint32_t, uint32_t>> candidates;
  for (const auto& [voxel, triangles] : first.voxels) {
    const auto found = second.voxels.find(voxel);
    if (found == second.voxels.end()) continue;
    ++counts.common_voxels;
    for (const uint32_t a : triangles)
      for (const uint32_t b : found->second) candidates.emplace(a, b);
  }
  counts.candidates = candidates.size();
  // The loop goes through all pairs and not only the candidates: triangles that meet share the voxel in which
  // they do.
  for (const brute::SnappedTriangle& a : first.triangles)
    for (const brute::SnappedTriangle& b : second.triangles)
      counts.meeting += brute::triangles_meet(a.v, b.v);
  return counts;
}

void expect_brute_counts(const scene::Scene& first, const scene::Scene& second,
                         const IntersectOptions& options) {
  const IntersectResult result = measure::bench_intersect(*test_engine(), first, second, options);
  const measure::MovingPair pair = {options.resolution, options.frames};
  ASSERT_EQ(result.rows.size(), options.frames);
  for (const measure::IntersectRow& row : result.rows) {
    SCOPED_TRACE(row.frame);
    const StandingMesh a(first, pair.resting(voxelize::bounding_box(first)), options.resolution);
    const StandingMesh b(second, pair.moving(voxelize::bounding_box(second), row.frame), options.resolution);
    const IntersectCounts expected = brute_counts(a, b);
    EXPECT_EQ(row.counts.first_voxels, expected.first_voxels);
    EXPECT_EQ(row.counts.second_voxels, expected.second_voxels);
    EXPECT_EQ(row.counts.common_voxels, expected.common_voxels);
    EXPECT_EQ(row.counts.candidates, expected.candidates);
    EXPECT_EQ(row.counts.meeting, expected.meeting);
  }
}

scene::Scene two_squares(double low, double high) {
  Soup soup;
  for (const double y : {low, high}) {
    soup.add({Vec3d{0, y, 0}, {1, y, 0}, {0, y, 1}});
    soup.add({Vec3d{1, y, 1}, {1, y, 0}, {0, y, 1}});
  }
  return soup.scene;
}

TEST(IntersectBench, FindsTheVoxelsAndPairsThatLoopsOverAllFind) {
  const Soup first = bumpy_sphere({5, -2, 3}, 7, 4, 0.2, 1), second = bumpy_sphere({0, 0, 0}, 2, 3, 0.3, 2);
  expect_brute_counts(first.scene, second.scene, {.resolution = 21, .frames = 2});
  expect_brute_counts(tetrahedron({0, 0, 0}, {3, 0, 1}, {0, 2, 0}, {1, 1, 3}).scene, cube(-1, 1).scene,
                      {.resolution = 40, .frames = 3});
}

TEST(IntersectBench, FindsAMeshWholeInItself) {
  const scene::Scene mesh = bumpy_sphere({0, 0, 0}, 1, 3, 0.2, 3).scene;
  const IntersectOptions options = {.resolution = 32, .frames = 1};
  expect_brute_counts(mesh, mesh, options);
  const IntersectCounts counts =
      measure::bench_intersect(*test_engine(), mesh, mesh, options).rows.front().counts;
  EXPECT_EQ(counts.common_voxels, counts.first_voxels);
  EXPECT_EQ(counts.common_voxels, counts.second_voxels);
  EXPECT_GE(counts.meeting, mesh.triangles.size());
}

TEST(IntersectBench, FindsNothingOfMeshesThatLieApart) {
  const scene::Scene outer = two_squares(0, 1), inner = two_squares(0.3, 0.7);
  const IntersectOptions options = {.resolution = 32, .frames = 2};
  expect_brute_counts(outer, inner, options);
  for (const measure::IntersectRow& row :
       measure::bench_intersect(*test_engine(), outer, inner, options).rows) {
    EXPECT_EQ(row.counts.common_voxels, 0u);
    EXPECT_EQ(row.counts.meeting, 0u);
  }
}

TEST(IntersectBench, MeasuresEveryTableWithOneResult) {
  const scene::Scene first = bumpy_sphere({0, 0, 0}, 1, 8, 0.1, 4).scene, second = cube(0, 1).scene;
  const IntersectResult result =
      measure::bench_intersect(*test_engine(), first, second, {.tables = {}, .resolution = 64, .frames = 2});
  const std::vector<std::string> tables = hash::key_table_names();
  ASSERT_EQ(result.summaries.size(), tables.size());
  ASSERT_EQ(result.rows.size(), 2 * tables.size());
  for (size_t i = 0; i < tables.size(); ++i) {
    const measure::IntersectSummary& summary = result.summaries[i];
    EXPECT_EQ(summary.table, tables[i]);
    EXPECT_EQ(summary.error, "");
    ASSERT_TRUE(summary.frame.has_value());
    EXPECT_GT(*summary.frames_per_second(), 0);
    EXPECT_GT(summary.bytes, 0u);
    for (size_t frame = 0; frame < 2; ++frame) {
      const measure::IntersectRow& row = result.rows[2 * i + frame];
      EXPECT_EQ(row.table, tables[i]);
      EXPECT_EQ(row.frame, frame);
      EXPECT_TRUE(row.counts == result.rows[frame].counts);
      EXPECT_GT(row.total_seconds(), 0);
    }
  }
}

struct BruteSides {
  uint64_t common = 0, inside = 0;
};

// The voxels of `mesh` that `other`, which is closed, fills too, and those inside it.
BruteSides brute_sides(const StandingMesh& mesh, const StandingMesh& other, uint32_t resolution) {
  const Dense inside = brute::inside(other.triangles, resolution, resolution, 0);
  BruteSides counts;
  for (const auto& [voxel, triangles] : mesh.voxels) {
    const auto [x, y, z] = voxel;
    if (other.voxels.contains(voxel))
      ++counts.common;
    else
      counts.inside += inside.filled({x, y, z});
  }
  return counts;
}

TEST(IntersectBench, CombinesClosedMeshesByTheirInsides) {
  const scene::Scene first = bumpy_sphere({0, 0, 0}, 1, 10, 0.1, 5).scene,
                     second = bumpy_sphere({0, 0, 0}, 1, 9, 0.1, 6).scene;
  IntersectOptions options = {.tables = {}, .resolution = 64, .frames = 2};
  const measure::MovingPair pair = {options.resolution, options.frames};
  std::vector<BruteSides> first_sides, second_sides;
  for (uint32_t frame = 0; frame < options.frames; ++frame) {
    const StandingMesh a(first, pair.resting(voxelize::bounding_box(first)), options.resolution);
    const StandingMesh b(second, pair.moving(voxelize::bounding_box(second), frame), options.resolution);
    first_sides.push_back(brute_sides(a, b, options.resolution));
    second_sides.push_back(brute_sides(b, a, options.resolution));
  }
  for (const voxelize::Combination combination :
       {voxelize::Combination::Union, voxelize::Combination::Intersect, voxelize::Combination::Subtract}) {
    options.combination = combination;
    const IntersectResult result = measure::bench_intersect(*test_engine(), first, second, options);
    ASSERT_EQ(result.rows.size(), options.frames * result.summaries.size());
    for (uint32_t frame = 0; frame < options.frames; ++frame) {
      SCOPED_TRACE(frame);
      const IntersectCounts& counts = result.rows[frame].counts;
      const BruteSides &a = first_sides[frame], &b = second_sides[frame];
      EXPECT_EQ(counts.first_sides.inside, a.inside);
      EXPECT_EQ(counts.second_sides.inside, b.inside);
      EXPECT_EQ(counts.common_voxels, a.common);
      const uint64_t first_kept = combination == voxelize::Combination::Intersect
                                      ? a.common + a.inside
                                      : counts.first_voxels - a.inside,
                     second_kept = combination == voxelize::Combination::Union
                                       ? counts.second_voxels - b.inside
                                       : b.common + b.inside;
      EXPECT_EQ(counts.kept_voxels, first_kept + second_kept);
    }
  }
}

TEST(IntersectBench, TheMovingPairStaysOnTheGrid) {
  const voxelize::Box box = {{-3, 7, 1}, {-1, 9, 3}};  // a cube, which is widest when it is rotated
  const measure::MovingPair pair = {128, 61};
  for (uint32_t frame = 0; frame < pair.frames; ++frame) {
    const measure::MeshPlace place = pair.moving(box, frame);
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3d p = place({corner & 1 ? box.max.x : box.min.x, corner & 2 ? box.max.y : box.min.y,
                             corner & 4 ? box.max.z : box.min.z});
      EXPECT_GT(std::min({p.x, p.y, p.z}), 0);
      EXPECT_LT(std::max({p.x, p.y, p.z}), 128);
    }
  }
  EXPECT_NEAR(pair.shift(0), -25.6, 1e-9);
  EXPECT_NEAR(pair.shift(30), 0, 1e-9);
  EXPECT_NEAR(pair.shift(60), 25.6, 1e-9);
  EXPECT_EQ((measure::MovingPair{128, 1}).shift(0), 0);
}

TEST(IntersectBench, RefusesMeshesWithoutTrianglesAndOptionsThatMakeNoSense) {
  const scene::Scene mesh = cube(0, 1).scene;
  EXPECT_THROW(measure::bench_intersect(*test_engine(), mesh, scene::Scene(), {}), Error);
  EXPECT_THROW(measure::bench_intersect(*test_engine(), scene::Scene(), mesh, {}), Error);
  EXPECT_THROW(measure::check(IntersectOptions{.tables = {"round"}}), UsageError);
  EXPECT_THROW(measure::check(IntersectOptions{.resolution = 7}), UsageError);
  EXPECT_THROW(measure::check(IntersectOptions{.resolution = 1025}), UsageError);
  EXPECT_THROW(measure::check(IntersectOptions{.frames = 0}), UsageError);
  EXPECT_THROW(measure::check(IntersectOptions{.frames = 100'001}), UsageError);
  EXPECT_NO_THROW(measure::check(IntersectOptions{}));
}

// Tests that every table finds pictures at the same, correct place in others, and that a missing picture is
// not found.

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
