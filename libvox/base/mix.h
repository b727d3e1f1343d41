// Mixing of 64-bit words (the finaliser of MurmurHash3): every input bit flips half of the output bits.
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

}  // namespace vox
