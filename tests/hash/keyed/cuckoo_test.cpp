// Tests the peculiarities of the tables of Alcantara et al.: how often they are rebuilt, how full they are,
// how much a search reads, and keys for which their functions fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "libvox/base/mix.h"
#include "tests/common/test_engine.h"
#include "tests/common/thoroughness.h"
#include "tests/hash/keyed/any_key_table.h"
#include "tests/hash/keyed/random_keys.h"

namespace vox {
namespace {

class CuckooTables : public testing::Test {
 protected:
  template <class Cell>
  std::unique_ptr<AnyKeyTable<Cell>> make(const hash::KeyTableOptions& options) {
    return make_any_key_table<Cell>(engine_->handle(), options);
  }
  template <class Cell>
  static double mean_sectors(AnyKeyTable<Cell>& table, const std::vector<Cell>& keys) {
    const auto sectors = table.count_sectors(keys);
    return std::accumulate(sectors.begin(), sectors.end(), 0.0) / static_cast<double>(sectors.size());
  }
  // Builds a table of different keys and looks up each of them.
  template <class Cell>
  hash::KeyTableBuild expect_builds(const hash::KeyTableOptions& options, const std::vector<Cell>& keys) {
    const auto table = make<Cell>(options);
    const hash::KeyTableBuild build = table->build(keys);
    EXPECT_EQ(build.keys, keys.size());
    const std::vector<uint32_t> slots = table->find(keys);
    const std::vector<Cell> cells = table->cells();
    for (size_t i = 0; i < keys.size(); ++i)
      if (slots[i] >= cells.size() || cells[slots[i]] != keys[i]) {
        ADD_FAILURE() << options.table << ": " << keys[i];
        break;
      }
    return build;
  }

  std::unique_ptr<Engine> engine_ = test_engine();
};

// One or two of 5,000 buckets need a second seed, and none has more than 512 keys.
TEST_F(CuckooTables, FewBucketsOf2009AreBuiltTwiceAndNoTableIs) {
  constexpr uint32_t kRounds = 100 * kThoroughness, kBuckets = 5;
  uint64_t restarts = 0;
  for (uint32_t round = 0; round < kRounds; ++round) {
    const auto table = make<uint64_t>({.table = "cuckoo2009", .seed = round});
    const hash::KeyTableBuild build = table->build(random_keys<uint64_t>(409 * kBuckets, round));
    ASSERT_EQ(build.attempts, 1u) << round;
    restarts += build.restarts;
  }
  EXPECT_LE(restarts, 1 + kRounds * kBuckets / 2500);
}

TEST_F(CuckooTables, NoTableOf2011IsBuiltTwiceAtItsUsualLoadFactor) {
  for (uint32_t round = 0; round < 100 * kThoroughness; ++round) {
    const auto table = make<uint64_t>({.table = "cuckoo2011", .seed = round});
    ASSERT_EQ(table->build(random_keys<uint64_t>(2000, round)).attempts, 1u) << round;
  }
}

// At this load factor, which the paper does not reach, some keys need more exchanges than the paper allows.
// They get them in a later attempt.
TEST_F(CuckooTables, ThatOf2011IsBuiltAtItsMostLoadFactorInAFewAttempts) {
  for (uint32_t round = 0; round < 10 * kThoroughness; ++round) {
    const auto build = expect_builds<uint64_t>({.table = "cuckoo2011", .load_factor = 0.95, .seed = round},
                                               random_keys<uint64_t>(10000, round));
    ASSERT_LE(build.attempts, 4u) << round;
  }
}

TEST_F(CuckooTables, AreAsFullAsThePapersSay) {
  const auto keys = random_keys<uint64_t>(409 * 100, 1);
  const auto first = make<uint64_t>({.table = "cuckoo2009"});
  first->build(keys);
  EXPECT_EQ(first->cells().size() - 1, 576 * 100u);
  EXPECT_EQ(first->bytes(), (576 * 100 + 1) * 8 + 100 * 4u);
  for (const double load_factor : {0.5, 0.8, 0.9, 0.95}) {
    const auto second = make<uint64_t>({.table = "cuckoo2011", .load_factor = load_factor});
    second->build(keys);
    EXPECT_EQ(second->cells().size() - 1, std::ceil(40900 / load_factor) + 101);
  }
}

// In `cuckoo2009` a search also reads the bucket's seed. A search for a stored key then reads fewer than three
// sectors on average, and no search reads more than four.
TEST_F(CuckooTables, SearchesReadFewSectors) {
  const auto keys = random_keys<uint64_t>(10000 * kThoroughness, 1);
  struct Case {
    const char* table;
    double stored;
    uint32_t most;
  };
  for (const Case& expected : {Case{"cuckoo2009", 3, 4}, Case{"cuckoo2011", 2.5, 5}}) {
    const auto table = make<uint64_t>({.table = expected.table});
    table->build(keys);
    EXPECT_LT(mean_sectors(*table, keys), expected.stored) << expected.table;
    for (const uint32_t sectors : table->count_sectors(random_keys<uint64_t>(100000, 2)))
      ASSERT_LE(sectors, expected.most) << expected.table;
  }
}

// All keys are in one bucket, or the paper's functions cannot tell them apart, whatever their constants.
TEST_F(CuckooTables, KeysForWhichTheFirstFunctionsFailAreStoredAllTheSame) {
  std::vector<uint64_t> one_bucket;
  for (uint64_t i = 0; i < 4090; ++i) one_bucket.push_back(i * 10);
  EXPECT_GE(expect_builds<uint64_t>({.table = "cuckoo2009"}, one_bucket).attempts, 2u);
  std::vector<uint32_t> equal_rests;
  for (uint32_t i = 0; i < 2000; ++i) equal_rests.push_back(i * 1900813 + 5);
  EXPECT_GE(expect_builds<uint32_t>({.table = "cuckoo2009"}, equal_rests).attempts, 2u);
  EXPECT_EQ(expect_builds<uint32_t>({.table = "cuckoo2011"}, equal_rests).attempts, 1u);
}

// A bucket accepts any number of items.
TEST_F(CuckooTables, AKeyMayComeAMillionTimesAmongOthers) {
  for (const char* name : {"cuckoo2009", "cuckoo2011"}) {
    auto keys = random_keys<uint64_t>(10000, 1);
    std::vector<uint64_t> items = keys;
    items.insert(items.end(), 100000 * kThoroughness, keys[77]);
    for (int copies = 0; copies < 10; ++copies) items.insert(items.end(), keys.begin() + 500, keys.end());
    const auto table = make<uint64_t>({.table = name});
    EXPECT_EQ(table->build(items).keys, keys.size()) << name;
    const auto slots = table->find(keys);
    EXPECT_EQ(std::count(slots.begin(), slots.end(), hash::kNoSlot), 0) << name;
  }
}

TEST_F(CuckooTables, OtherSeedsGiveOtherCells) {
  for (const char* name : {"cuckoo2009", "cuckoo2011"}) {
    const auto keys = random_keys<uint64_t>(2000, 1);
    const auto one = make<uint64_t>({.table = name, .seed = 1}),
               other = make<uint64_t>({.table = name, .seed = 2});
    one->build(keys);
    other->build(keys);
    EXPECT_NE(one->cells(), other->cells()) << name;
  }
}

}  // namespace
}  // namespace vox
