// Dense grids for tests, defined by functions of the voxel.
#pragma once

#include "libvox/base/mix.h"
#include "libvox/dag/frozen_dag.h"
#include "tests/dag/dense_dag.h"

namespace vox {

// A spherical shell in 16 materials with some noise beside it, so that some nodes repeat and others do not.
inline int shell(uint32_t x, uint32_t y, uint32_t z) {
  const int64_t dx = int64_t{x} - 30, dy = int64_t{y} - 30, dz = int64_t{z} - 30;
  const int64_t r2 = dx * dx + dy * dy + dz * dz;
  if (r2 >= 20 * 20 && r2 <= 24 * 24) return static_cast<int>(x / 8 + y / 8) % 16;
  return mix64(x + 1000 * y + 1000000 * z) % 97 == 0 ? 7 : dag::kEmptyVoxel;
}

// Blocks of 16³, each empty or filled with one material.
inline int blocks(uint32_t x, uint32_t y, uint32_t z) {
  const uint64_t hash = mix64(x / 16 + 100 * (y / 16) + 10000 * (z / 16) + 1);
  return hash % 3 == 0 ? dag::kEmptyVoxel : static_cast<int>(hash >> 8 & 3);
}

inline int everywhere(uint32_t, uint32_t, uint32_t) {
  return 5;
}

inline int nowhere(uint32_t, uint32_t, uint32_t) {
  return dag::kEmptyVoxel;
}

// A full cube with several materials, which is homogeneous only without them.
inline int checkered(uint32_t x, uint32_t y, uint32_t z) {
  return static_cast<int>((x / 2 + y / 2 + z / 2) % 3);
}

// One voxel in a thousand at random places: leaves and nodes of few words, some of them equal.
inline DenseGrid dust(uint64_t seed) {
  return [seed](uint32_t x, uint32_t y, uint32_t z) {
    const uint64_t hash = mix64(seed + x + 1000 * y + 1000000 * z);
    return hash % 1000 == 0 ? static_cast<int>(hash >> 32 & 15) : dag::kEmptyVoxel;
  };
}

inline std::vector<DenseGrid> all_grids() {
  return {shell, blocks, everywhere, nowhere, checkered, dust(1), dust(2)};
}

}  // namespace vox
