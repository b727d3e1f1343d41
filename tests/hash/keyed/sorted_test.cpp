// Tests the peculiarities of the table `sorted`: slots are positions in ascending order, and each step of a
// search reads one sector, except for the last steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "libvox/base/mix.h"
#include "tests/common/test_engine.h"
#include "tests/hash/keyed/any_key_table.h"

namespace vox {
namespace {

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

}  // namespace
}  // namespace vox
