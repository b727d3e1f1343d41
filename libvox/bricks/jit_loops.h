// Loops over the voxels of a volume that are compiled for the bricks at hand, and, with the other accessors,
// for all. An accessor has get<T>(voxel): BricksRef, KdRef, JitBricks.
#pragma once

#include "libvox/bricks/bricks_ref.h"
#include "libvox/bricks/volume_cast.h"

namespace vox {

// What a loop is told; each takes what it needs.
struct JitTask {
  Int3 size;       // 12 B, of the volume
  int32_t radius;  // 4 B, of a filter
  void* out;       // 8 B
};
static_assert(sizeof(JitTask) == 24);

// The words of all voxels, x fastest.
template <class Access, class T>
struct CopyVolume {
  Access access;
  JitTask task;

  VOX_HD void operator()(uint64_t i) const {
    static_cast<T*>(task.out)[i] = access.template get<T>(voxel_at(i, task.size));
  }

  VOX_HD static Int3 voxel_at(uint64_t i, Int3 size) {
    const auto x = static_cast<uint64_t>(size.x), y = static_cast<uint64_t>(size.y);
    return {static_cast<int32_t>(i % x), static_cast<int32_t>(i / x % y), static_cast<int32_t>(i / x / y)};
  }
};

// The mean of the words in a cube of 2 radius + 1 voxels a side, rounded down; what lies outside counts 0.
template <class Access, class T>
struct MeanFilter {
  Access access;
  JitTask task;

  VOX_HD void operator()(uint64_t i) const {
    const Int3 at = CopyVolume<Access, T>::voxel_at(i, task.size);
    const int32_t r = task.radius, side = 2 * r + 1;
    uint64_t sum = 0;
    // Not unrolled: each lookup is the whole tree.
#ifdef __CUDACC__
#pragma unroll 1
#endif
    for (int32_t k = 0; k < side * side * side; ++k) {
      const Int3 v = {at.x + k % side - r, at.y + k / side % side - r, at.z + k / side / side - r};
      if (v.x < 0 || v.y < 0 || v.z < 0 || v.x >= task.size.x || v.y >= task.size.y || v.z >= task.size.z)
        continue;
      sum += access.template get<T>(v);
    }
    static_cast<T*>(task.out)[i] = static_cast<T>(sum / static_cast<uint64_t>(side * side * side));
  }
};

}  // namespace vox
