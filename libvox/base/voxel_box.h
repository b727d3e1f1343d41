// A box of whole voxels, without its upper faces.
#pragma once

#include <algorithm>
#include <cstdint>

#include "libvox/base/vec.h"

namespace vox {

struct VoxelBox {
  Int3 min, max;  // holds the voxels v with min <= v < max

  bool empty() const { return min.x >= max.x || min.y >= max.y || min.z >= max.z; }
  Int3 size() const { return max - min; }
  uint64_t voxels() const {
    if (empty()) return 0;
    Int3 s = size();
    return uint64_t(s.x) * uint64_t(s.y) * uint64_t(s.z);  // at most 2^60
  }
  friend bool operator==(const VoxelBox&, const VoxelBox&) = default;
};

inline VoxelBox cube_at(Int3 corner, uint32_t side) {
  int32_t s = static_cast<int32_t>(side);
  return {corner, corner + Int3{s, s, s}};
}

inline VoxelBox intersection(const VoxelBox& a, const VoxelBox& b) {
  return {{std::max(a.min.x, b.min.x), std::max(a.min.y, b.min.y), std::max(a.min.z, b.min.z)},
          {std::min(a.max.x, b.max.x), std::min(a.max.y, b.max.y), std::min(a.max.z, b.max.z)}};
}

// Returns the smallest box around both. Neither may be empty.
inline VoxelBox hull(const VoxelBox& a, const VoxelBox& b) {
  return {{std::min(a.min.x, b.min.x), std::min(a.min.y, b.min.y), std::min(a.min.z, b.min.z)},
          {std::max(a.max.x, b.max.x), std::max(a.max.y, b.max.y), std::max(a.max.z, b.max.z)}};
}

}  // namespace vox
