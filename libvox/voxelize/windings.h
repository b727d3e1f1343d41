// Winding numbers of up to 64 rays or voxels at once, modulo 16: how often a ray has entered surfaces, less how often it has
// left them. Where the number is odd, parity says inside. Where it is even but not 0, surfaces overlap or face both ways,
// and parity says outside.
//
// Bit i of word k is bit k of the i-th number, so that a sum takes as many steps as a number has bits:
//
//   number      0   1  -1   2
//   bits[0]     0   1   1   0    odd
//   bits[1]     0   0   1   1
//   bits[2]     0   0   1   0
//   bits[3]     0   0   1   0
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/device/atomics.h"
#include "libvox/voxelize/lattice.h"

namespace vox::voxelize {

struct Windings {
  static constexpr int kBits = 4;
  uint64_t bits[kBits] = {};  // 32 B

  VOX_HD uint64_t odd() const { return bits[0]; }
  VOX_HD uint64_t even_but_not_0() const { return ~bits[0] & (bits[1] | bits[2] | bits[3]); }
  VOX_HD friend Windings operator+(const Windings& a, const Windings& b) {
    Windings sum;
    uint64_t carry = 0;
    for (int k = 0; k < kBits; ++k) {
      const uint64_t differ = a.bits[k] ^ b.bits[k];
      sum.bits[k] = differ ^ carry;
      carry = (a.bits[k] & b.bits[k]) | (differ & carry);
    }
    return sum;
  }
};
static_assert(sizeof(Windings) == 32);

// A crossing at each of these places: 1 where the surface's normal points to the left, so that the ray enters, and else -1.
VOX_HD inline Windings crossing(uint64_t places, int64_t normal_sign) {
  const uint64_t upper = normal_sign < 0 ? 0 : places;
  return {{places, upper, upper, upper}};
}

// The numbers of the 16 rays of a row of cells, in one word: word k of their bits at 16 k.
using RayWindings = uint64_t;

VOX_HD inline RayWindings packed(const Windings& rays) {
  return rays.bits[0] | rays.bits[1] << 16 | rays.bits[2] << 32 | rays.bits[3] << 48;
}

VOX_HD inline Windings unpacked(RayWindings rays) {
  return {{rays & 0xffff, rays >> 16 & 0xffff, rays >> 32 & 0xffff, rays >> 48}};
}

VOX_HD inline uint32_t odd_rays(RayWindings rays) {
  return static_cast<uint32_t>(rays & 0xffff);
}

VOX_HD inline uint32_t disputed_rays(RayWindings rays) {
  return static_cast<uint32_t>(unpacked(rays).even_but_not_0() & 0xffff);
}

// The voxels of a cell, in row order, where their rays enter it.
VOX_HD inline Windings along_rays(RayWindings rays) {
  Windings voxels;
  for (int k = 0; k < Windings::kBits; ++k)
    voxels.bits[k] = lattice::bits_to_nibbles(rays >> 16 * k & 0xffff);
  return voxels;
}

// Adds to the numbers of rays that other threads add to as well.
VOX_HD inline void add_together(RayWindings* rays, const Windings& crossed) {
  RayWindings seen = device::atomic_load_relaxed(rays);
  for (RayWindings expected = ~seen; expected != seen;) {
    expected = seen;
    seen = device::atomic_exchange_if_relaxed(rays, expected, packed(unpacked(expected) + crossed));
  }
}

}  // namespace vox::voxelize
