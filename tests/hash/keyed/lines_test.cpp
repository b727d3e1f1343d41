// Tests the peculiarities of the table `lines`: its cells follow from the keys alone, and its searches are
// short.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "libvox/base/mix.h"
#include "libvox/hash/keyed/lines_ref.h"
#include "tests/common/test_engine.h"
#include "tests/common/thoroughness.h"
#include "tests/hash/keyed/any_key_table.h"
#include "tests/hash/keyed/random_keys.h"

namespace vox {
namespace {

using Keys = std::vector<uint64_t>;

// Returns blocks of consecutive keys.
Keys clustered_keys(uint64_t count) {
  Keys keys;
  for (uint64_t i = 0; i < count; ++i) keys.push_back((mix64(i / 50) << 8) + i % 50);
  return keys;
}

class Lines : public testing::Test {
 protected:
  std::unique_ptr<AnyKeyTable<uint64_t>> make(double load_factor) {
    return make_any_key_table<uint64_t>(engine_->handle(), {.table = "lines", .load_factor = load_factor});
  }
  double mean_sectors(AnyKeyTable<uint64_t>& table, const Keys& keys) {
    const auto sectors = table.count_sectors(keys);
    return std::accumulate(sectors.begin(), sectors.end(), 0.0) / static_cast<double>(sectors.size());
  }

  std::unique_ptr<Engine> engine_ = test_engine();
};

TEST_F(Lines, HaveTheSameCellsInWhateverOrderTheKeysCome) {
  for (Keys keys : {random_keys<uint64_t>(20000, 1), clustered_keys(20000)})
    for (const double load_factor : {0.8, 0.99}) {
      const auto table = make(load_factor);
      table->build(keys);
      const Keys cells = table->cells();
      for (uint32_t round = 0; round < kThoroughness; ++round) {
        std::shuffle(keys.begin(), keys.end(), std::mt19937(round));
        table->build(keys);
        ASSERT_EQ(table->cells(), cells) << round;
      }
    }
}

TEST_F(Lines, AreFullToTheLoadFactorThatIsAskedFor) {
  for (const double load_factor : {0.5, 0.8, 0.95, 0.99}) {
    const auto table = make(load_factor);
    table->build(random_keys<uint64_t>(100000, 1));
    EXPECT_NEAR(100000 / static_cast<double>(table->cells().size() - 1), load_factor, 2e-3);
    EXPECT_EQ(table->bytes(), 8 * table->cells().size());
  }
}

// A search for a random key reads little more than one bucket of two sectors, whether the key is stored or
// not. The expected numbers are those of balls in buckets of eight, where a ball that finds a full bucket
// takes another one at random.
TEST_F(Lines, ASearchReadsAboutOneBucket) {
  struct Case {
    double load_factor, buckets;
  };
  for (const Case& expected : {Case{0.8, 1.107}, Case{0.95, 1.356}}) {
    const auto table = make(expected.load_factor);
    const Keys keys = random_keys<uint64_t>(100000, 1);
    table->build(keys);
    EXPECT_NEAR(mean_sectors(*table, keys) / 2, expected.buckets, 0.01);
    EXPECT_NEAR(mean_sectors(*table, random_keys<uint64_t>(100000, 2)) / 2, expected.buckets, 0.01);
  }
}

TEST_F(Lines, TheHistogramOfProbesCountsTheBucketsOfEveryKey) {
  const auto table = make(0.95);
  const Keys keys = random_keys<uint64_t>(20000, 1);
  const auto build = table->build(keys);
  const auto counts = table->probes_of_keys();
  EXPECT_EQ(counts.size(), build.most_probes + 1);
  std::vector<uint64_t> expected(counts.size(), 0);
  for (const uint32_t sectors : table->count_sectors(keys)) ++expected.at(sectors / 2);
  EXPECT_EQ(counts, expected);
}

// The order of the other cells encodes the turn of the last one, up to the greatest turn that it can encode.
TEST(BucketCells, TellATurnWithoutMovingTheLastCell) {
  for (uint32_t turn = 0; turn < 70; ++turn) {
    hash::BucketCells<uint64_t> bucket;
    for (uint32_t i = 0; i < bucket.kCount; ++i) bucket.cell[i] = mix64(i + 10 * turn + 1);
    const auto before = bucket;
    bucket.tell_turn(turn);
    EXPECT_EQ(bucket.told_turn(), std::min(turn, 7u));
    EXPECT_EQ(bucket.cell[7], before.cell[7]);
    EXPECT_TRUE(std::is_permutation(bucket.cell, bucket.cell + bucket.kCount, before.cell));
  }
}

// No build of a table with random or clustered keys fails.
TEST_F(Lines, AreBuiltAtTheFirstAttempt) {
  for (uint32_t round = 0; round < 50 * kThoroughness; ++round) {
    const auto table = make(round % 2 == 0 ? 0.95 : 0.99);
    EXPECT_EQ(table->build(random_keys<uint64_t>(1000, round)).attempts, 1u) << round;
  }
  const auto table = make(0.99);
  const auto build = table->build(clustered_keys(100000));
  EXPECT_EQ(build.attempts, 1u);
  EXPECT_LT(build.most_probes, 20u);
}

}  // namespace
}  // namespace vox
