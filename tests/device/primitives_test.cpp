// Compares the primitives of the device that VOX_TEST_DEVICE names with plain loops.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "libvox/device/cpu_device.h"
#include "libvox/device/handle.h"
#include "libvox/engine/engine.h"
#include "tests/common/test_engine.h"
#include "tests/device/primitives_impl.h"

namespace vox {
namespace {

// The sizes are no element, one, numbers around a group of lanes, and more than one block of any loop.
class Primitives : public testing::TestWithParam<uint64_t> {
 protected:
  static PrimitiveResults run(uint64_t n) {
    const auto engine = test_engine();
    return device::with_device(engine->handle(), [&](auto& device) { return run_primitives(device, n); });
  }

  uint64_t n_ = GetParam();
  PrimitiveResults results_ = run(n_);
};

INSTANTIATE_TEST_SUITE_P(Sizes, Primitives, testing::Values(0, 1, 31, 32, 33, (1 << 20) + 1));

TEST_P(Primitives, LoopsVisitEachIndexOnce) {
  EXPECT_EQ(results_.visits, std::vector<uint32_t>(n_, 1));
  EXPECT_EQ(results_.group_visits, std::vector<uint32_t>(n_, 1));
}

TEST_P(Primitives, TheThreadsOfABlockSeeWhatTheOthersWroteToSharedMemory) {
  ASSERT_EQ(results_.blocks.size(), n_ / kTestBlockStep + 1);
  for (uint64_t b = 0; b < results_.blocks.size(); ++b) {
    TestBlock expected = {.reversed_sum = 0, .kept = 0, .any_kept = 0, .once = 1};
    const uint32_t count = test_block_count(b);
    for (uint32_t j = 0; j < count; ++j) {
      const uint64_t i = b * kTestBlockStep + j;
      expected.reversed_sum += TestValues::small(i) * (count - 1 - j);
      expected.kept += TestValues::kept(i) ? 1 : 0;
    }
    expected.any_kept = expected.kept > 0 ? 1 : 0;
    ASSERT_EQ(results_.blocks[b], expected) << b;
  }
}

// Returns the indices of the elements, sorted by the low bits of their values; equal ones keep their order.
std::vector<uint32_t> sorted_indices(uint64_t n, uint32_t bits) {
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  std::vector<uint32_t> indices(n);
  std::iota(indices.begin(), indices.end(), 0u);
  std::stable_sort(indices.begin(), indices.end(), [&](uint32_t a, uint32_t b) {
    return (TestValues::value(a) & mask) < (TestValues::value(b) & mask);
  });
  return indices;
}

TEST_P(Primitives, SortsByTheLowBitsAndKeepsTheOrderOfEqualKeys) {
  const std::vector<uint32_t> by_few = sorted_indices(n_, kSortBits),
                              by_many = sorted_indices(n_, kSortBits64);
  EXPECT_EQ(results_.sorted_values, by_few);
  EXPECT_EQ(results_.sorted_values64, by_many);
  EXPECT_EQ(results_.sorted_alone64, results_.sorted_keys64);
  for (uint64_t i = 0; i < n_; ++i) {
    ASSERT_EQ(results_.sorted_keys[i], static_cast<uint32_t>(TestValues::value(by_few[i]))) << i;
    ASSERT_EQ(results_.sorted_keys64[i], TestValues::value(by_many[i])) << i;
  }
}

TEST_P(Primitives, ScansGiveWhatComesBefore) {
  uint64_t sum32 = 0, sum64 = 0;
  for (uint64_t i = 0; i <= n_; ++i) {
    ASSERT_EQ(results_.scan32[i], sum32) << i;
    ASSERT_EQ(results_.scan64[i], sum64) << i;
    if (i < n_) sum32 += TestValues::small(i), sum64 += TestValues::value(i) >> 8;
  }
  EXPECT_EQ(results_.scan32_total, sum32);
  EXPECT_EQ(results_.scan64_total, sum64);
}

TEST_P(Primitives, SelectsInAscendingOrder) {
  std::vector<uint32_t> kept;
  for (uint64_t i = 0; i < n_; ++i)
    if (TestValues::kept(i)) kept.push_back(static_cast<uint32_t>(i));
  EXPECT_EQ(results_.selected, kept);
}

TEST_P(Primitives, ScattersEachValueToItsPlace) {
  std::vector<uint32_t> placed(n_);
  for (uint64_t i = 0; i < n_; ++i) placed[TestValues::place(i, n_)] = TestValues::small(i);
  EXPECT_EQ(results_.scattered, placed);
}

TEST_P(Primitives, SumsAndHistogramsCountEachElementOnce) {
  uint64_t sum = 0;
  std::vector<uint64_t> counts(kTestBins);
  for (uint64_t i = 0; i < n_; ++i) sum += TestValues::value(i) >> 32, ++counts[TestValues::small(i)];
  EXPECT_EQ(results_.sum, sum);
  EXPECT_EQ(results_.histogram, counts);
}

TEST_P(Primitives, FillsAndCopies) {
  EXPECT_EQ(results_.filled, std::vector<uint16_t>(n_, kTestFill));
  EXPECT_EQ(results_.copied, std::vector<uint16_t>(n_, kTestFill));
}

}  // namespace
}  // namespace vox

template vox::PrimitiveResults vox::run_primitives(device::CpuDevice&, uint64_t);
