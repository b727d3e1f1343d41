// A volume: a dense grid of values, which is read box by box, so that it may be larger than memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "libvox/base/vec.h"
#include "libvox/base/voxel_box.h"
#include "libvox/volume/value_type.h"

namespace vox::volume {

inline constexpr int64_t kMaxVolumeSide = 1 << 20;

struct VolumeInfo {
  Int3 size = {0, 0, 0};  // in voxels
  ValueType type = ValueType::U8;
  Vec3d spacing = {1, 1, 1};  // world units from voxel to voxel; not 0, negative if an axis runs backwards
  Vec3d origin = {0, 0, 0};   // world position of the corner of voxel (0, 0, 0)
  std::string source;         // the file, for error messages

  VoxelBox box() const { return {{0, 0, 0}, size}; }
  uint64_t bytes() const { return box().voxels() * value_bytes(type); }
};

struct Volume {
  VolumeInfo info;
  // Writes the values inside the box, x fastest, in the machine's byte order. The box must lie inside the
  // volume. Several threads may call it.
  std::function<void(const VoxelBox&, std::byte*)> read;
  // True if all values inside the box are known to be 0, without reading them. Volumes that cannot tell leave it out.
  std::function<bool(const VoxelBox&)> is_zero = {};
};

// Throws Error unless every side is 1 to kMaxVolumeSide.
Int3 checked_volume_size(int64_t x, int64_t y, int64_t z);

}  // namespace vox::volume
