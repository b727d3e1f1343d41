// A dense brick: the value of every voxel, x fastest.
#pragma once

#include "libvox/bricks/brick.h"

namespace vox::bricks {

struct DenseBrick {
  static constexpr const char* kName = "dense";
  static constexpr bool kHoldsAll = true;

  template <class T>
  VOX_HD static uint32_t bytes(const BrickCounts&, BrickShape shape) {
    return shape.voxels() * static_cast<uint32_t>(sizeof(T));
  }

  template <class T>
  VOX_HD static void build(const BrickVoxels<T>& from, const BrickCounts&, BrickShape shape, uint32_t* to) {
    T* values = array_at<T>(to, 0);
    from.each(shape, [&](uint32_t code, T word) { values[shape.row_major(brick_voxel(code))] = word; });
  }

  template <class T>
  VOX_HD static T get(const uint32_t* brick, BrickShape shape, Int3 v) {
    return array_at<T>(brick, 0)[shape.row_major(v)];
  }

  template <class T>
  VOX_HD static void neighbours(const uint32_t* brick, BrickShape shape, Int3 at, uint32_t count, T* row) {
    const T* from = array_at<T>(brick, 0) + shape.row_major(at);
    for (uint32_t i = 0; i < count; ++i) row[i] = from[i];
  }

  template <class T>
  static bool fits(const uint32_t*, uint64_t words, BrickShape shape) {
    return words * sizeof(uint32_t) >= bytes<T>({}, shape);
  }
};

}  // namespace vox::bricks
