// Tables of keys that hold many values for a key or grow while they are filled.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <tuple>
#include <unordered_map>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/hash/keyed/any_key_table.h"

namespace vox {
namespace {

// Tests the peculiarities of the tables whose buckets a group searches, `slabset` and `cuckoo_buckets`: more
// keys can be inserted, and a key that several threads bring at the same time is stored once.

using Keys = std::vector<uint64_t>;
using Table = std::unique_ptr<AnyGrowingKeyTable<uint64_t>>;

Keys mixed_keys(uint64_t count, uint64_t seed = 1) {
  Keys keys;
  for (uint64_t i = 0; i < count; ++i) keys.push_back(mix64(i + (seed << 40)));
  return keys;
}

double sectors_of_a_search(AnyKeyTable<uint64_t>& table, const Keys& keys) {
  const auto sectors = table.count_sectors(keys);
  return std::accumulate(sectors.begin(), sectors.end(), 0.0) / static_cast<double>(sectors.size());
}

class GrowingTable : public testing::Test {
 protected:
  template <class Cell = uint64_t>
  std::unique_ptr<AnyGrowingKeyTable<Cell>> make(const hash::KeyTableOptions& options) {
    return make_any_growing_key_table<Cell>(engine_->handle(), options);
  }

  std::unique_ptr<Engine> engine_ = test_engine();
};

class GrowingTables : public GrowingTable, public testing::WithParamInterface<std::string> {
 protected:
  template <class Cell = uint64_t>
  std::unique_ptr<AnyGrowingKeyTable<Cell>> make_one(hash::KeyTableOptions options = {}) {
    options.table = GetParam();
    return make<Cell>(options);
  }
  static void expect_holds(AnyKeyTable<uint64_t>& table, const Keys& keys, const Keys& others = {}) {
    const Keys cells = table.cells();
    uint64_t stored = table.holds_apart() ? 1 : 0;
    for (size_t i = 0; i + 1 < cells.size(); ++i) stored += cells[i] != UINT64_MAX ? 1 : 0;
    EXPECT_EQ(stored, keys.size());
    const auto slots = table.find(keys);
    for (size_t i = 0; i < keys.size(); ++i) {
      ASSERT_LT(slots[i], cells.size()) << i;
      ASSERT_EQ(cells[slots[i]], keys[i]) << i;
    }
    for (const uint32_t slot : table.find(others)) ASSERT_EQ(slot, hash::kNoSlot);
  }
};

INSTANTIATE_TEST_SUITE_P(All, GrowingTables, testing::ValuesIn(hash::growing_key_table_names()),
                         [](const auto& info) { return info.param; });

TEST_P(GrowingTables, HoldWhatIsPutIntoThemLater) {
  for (const uint64_t expected : {0, 12000}) {
    const Table table = make_one();
    if (expected > 0) table->expect(expected, 96);
    Keys keys = mixed_keys(5000);
    table->build(keys);
    const uint64_t bytes = table->bytes();
    for (uint64_t batch = 2; batch < 9; ++batch) {
      const Keys more = mixed_keys(1000, batch);
      keys.insert(keys.end(), more.begin(), more.end());
      EXPECT_EQ(table->insert(more).keys, keys.size());
      expect_holds(*table, keys, mixed_keys(3000, 99));
    }
    if (expected > 0) {
      EXPECT_EQ(table->bytes(), bytes) << "there was room for them";
    }
    EXPECT_LE(table->bytes_in_use(), table->bytes());
    EXPECT_GE(table->bytes_in_use(), keys.size() * 8);
  }
}

TEST_P(GrowingTables, GrowFromNothing) {
  const Table table = make_one();
  Keys keys;
  for (const uint64_t count : {0, 1, 10, 1000, 50000}) {
    const Keys more = mixed_keys(count, 10 + count);
    keys.insert(keys.end(), more.begin(), more.end());
    EXPECT_EQ(table->insert(more).keys, keys.size());
    expect_holds(*table, keys);
  }
}

TEST_P(GrowingTables, KnowAKeyThatIsPutIntoThemAgain) {
  const Table table = make_one();
  Keys keys = mixed_keys(5000);
  keys.push_back(UINT64_MAX);
  table->build(Keys(keys.begin(), keys.begin() + 3000));
  Keys all = keys;
  for (int copies = 0; copies < 2; ++copies) all.insert(all.end(), keys.begin(), keys.end());
  std::shuffle(all.begin(), all.end(), std::mt19937(1));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(table->insert(all).keys, 5001u);
    expect_holds(*table, keys);
    EXPECT_TRUE(table->holds_apart());
  }
}

TEST_P(GrowingTables, RefuseAKeyThatIsStoredWithAnotherValue) {
  for (const uint64_t key : {uint64_t{5}, UINT64_MAX >> 4}) {
    const Table table = make_one({.value_bits = 4});
    table->build({1 << 4 | 1, key << 4 | 2});
    EXPECT_EQ(table->insert({key << 4 | 2}).keys, 2u);
    EXPECT_THROW(table->insert({key << 4 | 3}), Error);
  }
}

// Few keys come very often and at the same time.
TEST_P(GrowingTables, StoreAKeyOnceThatManyThreadsBringAtTheSameTime) {
  for (const uint64_t different : {1, 7, 100, 3000})
    for (uint32_t round = 0; round < 3 * kThoroughness; ++round) {
      const Keys keys = mixed_keys(different, round);
      Keys all;
      for (uint64_t i = 0; i < 40000; ++i) all.push_back(keys[mix64(i) % different]);
      all.insert(all.end(), keys.begin(), keys.end());
      const Table table = make_one({.load_factor = 0.95});
      table->expect(different, 1000);
      EXPECT_EQ(table->build(all).keys, different);
      expect_holds(*table, keys);
    }
}

// The first key of a list reads its slab of 8 sectors and takes a cell of it. In `cuckoo_buckets`, one of two
// empty buckets is locked, both of 4 sectors are read, a cell is taken, and the lock is released. Full lists
// and buckets take more sectors, and so do keys that many threads bring to one at the same time.
TEST_P(GrowingTables, CountTheSectorsThatAnInsertionTouches) {
  const Table table = make_one();
  table->expect(4000, 8);
  table->build({});
  const uint64_t least = GetParam() == "slabset" ? 8 + 1 : 1 + 2 * 4 + 1 + 1;
  EXPECT_EQ(table->insert_counted({5}).sectors, least);
  const Keys keys = mixed_keys(2000);
  const uint64_t sectors = table->insert_counted(keys).sectors;
  EXPECT_GE(sectors, least * keys.size());
  EXPECT_LE(sectors, 8 * least * keys.size());
  EXPECT_EQ(table->insert(mixed_keys(100, 2)).sectors, 0u);
  Keys all = mixed_keys(100, 2);
  all.insert(all.end(), keys.begin(), keys.end());
  all.push_back(5);
  expect_holds(*table, all);
}

TEST_P(GrowingTables, AreNotOtherTables) {
  hash::KeyTableOptions options;
  options.table = "lines";
  EXPECT_THROW(make(options), UsageError);
}

class SlabSet : public GrowingTable {};

// A bucket of c keys takes as many slabs of 31 as they fill, and at least one.
TEST_F(SlabSet, TakesNoSlabInVain) {
  const Keys keys = mixed_keys(20000);
  for (const uint32_t keys_per_bucket : {16, 96, 400}) {
    const Table table = make({.table = "slabset"});
    table->expect(keys.size(), keys_per_bucket);
    table->build(keys);
    const uint64_t buckets = (keys.size() + keys_per_bucket - 1) / keys_per_bucket;
    // Each slab is full up to its first empty slot, and only full slabs have a successor.
    const Keys cells = table->cells();
    const uint64_t slabs = table->bytes_in_use() / 256;
    uint64_t full = 0;
    for (uint64_t slab = 0; slab < slabs; ++slab) {
      uint64_t filled = 0;
      while (filled < 31 && cells[slab * 32 + filled] != UINT64_MAX) ++filled;
      for (uint64_t slot = filled; slot < 31; ++slot) ASSERT_EQ(cells[slab * 32 + slot], UINT64_MAX);
      ASSERT_TRUE(slab < buckets || filled > 0) << slab;
      full += filled == 31 ? 1 : 0;
    }
    EXPECT_GE(full, slabs - buckets);
    EXPECT_LE(slabs, buckets + keys.size() / 31);
  }
}

TEST_F(SlabSet, IsAsFullAsTheLoadFactorSays) {
  for (const double load_factor : {0.8, 0.86, 0.95}) {
    const Table table = make({.table = "slabset", .load_factor = load_factor});
    table->build(mixed_keys(200000));
    const double slots = static_cast<double>(table->bytes_in_use()) / 256 * 31;
    EXPECT_NEAR(200000 / slots, load_factor, 0.02);
  }
}

// With 96 keys a bucket, a list has 3.6 slabs of 8 sectors. A search for a key that is not stored reads them
// all.
TEST_F(SlabSet, ASearchReadsTheListOfABucket) {
  const Table table = make({.table = "slabset"});
  table->expect(100000, 96);
  const auto build = table->build(mixed_keys(100000));
  EXPECT_NEAR(sectors_of_a_search(*table, mixed_keys(20000, 2)), 3.6 * 8, 1);
  EXPECT_NEAR(sectors_of_a_search(*table, mixed_keys(100000)), 2.1 * 8, 1);
  EXPECT_GE(build.most_probes, 4u);
  EXPECT_LE(build.most_probes, 6u);
}

TEST_F(SlabSet, LinksAreNotTakenForKeys) {
  const auto table = make<uint32_t>({.table = "slabset"});
  table->expect(1000, 1000);  // one list of 33 slabs with links to slabs 1, 2, 3, …
  std::vector<uint32_t> keys, links(64);
  for (uint32_t i = 0; i < 1000; ++i) keys.push_back(1000 + i);
  std::iota(links.begin(), links.end(), 0);
  table->build(keys);
  for (const uint32_t slot : table->find(links)) EXPECT_EQ(slot, hash::kNoSlot);
  for (const uint32_t cell : table->cells()) EXPECT_TRUE(cell >= 1000) << cell;
}

class CuckooBuckets : public GrowingTable {};

TEST_F(CuckooBuckets, AreFullToTheLoadFactorThatIsAskedFor) {
  for (const double load_factor : {0.5, 0.8, 0.9, 0.95, 0.99}) {
    const Table table = make({.table = "cuckoo_buckets", .load_factor = load_factor});
    const auto build = table->build(mixed_keys(100000));
    EXPECT_EQ(build.attempts, 1u) << load_factor;
    EXPECT_EQ(build.most_probes, 2u);
    EXPECT_NEAR(100000 / static_cast<double>(table->cells().size() - 1), load_factor, 2e-3);
    EXPECT_EQ(table->insert(mixed_keys(10)).keys, 100000u);
  }
}

TEST_F(CuckooBuckets, ASearchReadsOneBucketOrTwo) {
  const Table table = make({.table = "cuckoo_buckets", .load_factor = 0.8});
  table->build(mixed_keys(100000));
  EXPECT_EQ(sectors_of_a_search(*table, mixed_keys(10000, 2)), 8);
  const double stored = sectors_of_a_search(*table, mixed_keys(100000));
  EXPECT_GE(stored, 4);
  EXPECT_LE(stored, 4.6);
}

// The test fills tables completely, many times: no key may be lost while cells are moved, and few builds may
// need a second attempt.
TEST_F(CuckooBuckets, AreBuiltAtTheFirstAttempt) {
  uint32_t attempts = 0;
  const uint32_t kBuilds = 200 * kThoroughness;
  for (uint32_t round = 0; round < kBuilds; ++round) {
    const Table table = make({.table = "cuckoo_buckets", .load_factor = 0.95});
    const Keys keys = mixed_keys(4 * 16 * 19, round);  // 5 buckets in each sub-table
    attempts += table->build(keys).attempts;
    const auto slots = table->find(keys);
    ASSERT_EQ(std::ranges::count(slots, hash::kNoSlot), 0) << round;
  }
  EXPECT_LE(attempts, kBuilds + kBuilds / 50);
}

// Compares maps from a key to several values, and the index of their keys, with maps of the standard library,
// for every variant of tables of voxel keys.

using hash::KeyRun;
using hash::RunOrder;

const uint32_t kCount = 3000 * kThoroughness;

template <class Cell>
struct Items {
  std::vector<Cell> keys;
  std::vector<uint32_t> values;

  void add(Cell key) {
    keys.push_back(key);
    values.push_back(static_cast<uint32_t>(mix64(values.size() + 5)));
  }
};

// Returns keys that occur about `copies` times each, in any order.
template <class Cell>
Items<Cell> random_items(uint32_t count, uint32_t copies) {
  Items<Cell> items;
  for (uint64_t i = 0; i < count; ++i)
    items.add(static_cast<Cell>(mix64(mix64(i + 3) % (count / copies + 1) + 1000)));
  return items;
}

template <class Cell>
class MultiMaps : public testing::TestWithParam<std::tuple<std::string, RunOrder>> {
 protected:
  std::unique_ptr<AnyMultiMap<Cell>> make() {
    return make_any_multi_map<Cell>(engine_->handle(), {.table = std::get<0>(GetParam())},
                                    std::get<1>(GetParam()));
  }

  void expect_holds(AnyMultiMap<Cell>& map, const Items<Cell>& items) {
    std::map<Cell, std::vector<uint32_t>> expected;
    for (size_t i = 0; i < items.keys.size(); ++i) expected[items.keys[i]].push_back(items.values[i]);
    expect_numbers_keys(map, expected);
    std::vector<Cell> keys;
    for (const auto& [key, values] : expected) keys.insert(keys.end(), {key, static_cast<Cell>(key + 1)});
    const std::vector<KeyRun> runs = map.find(keys);
    const std::vector<uint32_t> values = map.values();
    uint64_t found_values = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
      const auto found = expected.find(keys[i]);
      if (found == expected.end()) {
        ASSERT_EQ(runs[i], KeyRun{}) << keys[i];
        continue;
      }
      ASSERT_LE(uint64_t{runs[i].begin} + runs[i].count, values.size()) << keys[i];
      const auto begin = values.begin() + runs[i].begin;
      std::vector<uint32_t> run(begin, begin + runs[i].count), expected_run = found->second;
      if (std::get<1>(GetParam()) == RunOrder::kAny) {
        std::sort(run.begin(), run.end());
        std::sort(expected_run.begin(), expected_run.end());
      }
      ASSERT_EQ(run, expected_run) << keys[i];
      if (i % 2 == 0) found_values += run.size();
    }
    EXPECT_EQ(found_values, values.size());
  }

  // Expects that each key has a number of its own, below the number of keys, and that the number leads back
  // to the key.
  static void expect_numbers_keys(AnyMultiMap<Cell>& map,
                                  const std::map<Cell, std::vector<uint32_t>>& expected) {
    const std::vector<Cell> keys = map.numbered_keys();
    ASSERT_EQ(keys.size(), expected.size());
    const std::vector<uint32_t> numbers = map.find_numbers(keys);
    for (uint32_t i = 0; i < keys.size(); ++i) {
      ASSERT_TRUE(expected.contains(keys[i])) << keys[i];
      ASSERT_EQ(numbers[i], i);
    }
    for (Cell key = 12345; key < 12400; ++key)
      EXPECT_EQ(map.find_numbers({key}).front() != hash::kNoNumber, expected.contains(key)) << key;
  }

  void expect_maps(const Items<Cell>& items) {
    const auto map = make();
    const hash::KeyTableBuild build = map->build(items.keys, items.values);
    EXPECT_EQ(build.keys, map->numbered_keys().size());
    EXPECT_GE(map->bytes(), items.keys.size() * 4);
    expect_holds(*map, items);
  }

  std::unique_ptr<Engine> engine_ = test_engine();
};

class MultiMaps32 : public MultiMaps<uint32_t> {};
class MultiMaps64 : public MultiMaps<uint64_t> {};
const auto kMapCases = testing::Combine(testing::ValuesIn(hash::key_table_names()),
                                        testing::Values(RunOrder::kInput, RunOrder::kAny));
const auto kMapName = [](const auto& info) {
  std::string name = std::get<0>(info.param);
  std::ranges::replace(name, '-', '_');
  return name + (std::get<1>(info.param) == RunOrder::kInput ? "_input" : "_any");
};
INSTANTIATE_TEST_SUITE_P(All, MultiMaps32, kMapCases, kMapName);
INSTANTIATE_TEST_SUITE_P(All, MultiMaps64, kMapCases, kMapName);

TEST_P(MultiMaps32, KeysHaveTheirValues) {
  for (const uint32_t copies : {1u, 3u, 100u}) expect_maps(random_items<uint32_t>(kCount, copies));
}

TEST_P(MultiMaps64, KeysHaveTheirValues) {
  for (const uint32_t copies : {1u, 3u, 100u, kCount / 2})
    expect_maps(random_items<uint64_t>(kCount, copies));
}

TEST_P(MultiMaps64, AFewItemsAndNoneAreMapped) {
  for (const uint32_t count : {0u, 1u, 2u, 5u}) expect_maps(random_items<uint64_t>(count, 1));
}

TEST_P(MultiMaps64, TheKeyThatIsAllOnesHasANumberAndValues) {
  Items<uint64_t> items = random_items<uint64_t>(500, 2);
  for (int i = 0; i < 3; ++i) items.add(UINT64_MAX);
  expect_maps(items);
  Items<uint64_t> alone;
  alone.add(UINT64_MAX);
  expect_maps(alone);
}

TEST_P(MultiMaps64, AMapIsBuiltAnewInPlaceOfWhatItHeld) {
  const auto map = make();
  for (const uint32_t count : {1000u, 10u, 3000u, 0u}) {
    const auto items = random_items<uint64_t>(count, 3);
    map->build(items.keys, items.values);
    expect_holds(*map, items);
  }
}

TEST(MultiMapOptions, ValuesInCellsAreAnError) {
  const auto engine = test_engine();
  EXPECT_THROW(make_any_multi_map<uint64_t>(engine->handle(), {.value_bits = 4}, RunOrder::kInput),
               UsageError);
}

}  // namespace
}  // namespace vox
