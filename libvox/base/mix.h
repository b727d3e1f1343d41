// Functions that mix the bits of a word (the finalisers of MurmurHash3): changing one input bit changes each
// output bit with a probability of one half. Different words give different words, and 0 gives 0.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"

namespace vox {

VOX_HD inline uint64_t mix64(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ull;
  x ^= x >> 33;
  return x;
}

VOX_HD inline uint32_t mix32(uint32_t x) {
  x ^= x >> 16;
  x *= 0x85ebca6b;
  x ^= x >> 13;
  x *= 0xc2b2ae35;
  x ^= x >> 16;
  return x;
}

}  // namespace vox
