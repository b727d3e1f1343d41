// An empty brick: no voxel is filled, and it takes no bytes at all.
#pragma once

#include "libvox/bricks/brick.h"

namespace vox::bricks {

struct EmptyBrick {
  static constexpr const char* kName = "empty";
  static constexpr bool kHoldsAll = false;

  template <class T>
  VOX_HD static uint32_t bytes(const BrickCounts& counts, BrickShape) {
    return counts.voxels == 0 ? 0 : kNever;
  }
  template <class T>
  VOX_HD static void build(const BrickVoxels<T>&, const BrickCounts&, BrickShape, uint32_t*) {}
  template <class T>
  VOX_HD static T get(const uint32_t*, BrickShape, Int3) {
    return 0;
  }
  template <class T>
  VOX_HD static void neighbours(const uint32_t*, BrickShape, Int3, uint32_t count, T* row) {
    for (uint32_t i = 0; i < count; ++i) row[i] = 0;
  }
  template <class T>
  static bool fits(const uint32_t*, uint64_t, BrickShape) {
    return true;
  }
};

}  // namespace vox::bricks
