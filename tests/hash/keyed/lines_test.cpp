// Tests the peculiarities of the table `lines`: its cells follow from the keys alone, and its searches are
// short.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/hash/keyed/keys.h"
#include "libvox/hash/keyed/lines_ref.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/hash/keyed/any_key_table.h"

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

// Tests the peculiarities of the table `sorted`: slots are positions in ascending order, and each step of a
// search reads one sector, except for the last steps.

class Sorted : public testing::Test {
 protected:
  std::unique_ptr<Engine> engine_ = test_engine();
  std::unique_ptr<AnyKeyTable<uint64_t>> table_ =
      make_any_key_table<uint64_t>(engine_->handle(), {.table = "sorted", .value_bits = 4});
};

TEST_F(Sorted, HasOneCellOfEachKeyInAscendingOrder) {
  std::vector<uint64_t> cells;
  for (uint64_t i = 0; i < 1000; ++i) cells.insert(cells.end(), 1 + i % 3, mix64(i));
  cells.push_back(hash::kEmptyCell<uint64_t> - 5);  // the key that is all ones, twice
  cells.push_back(hash::kEmptyCell<uint64_t> - 5);
  EXPECT_EQ(table_->build(cells).keys, 1001u);
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  EXPECT_EQ(table_->cells(), cells);
  EXPECT_TRUE(table_->holds_apart());
}

TEST_F(Sorted, ASearchReadsASectorAStepButForTheLastOnes) {
  std::vector<uint64_t> cells, keys;
  for (uint64_t i = 0; i < 1 << 12; ++i) {
    keys.push_back(3 * i);
    cells.push_back(keys.back() << 4);
  }
  EXPECT_EQ(table_->build(cells).most_probes, 13u);
  for (const uint32_t sectors : table_->count_sectors(keys)) {
    EXPECT_GE(sectors, 10u);
    EXPECT_LE(sectors, 12u);
  }
}

// Compares the keys of places with plain loops over bits.

using hash::KeyGrid;
using hash::KeyLayout;

const std::vector<Int3> kSizes = {{1, 1, 1}, {2, 1, 1}, {7, 5, 1},  {16, 16, 1}, {33, 2, 1},
                                  {1, 9, 1}, {5, 6, 7}, {8, 8, 16}, {1, 1, 3},   {17, 3, 2}};

template <class F>
void for_each_place(const Int3& size, const F& f) {
  for (int z = 0; z < size.z; ++z)
    for (int y = 0; y < size.y; ++y)
      for (int x = 0; x < size.x; ++x) f(Int3{x, y, z});
}

// Returns the number of bits that a side of the grid needs, by counting.
uint32_t bits_of_side(const Int3& size) {
  uint32_t bits = 0;
  while ((1 << bits) < std::max({size.x, size.y, size.z})) ++bits;
  return bits;
}

// Puts bit b of each axis at its place among the bits of all axes.
uint64_t interleaved(const std::vector<int32_t>& axes, uint32_t bits, KeyLayout layout) {
  uint64_t key = 0;
  for (uint32_t b = 0; b < bits; ++b)
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      const uint32_t from = layout == KeyLayout::BitReversed ? bits - 1 - b : b;
      key |= static_cast<uint64_t>(axes[axis] >> from & 1) << (b * axes.size() + axis);
    }
  return key;
}

TEST(KeyLayout, RowMajorKeysCountPlacesRowByRow) {
  for (const Int3& size : kSizes) {
    const KeyGrid grid(KeyLayout::RowMajor, size);
    uint64_t next = 0;
    for_each_place(size, [&](const Int3& place) { ASSERT_EQ(grid.key(place), next++); });
  }
}

TEST(KeyLayout, OtherKeysInterleaveBits) {
  for (const KeyLayout layout : {KeyLayout::Morton, KeyLayout::BitReversed})
    for (const Int3& size : kSizes) {
      const KeyGrid grid(layout, size);
      for_each_place(size, [&](const Int3& place) {
        std::vector<int32_t> axes = {place.x, place.y};
        if (size.z > 1) axes.push_back(place.z);
        ASSERT_EQ(grid.key(place), interleaved(axes, bits_of_side(size), layout));
      });
    }
}

TEST(KeyLayout, KeysAreDifferentAndLeadBackAndHaveNoMoreBitsThanTheyShould) {
  for (const KeyLayout layout : hash::kKeyLayouts)
    for (const Int3& size : kSizes) {
      const KeyGrid grid(layout, size);
      std::set<uint64_t> keys;
      for_each_place(size, [&](const Int3& place) {
        const uint64_t key = grid.key(place);
        EXPECT_TRUE(keys.insert(key).second);
        EXPECT_TRUE(grid.place(key) == place);
        EXPECT_EQ(key >> grid.key_bits(), 0u);
      });
    }
}

TEST(KeyLayout, TheLargestGridsHaveKeysToo) {
  const int32_t flat = KeyGrid::kMostSide, deep = KeyGrid::kMostSideOfVolume;
  for (const KeyLayout layout : hash::kKeyLayouts)
    for (const Int3& size : {Int3{flat, flat, 1}, Int3{deep, deep, deep}}) {
      const KeyGrid grid(layout, size);
      EXPECT_LE(grid.key_bits(), 63u);
      for (const Int3& place : {Int3{size.x - 1, size.y - 1, size.z - 1}, Int3{size.x - 1, 0, 0},
                                Int3{0, size.y - 1, 0}, Int3{12345, 54321, size.z / 2}})
        EXPECT_TRUE(grid.place(grid.key(place)) == place);
    }
}

TEST(KeyLayout, GridsWithoutPlacesOrBeyondKeysAreErrors) {
  for (const Int3& size :
       {Int3{0, 1, 1}, Int3{1, 1, 0}, Int3{-1, 4, 4}, Int3{(1 << 30) + 1, 1, 1}, Int3{(1 << 21) + 1, 1, 2}})
    EXPECT_THROW(KeyGrid(KeyLayout::Morton, size), Error);
}

}  // namespace
}  // namespace vox
