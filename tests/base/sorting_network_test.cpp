#include "libvox/base/sorting_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace vox {
namespace {

// A network that sorts every sequence of zeros and ones sorts every sequence (Knuth, The Art of Computer
// Programming 3, §5.3.4).
template <uint32_t kCount>
void expect_to_sort(uint32_t exchanges) {
  for (uint32_t bits = 0; bits < 1u << kCount; ++bits) {
    std::array<uint32_t, kCount> values;
    for (uint32_t i = 0; i < kCount; ++i) values[i] = bits >> i & 1;
    uint32_t count = 0;
    sorting_network<kCount>([&](uint32_t a, uint32_t b) {
      ++count;
      if (values.at(a) > values.at(b)) std::swap(values[a], values[b]);
    });
    ASSERT_TRUE(std::ranges::is_sorted(values)) << kCount << ", " << bits;
    ASSERT_EQ(count, exchanges);
  }
}

TEST(SortingNetwork, SortsWithAsFewExchangesAsBatcherSays) {
  expect_to_sort<1>(0);
  expect_to_sort<2>(1);
  expect_to_sort<4>(5);
  expect_to_sort<8>(19);
  expect_to_sort<16>(63);
}

}  // namespace
}  // namespace vox
