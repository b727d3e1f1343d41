// The grid for a file whose voxels may lie anywhere: the lower corner of their bounds becomes voxel (0, 0,
// 0).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "formats/voxels/voxel_file.h"
#include "libvox/base/error.h"
#include "libvox/base/vec.h"
#include "libvox/voxelize/grid.h"

namespace vox {

// The bounds of voxels in a file's own coordinates, including both `min` and `max`.
struct FileBounds {
  Vec3<int64_t> min = {INT64_MAX, INT64_MAX, INT64_MAX}, max = {INT64_MIN, INT64_MIN, INT64_MIN};

  bool empty() const { return min.x > max.x; }
  void add(const Vec3<int64_t>& voxel) {
    min = {std::min(min.x, voxel.x), std::min(min.y, voxel.y), std::min(min.z, voxel.z)};
    max = {std::max(max.x, voxel.x), std::max(max.y, voxel.y), std::max(max.z, voxel.z)};
  }
  void add(const FileBounds& other) {
    if (other.empty()) return;
    add(other.min);
    add(other.max);
  }
};

// Sets resolution and origin for a file whose voxels are `voxel_size` wide and whose (0, 0, 0) lies at the
// world's origin. Throws Error if no grid is large enough.
inline void fit_grid(VoxelFile& file, const FileBounds& bounds) {
  file.resolution = voxelize::kMinResolution;
  if (bounds.empty()) return;
  const uint64_t side = std::max({static_cast<uint64_t>(bounds.max.x) - static_cast<uint64_t>(bounds.min.x),
                                  static_cast<uint64_t>(bounds.max.y) - static_cast<uint64_t>(bounds.min.y),
                                  static_cast<uint64_t>(bounds.max.z) - static_cast<uint64_t>(bounds.min.z)});
  if (side >= voxelize::kMaxResolution)
    throw Error(fmt::format("its voxels are spread over {} along one axis, but a scene has at most {}",
                            side + 1, voxelize::kMaxResolution));
  file.resolution = std::max(static_cast<uint32_t>(side + 1), voxelize::kMinResolution);
  file.origin = Vec3d{static_cast<double>(bounds.min.x), static_cast<double>(bounds.min.y),
                      static_cast<double>(bounds.min.z)} *
                file.voxel_size;
}

}  // namespace vox
