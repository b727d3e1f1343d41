// Tests the rows of the benchmark of the hash tables, and the options that it refuses.
#include "libvox/measure/hash_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <tuple>

#include "libvox/base/error.h"
#include "libvox/hash/table_list.h"
#include "tests/common/test_engine.h"

namespace vox {
namespace {

measure::HashBenchOptions small_options() {
  measure::HashBenchOptions options;
  options.item_words = {1, 2, 7};
  options.load_factors = {16, 96};
  options.hit_rates = {0, 60, 100};
  options.fill = 20000;
  options.batch = 5000;
  return options;
}

std::vector<measure::HashBenchRow> rows_with(const measure::HashBenchResult& result, const std::string& op) {
  std::vector<measure::HashBenchRow> rows;
  std::ranges::copy_if(result.rows, std::back_inserter(rows),
                       [&](const measure::HashBenchRow& row) { return row.op == op; });
  return rows;
}

TEST(HashBench, HasARowForEveryPointOfTheAxes) {
  const measure::HashBenchResult result = measure::bench_hash(*test_engine(), small_options());
  using Point = std::tuple<std::string, uint32_t, uint32_t, std::string, uint32_t>;
  std::multiset<Point> points, expected;
  for (const measure::HashBenchRow& row : result.rows)
    if (row.op != "duplicates")
      points.emplace(row.table, row.item_words, row.load_factor, row.op, row.hit_rate);
  std::vector<std::pair<std::string, uint32_t>> tables;
  for (const std::string& table : hash::table_names())
    for (const uint32_t words : {2u, 7u}) tables.emplace_back(table, words);
  for (const char* table : {"slabset", "cuckoo_buckets"})
    for (const uint32_t words : {1u, 2u}) tables.emplace_back(table, words);
  for (const auto& [table, words] : tables)
    for (const uint32_t load : {16u, 96u}) {
      expected.emplace(table, words, load, "fill", 0);
      expected.emplace(table, words, load, "insert", 0);
      for (const uint32_t rate : {0u, 60u, 100u}) expected.emplace(table, words, load, "search", rate);
    }
  EXPECT_EQ(points, expected);
  EXPECT_GE(rows_with(result, "duplicates").size(), 6u);  // two sizes, three shares of copies
}

TEST(HashBench, MeasuresOnlyTheTablesThatAreNamed) {
  measure::HashBenchOptions options = small_options();
  options.tables = {"accel8"};
  options.item_words = {2, 7};
  options.load_factors = {96};
  const measure::HashBenchResult result = measure::bench_hash(*test_engine(), options);
  for (const measure::HashBenchRow& row : result.rows)
    EXPECT_TRUE(row.op == "duplicates" || row.table == "accel8") << row.table;
  EXPECT_EQ(rows_with(result, "fill").size(), 2u);
}

TEST(HashBench, MeasuresTablesOfKeysByItemsOfOneWordAndOfTwo) {
  measure::HashBenchOptions options = small_options();
  options.tables = {"cuckoo_buckets", "slabset"};
  options.item_words = {1, 2};
  options.load_factors = {96};
  const measure::HashBenchResult result = measure::bench_hash(*test_engine(), options);
  std::vector<std::pair<std::string, uint32_t>> filled;
  for (const measure::HashBenchRow& row : rows_with(result, "fill"))
    filled.emplace_back(row.table, row.item_words);
  EXPECT_EQ(filled, (std::vector<std::pair<std::string, uint32_t>>{
                        {"slabset", 1}, {"cuckoo_buckets", 1}, {"slabset", 2}, {"cuckoo_buckets", 2}}));
  // A search reads whole slabs and buckets of 128 bytes; slabs for keys of two words are twice as long.
  for (const measure::HashBenchRow& row : rows_with(result, "search")) {
    const double each = row.table == "slabset" ? 128 * row.item_words : 128;
    EXPECT_GE(row.bytes_per_op, each) << row.table;
    EXPECT_LE(row.bytes_per_op, each * (row.table == "slabset" ? 4 : 2)) << row.table;
  }
}

TEST(HashBench, TimesEveryRowAndKeepsTheMedianBetweenTheOthers) {
  const measure::HashBenchResult result = measure::bench_hash(*test_engine(), small_options());
  EXPECT_EQ(result.sizes.fill, 20000u);
  EXPECT_EQ(result.sizes.batch, 5000u);
  for (const measure::HashBenchRow& row : result.rows) {
    EXPECT_EQ(row.repetitions, 7u);
    EXPECT_EQ(row.items, row.op == "fill" ? 20000u : 5000u);
    EXPECT_GT(row.time.min, 0);
    EXPECT_LE(row.time.min, row.time.median);
    EXPECT_LE(row.time.median, row.time.max);
  }
}

TEST(HashBench, CountsTheMemoryOfTheItemsThatAreStoredAtThatMoment) {
  for (const measure::HashBenchRow& row : measure::bench_hash(*test_engine(), small_options()).rows) {
    if (row.op == "duplicates") continue;
    const uint64_t items = row.op == "insert" ? 25000 : 20000;
    EXPECT_GE(row.bytes, items * row.item_words * 4) << row.op;
    EXPECT_LE(row.bytes, row.allocated_bytes);
    EXPECT_LE(row.bytes, items * row.item_words * 4 * (row.load_factor == 96 ? 3 : 8)) << row.op;
  }
}

TEST(HashBench, CountsTheSectorsThatAnOperationTouchesAtLeast) {
  for (const measure::HashBenchRow& row : measure::bench_hash(*test_engine(), small_options()).rows) {
    if (row.op == "duplicates") continue;
    const double found = row.op == "search" ? row.hit_rate / 100.0 : 1;
    EXPECT_GE(row.bytes_per_op, 32 + 0.9 * found * row.item_words * 4) << row.op << ' ' << row.hit_rate;
    EXPECT_LE(row.bytes_per_op, 10000);
    EXPECT_GT(row.ceiling_share, 0);
    EXPECT_GT(row.ceiling_share_128, 0);
  }
}

TEST(HashBench, MeasuresRandomReadsFirst) {
  const measure::HashBenchResult result = measure::bench_hash(*test_engine(), small_options());
  ASSERT_GE(result.ceilings.size(), 2u);
  EXPECT_EQ(result.ceilings[0].bytes_each, 32u);
  EXPECT_EQ(result.ceilings[1].bytes_each, 128u);
  for (const measure::RandomReadCeiling& ceiling : result.ceilings) {
    EXPECT_GT(ceiling.reads_per_second, 0);
    EXPECT_GE(ceiling.buffer_bytes, 1u << 20);
  }
}

TEST(HashBench, TakesItsSizesFromTheScaleOfTheDevice) {
  measure::HashBenchOptions options;
  EXPECT_EQ(measure::sizes_of(options, "cuda:0").fill, 33554432u);
  EXPECT_EQ(measure::sizes_of(options, "cuda:0").batch, 8388608u);
  EXPECT_EQ(measure::sizes_of(options, "cpu").fill, 524288u);
  EXPECT_EQ(measure::sizes_of(options, "cpu").batch, 131072u);
  options.scale = 0.5;
  EXPECT_EQ(measure::sizes_of(options, "cpu").fill, 16777216u);
  options.batch = 77;
  EXPECT_EQ(measure::sizes_of(options, "cpu").fill, 16777216u);
  EXPECT_EQ(measure::sizes_of(options, "cpu").batch, 77u);
}

TEST(HashBench, RefusesSizesWithoutItemsAndBeyondPointers) {
  const auto refused = [](auto change) {
    measure::HashBenchOptions options;
    change(options);
    EXPECT_THROW(measure::sizes_of(options, "cpu"), UsageError);
  };
  refused([](auto& options) { options.fill = 0; });
  refused([](auto& options) { options.batch = 0; });
  refused([](auto& options) { options.scale = 0; });
  refused([](auto& options) { options.scale = -1; });
  refused([](auto& options) { options.scale = 1e-9; });
  refused([](auto& options) { options.scale = 1e9; });
  refused([](auto& options) { options.scale = 1e300; });
  refused([](auto& options) { options.fill = UINT64_MAX; });
  refused([](auto& options) { options.fill = uint64_t{1} << 32; });
  // One word does not suffice for this number of different items, two words do.
  measure::HashBenchOptions options;
  options.fill = (uint64_t{1} << 32) - 100;
  options.batch = 60;
  EXPECT_THROW(measure::sizes_of(options, "cpu"), UsageError);
  options.item_words = {2};
  EXPECT_NO_THROW(measure::sizes_of(options, "cpu"));
}

TEST(HashBench, RefusesValuesThatAnAxisDoesNotHave) {
  const auto refused = [](auto change) {
    measure::HashBenchOptions options;
    change(options);
    EXPECT_THROW(measure::check(options), UsageError);
  };
  EXPECT_NO_THROW(measure::check(measure::HashBenchOptions()));
  refused([](auto& options) { options.tables = {"round"}; });
  refused([](auto& options) { options.item_words = {2, 0}; });
  refused([](auto& options) { options.tables = {"slabset"}; });
  refused([](auto& options) { options.tables = {"accel8"}; });
  refused([](auto& options) {
    options.tables = {"accel8", "slabset"};
    options.item_words = {6};
  });
  refused([](auto& options) { options.item_words = {11}; });
  refused([](auto& options) { options.item_words = {}; });
  refused([](auto& options) { options.load_factors = {0}; });
  refused([](auto& options) { options.load_factors = {1 << 20}; });
  refused([](auto& options) { options.hit_rates = {101}; });
  refused([](auto& options) { options.hit_rates = {}; });
  refused([](auto& options) { options.repetitions = 6; });
}

TEST(HashBench, SaysThatMemoryIsTooSmallAndWhatToDo) {
  EngineOptions engine_options;
  engine_options.memory_limit = uint64_t{256} << 20;
  measure::HashBenchOptions options = small_options();
  options.fill = 50'000'000;
  try {
    measure::bench_hash(*test_engine(engine_options), options);
    FAIL() << "there was enough memory";
  } catch (const OutOfMemory& error) {
    EXPECT_NE(std::string(error.what()).find("lower the scale"), std::string::npos) << error.what();
  }
}

TEST(HashBench, SummarizesTimesByTheirMedian) {
  std::mt19937 random(1);
  for (size_t count = 1; count < 20; ++count) {
    std::vector<double> times(count);
    for (double& time : times) time = static_cast<double>(random() % 10);
    const measure::Timing timing = measure::summarize(times);
    const auto below = std::ranges::count_if(times, [&](double t) { return t < timing.median; });
    const auto above = std::ranges::count_if(times, [&](double t) { return t > timing.median; });
    EXPECT_LE(2 * static_cast<size_t>(below), count);
    EXPECT_LE(2 * static_cast<size_t>(above), count);
    EXPECT_EQ(timing.min, *std::ranges::min_element(times));
    EXPECT_EQ(timing.max, *std::ranges::max_element(times));
  }
  EXPECT_EQ(measure::summarize({1, 4}).median, 2.5);
}

}  // namespace
}  // namespace vox
