// Morton codes: the bits of the coordinates interleaved, x lowest. In space, 21 bits for each of the three
// axes fill 63 bits. In a plane, 32 bits for each of the two axes fill 64.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/base/vec.h"

namespace vox {

// The bits that one axis has in a code of kAxes axes, while its bits still stand in groups of `group` bits.
// For three axes:
//
//   32  fedcba    2  fe....dc....ba    1  f..e..d..c..b..a
template <uint32_t kAxes>
VOX_HD constexpr uint64_t axis_bits(uint32_t group) {
  uint64_t bits = 0;
  for (uint32_t i = 0; i < 64 / kAxes; ++i) bits |= uint64_t{1} << (i / group * group * kAxes + i % group);
  return bits;
}
template <uint32_t kAxes, uint32_t kGroup>
constexpr uint64_t kAxisBits = axis_bits<kAxes>(kGroup);

// ....cba -> ..c..b..a
template <uint32_t kAxes>
VOX_HD uint64_t spread_bits(uint64_t v) {
  constexpr uint32_t kOthers = kAxes - 1;
  v &= kAxisBits<kAxes, 32>;
  v = (v | v << 16 * kOthers) & kAxisBits<kAxes, 16>;
  v = (v | v << 8 * kOthers) & kAxisBits<kAxes, 8>;
  v = (v | v << 4 * kOthers) & kAxisBits<kAxes, 4>;
  v = (v | v << 2 * kOthers) & kAxisBits<kAxes, 2>;
  v = (v | v << kOthers) & kAxisBits<kAxes, 1>;
  return v;
}

// ..c..b..a -> ....cba
template <uint32_t kAxes>
VOX_HD uint32_t gather_bits(uint64_t v) {
  constexpr uint32_t kOthers = kAxes - 1;
  v &= kAxisBits<kAxes, 1>;
  v = (v | v >> kOthers) & kAxisBits<kAxes, 2>;
  v = (v | v >> 2 * kOthers) & kAxisBits<kAxes, 4>;
  v = (v | v >> 4 * kOthers) & kAxisBits<kAxes, 8>;
  v = (v | v >> 8 * kOthers) & kAxisBits<kAxes, 16>;
  v = (v | v >> 16 * kOthers) & kAxisBits<kAxes, 32>;
  return static_cast<uint32_t>(v);
}

VOX_HD inline uint64_t morton_encode(uint32_t x, uint32_t y, uint32_t z) {
  return spread_bits<3>(x) | spread_bits<3>(y) << 1 | spread_bits<3>(z) << 2;
}
VOX_HD inline uint64_t morton_encode(Vec2<uint32_t> place) {
  return spread_bits<2>(place.x) | spread_bits<2>(place.y) << 1;
}

VOX_HD inline Int3 morton_decode(uint64_t code) {
  return {static_cast<int32_t>(gather_bits<3>(code)), static_cast<int32_t>(gather_bits<3>(code >> 1)),
          static_cast<int32_t>(gather_bits<3>(code >> 2))};
}
VOX_HD inline Vec2<uint32_t> morton_decode_in_plane(uint64_t code) {
  return {gather_bits<2>(code), gather_bits<2>(code >> 1)};
}

}  // namespace vox
