// Benchmarks of rays through scenes and of bricks, and measured tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/hash/table_options.h"
#include "libvox/measure/bricks_bench.h"
#include "libvox/measure/hash_bench.h"
#include "libvox/measure/rays_bench.h"
#include "libvox/render/render.h"
#include "libvox/render/shade.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"
#include "tests/render/traced.h"

namespace vox {
namespace {

using measure::RaysBenchOptions;
using measure::RaysBenchResult;
using measure::RaysBenchRow;
using measure::RaysState;

RaysBenchOptions few_rays() {
  RaysBenchOptions options;
  options.bounces = {0, 1, 5};
  options.picture = 12;
  options.edits = 6;
  options.radius = 3;
  options.repetitions = 1;
  return options;
}

// The rays of a path's picture and the checksum of what they hit, where each ray tests every voxel.
struct DensePaths {
  uint64_t rays = 0, checksum = 0;

  DensePaths(const DenseScene& dense, const render::PixelRays& rays_of, uint32_t picture, uint32_t bounces) {
    const std::vector<render::Course> courses = render::open_courses(rays_of.log2_side);
    for (uint32_t pixel = 0; pixel < picture * picture; ++pixel) {
      const auto middle = [](uint32_t at) {
        return (at << render::kSubpixelBits) + (1u << (render::kSubpixelBits - 1));
      };
      render::Course course = render::make_course(
          rays_of.log2_side, rays_of.direction(middle(pixel % picture), middle(pixel / picture)));
      render::FinePoint from = rays_of.eye;
      uint64_t sum = mix64(pixel);
      bool goes_on = true;
      for (uint32_t bounce = 0; goes_on && bounce <= bounces; ++bounce) {
        const render::Ray ray = render::make_ray(course, from, 0);
        const MaterialHit found = dense.trace(ray);
        ++rays;
        goes_on = found.hit.found() && render::axis_of(found.hit.at) != render::kNoAxis;
        const Int3 low = found.hit.low;
        const uint64_t code = morton_encode(uint32_t(low.x), uint32_t(low.y), uint32_t(low.z));
        sum = mix64(sum ^ (found.hit.found() ? code << 4 | uint64_t(found.material) : UINT64_MAX));
        if (!goes_on) break;
        const Int3 normal = render::face_normal(ray, found.hit);
        from = render::hit_point(from, course, ray, found.hit);
        course = courses[render::open_courses_of(normal) + sum % render::kHemisphere];
      }
      checksum += mix64(sum + pixel);
    }
  }
};

TEST(RaysBench, PathsHitWhatTheyHitInTheDenseGrid) {
  for (const bool materials : {true, false}) {
    const DenseGrid grid = materials ? DenseGrid(shell) : DenseGrid(blocks);
    const dag::FrozenDag dag = dense_dag(26, materials, grid);
    const DenseScene dense(26, [&](uint32_t x, uint32_t y, uint32_t z) {
      return materials ? grid(x, y, z) : std::min(grid(x, y, z), 0);
    });
    RaysBenchOptions options = few_rays();
    options.tables = {"accel8"};
    options.states = {RaysState::Read};
    const RaysBenchResult result = measure::bench_rays(*test_engine(), dag, options);
    ASSERT_EQ(result.rows.size(), 2u * 2 * 3);
    for (const RaysBenchRow& row : result.rows) {
      const DensePaths expected(dense, render::pixel_rays(measure::camera_of(dag, row.view, 12)), 12,
                                row.bounces);
      EXPECT_EQ(row.work.rays, expected.rays) << row.table << " " << row.bounces;
      EXPECT_EQ(row.checksum, expected.checksum) << row.table << " " << row.bounces;
      EXPECT_EQ(row.error, "");
    }
  }
}

TEST(RaysBench, AllTablesLeadToTheSameHitsBeforeAndAfterEdits) {
  const dag::FrozenDag dag = dense_dag(64, true, shell);
  const RaysBenchResult result = measure::bench_rays(*test_engine(), dag, few_rays());
  const size_t memories = 1 + hash::table_names().size(), rows = 2 * 3;
  ASSERT_EQ(result.rows.size(), 2 * memories * rows);
  const auto sectors = [&](const std::string& table, RaysState state) {
    uint64_t sum = 0;
    for (const RaysBenchRow& row : result.rows)
      sum += row.table == table && row.state == state ? row.work.sectors : 0;
    return sum;
  };
  for (const RaysState state : {RaysState::Read, RaysState::Edited}) {
    const size_t first = state == RaysState::Read ? 0 : memories * rows;
    for (size_t i = first; i < first + memories * rows; ++i) {
      const RaysBenchRow &row = result.rows[i], &frozen = result.rows[first + (i - first) % rows];
      EXPECT_EQ(row.state, state);
      EXPECT_EQ(frozen.table, RaysBenchOptions::kFrozenName);
      EXPECT_EQ(row.error, "");
      EXPECT_EQ(row.checksum, frozen.checksum) << row.table;
      EXPECT_EQ(row.work.rays, frozen.work.rays) << row.table;
      EXPECT_EQ(row.work.nodes, frozen.work.nodes) << row.table;
    }
    // Items in two pieces are read in more sectors than whole ones.
    EXPECT_GT(sectors("atomic64", state), sectors("sector", state));
  }
  EXPECT_NE(result.rows.front().checksum, result.rows[memories * rows].checksum);
}

TEST(RaysBench, RefusesWhatCannotBeMeasured) {
  const auto refused = [](const auto& change) {
    RaysBenchOptions options = few_rays();
    change(options);
    EXPECT_THROW(measure::check(options), UsageError);
  };
  refused([](RaysBenchOptions& options) { options.tables = {}; });
  refused([](RaysBenchOptions& options) { options.tables = {"lines"}; });
  refused([](RaysBenchOptions& options) { options.bounces = {RaysBenchOptions::kMostBounces + 1}; });
  refused([](RaysBenchOptions& options) { options.picture = 0; });
  refused([](RaysBenchOptions& options) { options.radius = 0; });
  EXPECT_THROW(measure::bench_rays(*test_engine(), dag::empty_dag(16, true), few_rays()), Error);
}

// Tests what the benchmark of bricks tells of itself while it runs; tests/tools/bricks_bench_test.cpp has its rows.

TEST(BricksBenchProgress, NamesEachMeasurement) {
  std::vector<std::string> told;
  set_progress_sink([&](const ProgressState& state) {
    if (!state.ended) told.push_back(std::string(state.what) + " " + std::string(state.detail));
  });
  const volume::Volume volume = memory_volume({20, 14, 9}, volume::ValueType::U8, [](Int3 v) {
    return static_cast<uint32_t>(v.x * v.y + v.z) % 200;
  });
  measure::BricksBenchOptions options;
  options.log2_sides = {3, 4};
  options.accesses = {bricks::Access::Direct};
  options.gathers = 100;
  options.picture = 16;
  options.repetitions = 1;
  const measure::BricksBenchResult result = measure::bench_bricks(*test_engine(), volume, options);
  set_progress_sink(nullptr);
  EXPECT_GE(told.size(), result.rows.size() / 2);
  const auto tells = [&](const std::string& text) {
    return std::ranges::any_of(told,
                               [&](const std::string& line) { return line.find(text) != std::string::npos; });
  };
  EXPECT_TRUE(tells("measuring "));
  EXPECT_TRUE(tells("direct, mean 7³"));
}

// Returns a DAG with many different items of every size.
dag::FrozenDag varied_dag() {
  return dense_dag(128, true, [](uint32_t x, uint32_t y, uint32_t z) {
    const uint64_t hash = mix64(x + 1000 * y + 1000000 * z),
                   density = mix64(x / 4 + 100 * (y / 4) + 10000 * (z / 4)) % 64;
    return hash % 64 < density / 2 ? static_cast<int>(hash >> 32 & 15) : dag::kEmptyVoxel;
  });
}

TEST(ExpectedSlabs, AreThoseOfADrawing) {
  Random random(1);
  for (const double mean : {0.1, 1.0, 16.0, 31.0, 96.0, 500.0}) {
    constexpr uint32_t kBuckets = 20000, kSlots = 32;
    std::vector<uint32_t> items(kBuckets);
    for (uint64_t i = 0; i < static_cast<uint64_t>(mean * kBuckets); ++i) ++items[random.below(kBuckets)];
    uint64_t slabs = 0;
    for (const uint32_t n : items) slabs += (n + kSlots - 1) / kSlots;
    const double drawn = static_cast<double>(slabs) / kBuckets;
    EXPECT_NEAR(hash::expected_slabs(mean, kSlots), drawn, 0.01 * drawn + 1e-3) << mean;
  }
}

TEST(ExpectedSlabs, SharesAddUpToOne) {
  for (const double mean : {0.0, 1e-6, 0.5, 31.9, 96.0, 4096.0, 1e6})
    for (const unsigned slots : {1u, 28u, 32u}) {
      double sum = 0;
      for (const double share : hash::slabs_of_a_bucket(mean, slots)) sum += share;
      EXPECT_NEAR(sum, 1, 1e-7) << mean << " " << slots;  // the precision of lgamma at a million is limited
    }
  // 1 − e^−m is the probability that there is an item at all.
  EXPECT_NEAR(hash::expected_slabs(0.01, 32), 1 - std::exp(-0.01), 1e-12);
}

TEST(TableMemory, OfAllSizesIsTheSumOfEach) {
  hash::TableMemory a, b;
  a.item_words = 2, a.items = 5, a.item_bytes = 40, a.slack_bytes = 7, a.chain_lengths = {1, 2};
  b.item_words = 3, b.items = 6, b.item_bytes = 72, b.bucket_bytes = 4, b.chain_lengths = {0, 1, 4};
  const hash::TableMemory sizes[] = {a, b};
  const hash::TableMemory all = measure::sum(sizes);
  EXPECT_EQ(all.items, 11u);
  EXPECT_EQ(all.total_bytes(), 40u + 72 + 4);
  EXPECT_EQ(all.allocated_bytes(), 40u + 72 + 4 + 7);
  EXPECT_EQ(all.chain_lengths, (std::vector<uint64_t>{1, 3, 4}));
}

class MeasureTables : public testing::Test {
 protected:
  std::vector<measure::TableReport> measure(const dag::FrozenDag& dag, const measure::TablesQuery& query) {
    return measure::measure_tables(*engine_, dag, query);
  }
  std::unique_ptr<Engine> engine_ = test_engine();
};

TEST_F(MeasureTables, EveryTableHoldsExactlyTheScene) {
  for (const DenseGrid& grid : all_grids())
    for (const bool materials : {false, true}) {
      const dag::FrozenDag dag = dense_dag(64, materials, grid);
      const auto reports = measure(
          dag, {.tables = hash::table_names(), .load_factors = {16, 96}, .times = true, .verify = true});
      ASSERT_EQ(reports.size(), 2 * hash::table_names().size());
      for (const measure::TableReport& report : reports) {
        SCOPED_TRACE(report.table);
        uint64_t items = 0, inserted = 0, stored = 0;
        for (size_t level = 0; level < report.levels.size(); ++level) {
          items += report.levels[level].items;
          inserted += report.levels[level].inserted;
        }
        for (const hash::TableMemory& size : report.sizes) stored += size.items;
        EXPECT_EQ(items, dag.unique_nodes());
        EXPECT_EQ(stored, inserted);
      }
    }
}

TEST_F(MeasureTables, NamesTablesAndLoadFactorsInTheirOrder) {
  const auto reports =
      measure(dense_dag(16, true, shell), {.tables = hash::table_names(), .load_factors = {512, 16}});
  for (size_t i = 0; i < reports.size(); ++i) {
    EXPECT_EQ(reports[i].table, hash::table_names()[i / 2]);
    EXPECT_EQ(reports[i].load_factor, i % 2 == 0 ? 512u : 16u);
  }
}

TEST_F(MeasureTables, TheItemsOfASizeTakeTheirWords) {
  const dag::FrozenDag dag = varied_dag();
  for (const measure::TableReport& report : measure(dag, {.tables = hash::table_names()}))
    for (const hash::TableMemory& size : report.sizes) {
      EXPECT_EQ(size.item_bytes, size.items * size.item_words * 4);
      if (report.table == "accel8") {  // as many as the items need, whose number is known beforehand
        EXPECT_EQ(size.buckets, (size.items + 95) / 96);
      }
      uint64_t buckets = 0, slabs = 0;
      for (size_t length = 0; length < size.chain_lengths.size(); ++length) {
        buckets += size.chain_lengths[length];
        slabs += length * size.chain_lengths[length];
      }
      EXPECT_EQ(buckets, size.buckets);
      EXPECT_EQ(slabs, size.slabs);
    }
}

TEST_F(MeasureTables, MeasurementAndPredictionAgree) {
  const dag::FrozenDag dag = varied_dag();
  ASSERT_GT(dag.unique_nodes(), 20000u);
  const auto reports = measure(dag, {.tables = hash::table_names(), .load_factors = {16, 96, 512}});
  for (const measure::TableReport& report : reports) {
    SCOPED_TRACE(report.table + " " + std::to_string(report.load_factor));
    const auto measured = static_cast<double>(measure::sum(report.sizes).total_bytes());
    const auto predicted = static_cast<double>(measure::sum(report.prediction).total_bytes());
    EXPECT_NEAR(measured, predicted, 0.03 * predicted);
    ASSERT_EQ(report.sizes.size(), report.prediction.size());
    for (size_t i = 0; i < report.sizes.size(); ++i) {
      EXPECT_EQ(report.sizes[i].item_words, report.prediction[i].item_words);
      EXPECT_EQ(report.sizes[i].item_bytes, report.prediction[i].item_bytes);
    }
  }
}

TEST_F(MeasureTables, TheSizeOfATableThatDoesNotFitIsPredicted) {
  const auto small = test_engine({.memory_limit = 1 << 20});  // room for a table without items
  const dag::FrozenDag dag = varied_dag();
  const measure::TablesQuery query = {
      .tables = hash::table_names(), .load_factors = {16, 96}, .predicts = true};
  const auto built = measure(dag, query), predicted = measure::measure_tables(*small, dag, query);
  ASSERT_EQ(built.size(), predicted.size());
  size_t not_built = 0;
  for (size_t i = 0; i < built.size(); ++i) {
    SCOPED_TRACE(built[i].table);
    EXPECT_TRUE(built[i].built);
    EXPECT_EQ(predicted[i].sizes.empty(), !predicted[i].built);
    not_built += predicted[i].built ? 0 : 1;
    EXPECT_EQ(predicted[i].table, built[i].table);
    EXPECT_EQ(predicted[i].load_factor, built[i].load_factor);
    // Nodes that two levels share are counted twice.
    const auto expected = static_cast<double>(measure::sum(built[i].prediction).total_bytes());
    EXPECT_NEAR(static_cast<double>(measure::sum(predicted[i].prediction).total_bytes()), expected,
                0.01 * expected);
  }
  EXPECT_GT(not_built, 0u);
}

TEST_F(MeasureTables, AnEmptySceneTakesNothing) {
  for (const measure::TableReport& report :
       measure(dag::empty_dag(64, true), {.tables = hash::table_names(), .times = true, .verify = true}))
    EXPECT_EQ(measure::sum(report.sizes).total_bytes(), 0u);
}

TEST_F(MeasureTables, OutOfMemoryNamesTheTable) {
  const auto engine = test_engine({.memory_limit = 1});
  try {
    measure::measure_tables(*engine, dense_dag(16, true, shell), {.tables = {"accel8"}});
    FAIL();
  } catch (const OutOfMemory& error) {
    EXPECT_NE(std::string(error.what()).find("table accel8, load factor 96: out of memory"),
              std::string::npos)
        << error.what();
  }
  EXPECT_THROW(measure(dense_dag(16, true, shell), {.tables = {"round"}}), UsageError);
}

// The result of a store is compared with the scene, so a wrong scene is also found.
TEST_F(MeasureTables, VerifyFindsADigestThatIsWrong) {
  dag::FrozenDag dag = dense_dag(16, true, shell);
  dag.digest.low ^= 1;
  EXPECT_NO_THROW(measure(dag, {.tables = {"accel8"}}));
  EXPECT_THROW(measure(dag, {.tables = {"accel8"}, .verify = true}), Error);
}

}  // namespace
}  // namespace vox
