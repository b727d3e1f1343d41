// A homogeneous brick: all voxels have one value, which takes one word.
#pragma once

#include "libvox/bricks/brick.h"

namespace vox::bricks {

struct HomogeneousBrick {
  static constexpr const char* kName = "homogeneous";
  static constexpr bool kHoldsAll = false;

  template <class T>
  VOX_HD static uint32_t bytes(const BrickCounts& counts, BrickShape shape) {
    return counts.values == 1 && counts.voxels == shape.voxels() ? sizeof(uint32_t) : kNever;
  }
  template <class T>
  VOX_HD static void build(const BrickVoxels<T>& from, const BrickCounts&, BrickShape, uint32_t* to) {
    to[0] = from.words[0];
  }
  template <class T>
  VOX_HD static T get(const uint32_t* brick, BrickShape, Int3) {
    return static_cast<T>(brick[0]);
  }
  template <class T>
  VOX_HD static void neighbours(const uint32_t* brick, BrickShape, Int3, uint32_t count, T* row) {
    for (uint32_t i = 0; i < count; ++i) row[i] = static_cast<T>(brick[0]);
  }
  template <class T>
  static bool fits(const uint32_t*, uint64_t words, BrickShape) {
    return words >= 1;
  }
};

}  // namespace vox::bricks
