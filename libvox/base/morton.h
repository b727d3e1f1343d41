// Morton codes: bits of x, y, z interleaved, x lowest. 21 bits per axis fill 63 bits.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/base/vec.h"

namespace vox {

// ....cba -> ..c..b..a
VOX_HD inline uint64_t spread_bits(uint64_t v) {
  v &= 0x1fffff;
  v = (v | v << 32) & 0x001f00000000ffff;
  v = (v | v << 16) & 0x001f0000ff0000ff;
  v = (v | v << 8) & 0x100f00f00f00f00f;
  v = (v | v << 4) & 0x10c30c30c30c30c3;
  v = (v | v << 2) & 0x1249249249249249;
  return v;
}

// ..c..b..a -> ....cba
VOX_HD inline uint32_t gather_bits(uint64_t v) {
  v &= 0x1249249249249249;
  v = (v | v >> 2) & 0x10c30c30c30c30c3;
  v = (v | v >> 4) & 0x100f00f00f00f00f;
  v = (v | v >> 8) & 0x001f0000ff0000ff;
  v = (v | v >> 16) & 0x001f00000000ffff;
  v = (v | v >> 32) & 0x1fffff;
  return static_cast<uint32_t>(v);
}

VOX_HD inline uint64_t morton_encode(uint32_t x, uint32_t y, uint32_t z) {
  return spread_bits(x) | spread_bits(y) << 1 | spread_bits(z) << 2;
}

VOX_HD inline Int3 morton_decode(uint64_t code) {
  return {static_cast<int32_t>(gather_bits(code)), static_cast<int32_t>(gather_bits(code >> 1)),
          static_cast<int32_t>(gather_bits(code >> 2))};
}

}  // namespace vox
