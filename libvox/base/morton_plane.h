// Morton codes in a plane: bits of x and y interleaved, x lowest, 32 bits each. morton.h has those in space.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/base/vec.h"

namespace vox {

// dcba -> .d.c.b.a
VOX_HD inline uint64_t spread_bits_in_plane(uint32_t bits) {
  uint64_t v = bits;
  v = (v | v << 16) & 0x0000ffff0000ffff;
  v = (v | v << 8) & 0x00ff00ff00ff00ff;
  v = (v | v << 4) & 0x0f0f0f0f0f0f0f0f;
  v = (v | v << 2) & 0x3333333333333333;
  v = (v | v << 1) & 0x5555555555555555;
  return v;
}

// .d.c.b.a -> dcba
VOX_HD inline uint32_t gather_bits_in_plane(uint64_t v) {
  v &= 0x5555555555555555;
  v = (v | v >> 1) & 0x3333333333333333;
  v = (v | v >> 2) & 0x0f0f0f0f0f0f0f0f;
  v = (v | v >> 4) & 0x00ff00ff00ff00ff;
  v = (v | v >> 8) & 0x0000ffff0000ffff;
  v = (v | v >> 16) & 0x00000000ffffffff;
  return static_cast<uint32_t>(v);
}

VOX_HD inline uint64_t morton_encode(Vec2<uint32_t> place) {
  return spread_bits_in_plane(place.x) | spread_bits_in_plane(place.y) << 1;
}

VOX_HD inline Vec2<uint32_t> morton_decode_in_plane(uint64_t code) {
  return {gather_bits_in_plane(code), gather_bits_in_plane(code >> 1)};
}

}  // namespace vox
