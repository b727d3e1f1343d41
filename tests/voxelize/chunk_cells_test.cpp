// Tests the order of chunk cells in rows.
#include "libvox/voxelize/chunk_cells.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "tests/common/random.h"

namespace vox::voxelize {
namespace {

TEST(ChunkCells, RowCodesPassEachRowFromLeftToRight) {
  constexpr uint32_t kBits = 4, kSide = 1 << kBits;
  std::map<uint64_t, uint64_t> in_order;  // by row code
  for (uint64_t morton = 0; morton < kSide * kSide * kSide; ++morton) {
    const uint64_t code = row_code(morton, kBits);
    EXPECT_LT(code, kSide * kSide * kSide);
    EXPECT_EQ(morton_of_row_code(code, kBits), morton);
    EXPECT_TRUE(in_order.emplace(code, morton).second);
  }
  Int3 last = {kSide - 1, -1, -1};
  for (const auto& [code, morton] : in_order) {
    const Int3 cell = morton_decode(morton);
    if (last.x + 1 < static_cast<int32_t>(kSide)) {
      EXPECT_EQ(cell, (Int3{last.x + 1, last.y, last.z}));
    } else {
      EXPECT_EQ(cell.x, 0);
    }
    last = cell;
  }
}

TEST(ChunkCells, CodesOfTheLargestGridsStayWhatTheyAre) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t morton =
        morton_encode(random.below(1 << 12), random.below(1 << 12), random.below(1 << 12));
    EXPECT_EQ(morton_of_row_code(row_code(morton, 12), 12), morton);
  }
}

}  // namespace
}  // namespace vox::voxelize
