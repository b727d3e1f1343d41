// Sorts a few values in registers. Which of them are compared does not depend on the values (Batcher 1968,
// odd-even merging).
#pragma once

#include <bit>
#include <cstdint>

#include "libvox/base/hd.h"

namespace vox {

// Calls exchange(a, b), with a < b < kCount, for all pairs of places that must be compared, one after the
// other. exchange() swaps the values at a and b if they are in the wrong order.
template <uint32_t kCount, class Exchange>
VOX_HD void sorting_network(const Exchange& exchange) {
  static_assert(std::has_single_bit(kCount));
  constexpr uint32_t kLevels = std::bit_width(kCount) - 1;
  VOX_UNROLL
  for (uint32_t level = 0; level < kLevels; ++level) {
    VOX_UNROLL
    for (uint32_t step = 0; step <= level; ++step) {
      const uint32_t distance = 1u << (level - step), first = step == 0 ? 0 : distance;
      VOX_UNROLL
      for (uint32_t a = 0; a + distance < kCount; ++a) {
        const bool is_left = a >= first && (a - first) / distance % 2 == 0;
        if (is_left && a >> (level + 1) == (a + distance) >> (level + 1)) exchange(a, a + distance);
      }
    }
  }
}

}  // namespace vox
