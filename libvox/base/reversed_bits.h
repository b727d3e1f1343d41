// A word with its bits in the opposite order.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"

namespace vox {

// The lowest bit becomes the highest, and so on.
VOX_HD inline uint32_t reversed_bits(uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __brev(bits);
#else
  bits = (bits >> 1 & 0x55555555) | (bits & 0x55555555) << 1;
  bits = (bits >> 2 & 0x33333333) | (bits & 0x33333333) << 2;
  bits = (bits >> 4 & 0x0f0f0f0f) | (bits & 0x0f0f0f0f) << 4;
  return __builtin_bswap32(bits);
#endif
}

}  // namespace vox
