// Tests the rows of the benchmark of the hash tables, and the options that it refuses.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <tuple>

#include "libvox/base/error.h"
#include "libvox/device/cpu_device.h"
#include "libvox/hash/table_options.h"
#include "libvox/measure/hash_bench.h"
#include "libvox/measure/hash_bench_impl.h"
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
  EXPECT_EQ(measure::sizes_of(options, "cpu").fill, 262144u);
  EXPECT_EQ(measure::sizes_of(options, "cpu").batch, 65536u);
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

// Tests that the benchmark of the hash tables notices a wrong table, and that its items are as it claims.

// A table whose pointers are indices of an array.
struct ArrayTables {
  struct Memory {
    const uint32_t* words;
    uint32_t item_words;
    hash::ItemRef item(uint32_t pointer) const { return words + uint64_t{pointer} * item_words; }
  };
  Memory memory;
  uint64_t items;
  Memory memory_ref() const { return memory; }
  uint64_t pointer_range() const { return items; }
};

class BenchCheck : public testing::Test {
 protected:
  static constexpr uint32_t kWords = 5;
  static constexpr uint64_t kStored = 300, kSearched = 1000;

  // Items 1 to kStored are at pointers 0 to kStored - 1. SetUp() also makes the results of a correct search.
  void SetUp() override {
    stored_words_ = items(measure::bench::Consecutive{1}, kStored);
    searched_words_ = items(numbers_, kSearched);
    for (uint64_t i = 0; i < kSearched; ++i) {
      const uint64_t number = numbers_(i);
      pointers_.push_back(number <= kStored ? static_cast<uint32_t>(number - 1) : hash::kNullPointer);
    }
  }

  template <class Numbers>
  static std::vector<uint32_t> items(const Numbers& numbers, uint64_t n) {
    std::vector<uint32_t> words(n * kWords);
    for (uint64_t i = 0; i < n; ++i)
      measure::bench::write_item(numbers(i), kWords, words.data() + i * kWords);
    return words;
  }

  measure::SearchOutcome outcome(uint64_t stored = kStored) {
    const ArrayTables tables = {{stored_words_.data(), kWords}, kStored};
    return measure::search_outcome(device_, tables, stored, numbers_,
                                   hash::BatchRef{searched_words_.data(), nullptr, nullptr, kWords},
                                   kSearched, pointers_.data());
  }
  uint64_t first(bool stored) const {
    uint64_t i = 0;
    while ((pointers_[i] != hash::kNullPointer) != stored) ++i;
    return i;
  }

  device::CpuDevice device_{0, false};
  measure::bench::RandomHits numbers_ = {kStored, kStored + 1, 50, 3};
  std::vector<uint32_t> stored_words_, searched_words_, pointers_;
};

TEST_F(BenchCheck, AcceptsACorrectSearch) {
  EXPECT_NO_THROW(measure::check_search("search", outcome()));
  EXPECT_EQ(outcome().wrong, 0u);
  EXPECT_GT(outcome().hits, 0u);
}

TEST_F(BenchCheck, RefusesACorrectSearchWhereAnotherNumberOfHitsIsExpected) {
  for (const uint64_t stored : {kStored - 50, kStored + 50})
    EXPECT_THROW(measure::check_search("search", outcome(stored)), Error);
  measure::SearchOutcome counts = outcome();
  counts.expected_hits += 1;
  EXPECT_THROW(measure::check_search("search", counts), Error);
}

TEST_F(BenchCheck, NoticesOneItemThatWasMissed) {
  pointers_[first(true)] = hash::kNullPointer;
  EXPECT_EQ(outcome().hits + 1, outcome().expected_hits);
  EXPECT_THROW(measure::check_search("search", outcome()), Error);
}

TEST_F(BenchCheck, NoticesOneItemThatIsNotStored) {
  pointers_[first(false)] = 0;
  EXPECT_THROW(measure::check_search("search", outcome()), Error);
}

TEST_F(BenchCheck, NoticesOneFoundAndOneMissedThoughTheNumberIsRight) {
  pointers_[first(true)] = hash::kNullPointer;
  pointers_[first(false)] = 0;
  EXPECT_EQ(outcome().hits, outcome().expected_hits);
  EXPECT_THROW(measure::check_search("search", outcome()), Error);
}

TEST_F(BenchCheck, NoticesAPointerToAnotherItemOrToNone) {
  const uint64_t at = first(true);
  const uint32_t right = pointers_[at];
  for (const uint32_t wrong : {(right + 1) % static_cast<uint32_t>(kStored), static_cast<uint32_t>(kStored),
                               hash::kNullPointer - 1}) {
    pointers_[at] = wrong;
    EXPECT_EQ(outcome().wrong, 1u);
    EXPECT_THROW(measure::check_search("search", outcome()), Error);
  }
}

TEST_F(BenchCheck, NoticesLeadersThatAreNone) {
  const measure::bench::RandomCopies numbers = {kSearched, 50};
  const auto check = [&](const std::vector<uint32_t>& leaders) {
    measure::check_leaders(device_, "duplicates", numbers, kSearched, leaders.data());
  };
  std::vector<uint32_t> right(kSearched);
  uint64_t copy = 0;
  for (uint32_t i = 0; i < kSearched; ++i) {
    right[i] = 0;
    while (numbers(right[i]) != numbers(i)) ++right[i];
    if (right[i] != i) copy = i;
  }
  ASSERT_GT(copy, 0u);
  EXPECT_NO_THROW(check(right));
  std::vector<uint32_t> alone = right, elsewhere = right, outside = right, follower = right;
  alone[copy] = static_cast<uint32_t>(copy);  // an item that equals a leader leads, too
  elsewhere[copy] = right[copy] == 0 ? 1 : 0;
  outside[copy] = kSearched;
  follower[right[copy]] = static_cast<uint32_t>(copy);
  for (const auto& wrong : {alone, elsewhere, outside, follower}) EXPECT_THROW(check(wrong), Error);
}

TEST(BenchItems, DifferInTheirFirstTwoWordsWhichAreNeverBothZero) {
  for (uint32_t words = hash::kMinItemWords; words <= hash::kMaxItemWords; ++words) {
    std::set<std::pair<uint32_t, uint32_t>> seen = {{0, 0}};
    for (uint64_t number = 1; number <= 5000; ++number) {
      std::vector<uint32_t> item(words + 1, 77);
      measure::bench::write_item(number, words, item.data());
      EXPECT_TRUE(seen.emplace(item[0], item[1]).second);
      EXPECT_EQ(item[words], 77u);  // nothing is written after the item
    }
  }
}

TEST(BenchItems, DifferInTheirOnlyWordWhichIsNeverZero) {
  std::set<uint32_t> seen = {0};
  for (uint64_t number = 1; number <= 500000; ++number) {
    uint32_t item[2] = {0, 77};
    measure::bench::write_item(number, 1, item);
    ASSERT_TRUE(seen.insert(item[0]).second);
    ASSERT_EQ(item[1], 77u);
  }
}

TEST(BenchItems, AreFoundAtRandomInTheShareAskedFor) {
  constexpr uint64_t kItems = 20000, kStored = 1000;
  for (const uint32_t percent : {0u, 25u, 50u, 75u, 100u}) {
    const measure::bench::RandomHits numbers = {kStored, kStored + 501, percent, 9};
    std::set<uint64_t> hits, misses;
    uint64_t found = 0;
    for (uint64_t i = 0; i < kItems; ++i) {
      const uint64_t number = numbers(i);
      EXPECT_TRUE((number >= 1 && number <= kStored) || number > kStored + 500);
      found += number <= kStored ? 1 : 0;
      (number <= kStored ? hits : misses).insert(number);
    }
    const double expected = kItems * percent / 100.0;
    EXPECT_NEAR(static_cast<double>(found), expected, 5 * std::sqrt(kItems / 4.0));
    EXPECT_EQ(misses.size(), kItems - found);  // all different
    EXPECT_GE(hits.size(), percent > 0 ? kStored * 9 / 10 : 0);
  }
}

TEST(BenchItems, AreOthersForAnotherSeed) {
  uint64_t same = 0;
  for (uint64_t i = 0; i < 1000; ++i)
    same += measure::bench::RandomHits{1000000, 1000001, 100, 1}(i) ==
                    measure::bench::RandomHits{1000000, 1000001, 100, 2}(i)
                ? 1
                : 0;
  EXPECT_LT(same, 10u);
}

}  // namespace
}  // namespace vox
