// Finds the n-th set bit of a word.
#pragma once

#include "libvox/base/bits.h"

namespace vox {

// The index of the n-th set bit, counted from 0. The word must have more than n set bits.
VOX_HD inline uint32_t nth_bit(uint32_t word, uint32_t n) {
  uint32_t at = 0;
  for (uint32_t width = 16; width > 0; width /= 2) {
    const auto low = static_cast<uint32_t>(popcount((word >> at) & ((1u << width) - 1)));
    if (n < low) continue;
    n -= low;
    at += width;
  }
  return at;
}

VOX_HD inline uint32_t nth_bit(uint64_t word, uint32_t n) {
  const auto low = static_cast<uint32_t>(word), high = static_cast<uint32_t>(word >> 32);
  const auto in_low = static_cast<uint32_t>(popcount(low));
  return n < in_low ? nth_bit(low, n) : 32 + nth_bit(high, n - in_low);
}

}  // namespace vox
