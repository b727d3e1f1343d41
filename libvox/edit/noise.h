// Noise in integers: values at the corners of a lattice with linear interpolation between them, the same on
// every machine.
#pragma once

#include "libvox/base/mix.h"
#include "libvox/edit/edit.h"

namespace vox::edit {

inline constexpr int kNoiseBits = 15;  // values are in [−2^15, 2^15]

VOX_HD inline int64_t noise_corner(uint32_t seed, int64_t x, int64_t y, int64_t z) {
  uint64_t hash = mix64(seed ^ static_cast<uint64_t>(x) * 0x9e3779b97f4a7c15ull);
  hash = mix64(hash ^ static_cast<uint64_t>(y));
  hash = mix64(hash ^ static_cast<uint64_t>(z));
  return static_cast<int64_t>(hash >> 48) - (1 << kNoiseBits);
}

// Returns the noise at a place. Places are in 1/256 voxel; the lattice's corners are `grain` voxels apart.
VOX_HD inline int64_t noise_at(const EditPlace& p, uint32_t seed, uint32_t grain) {
  const int64_t cell = grain * kEditUnits;
  const EditPlace shifted = {p.x + (kMaxEditPlace << 9), p.y + (kMaxEditPlace << 9),
                             p.z + (kMaxEditPlace << 9)};
  const EditPlace corner = {shifted.x / cell, shifted.y / cell, shifted.z / cell};
  const EditPlace inside = shifted - corner * cell;
  const auto between = [&](int64_t a, int64_t b, int64_t at) { return a + (b - a) * at / cell; };
  const auto along_x = [&](int64_t y, int64_t z) {
    return between(noise_corner(seed, corner.x, y, z), noise_corner(seed, corner.x + 1, y, z), inside.x);
  };
  const auto along_y = [&](int64_t z) {
    return between(along_x(corner.y, z), along_x(corner.y + 1, z), inside.y);
  };
  return between(along_y(corner.z), along_y(corner.z + 1), inside.z);
}

}  // namespace vox::edit
