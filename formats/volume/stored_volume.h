// A volume with the values of its file, which may be of any type. It is read box by box, like volume::Volume.
#pragma once

#include <functional>
#include <string>

#include "formats/volume/stored_type.h"
#include "libvox/base/vec.h"
#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/volume/value_rule.h"

namespace vox {

struct StoredInfo {
  Int3 size = {0, 0, 0};  // voxels
  StoredType type = StoredType::U8;
  Vec3d spacing = {1, 1, 1};  // as in volume::VolumeInfo
  Vec3d origin = {0, 0, 0};
  dag::UpAxis up = dag::UpAxis::Y;  // z if the file says that it shows a body
  std::string source;               // the file, for errors

  VoxelBox box() const { return {{0, 0, 0}, size}; }
  uint64_t bytes() const { return box().voxels() * stored_bytes(type); }
};

struct StoredVolume {
  StoredInfo info;
  // Works like volume::Volume::read.
  std::function<void(const VoxelBox&, std::byte*)> read;
};

// Calls f(box, values) for the pieces of a volume in order (libvox/volume/pieces.h).
void read_stored_pieces(const StoredVolume& stored,
                        const std::function<void(const VoxelBox&, const std::byte*)>& f);

// Returns a text about the i-th voxel of a box: "voxel (1, 2, 3) of ct.nrrd is 0.5".
std::string stored_voxel_text(const StoredVolume& stored, const VoxelBox& box, const std::byte* values,
                              uint64_t i);

// Reads the whole volume and returns the range of its values. Throws Error that names the first voxel that is
// not finite.
volume::ValueRange stored_range(const StoredVolume& stored);

}  // namespace vox
