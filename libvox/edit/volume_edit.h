// Edits of a volume's values as plain structs. A line of a script for a volume becomes one of them, and
// VolumeSession::apply() (volume_session.h) runs it.
#pragma once

#include <cstdint>
#include <string>

#include "libvox/base/geometry.h"
#include "libvox/edit/edit.h"

namespace vox::edit {

enum class VolumeOp : uint8_t {
  Set,        // gives each voxel the value `amount`
  Add,        // adds `amount`
  Scale,      // multiplies by `amount`
  Smooth,     // takes the mean of the values around it
  Threshold,  // empties voxels whose value is less than `amount`
};

inline constexpr uint32_t kMaxSmoothReach = 8;

// Changes the values of the voxels that lie in the shape and, if there is a mask, are filled in the mask. Values are
// computed as doubles and stored as the volume's type: whole numbers are rounded to the nearest, halves away from zero,
// and a value beyond the type's range becomes the nearest one in it.
struct VolumeEdit {
  VolumeOp op = VolumeOp::Set;
  Shape shape = {};
  double amount = 0;
  uint32_t reach = 1;  // Smooth takes the cube of 2 reach + 1 voxels a side, as far as it lies in the volume
  uint32_t mask = 0;   // 1 + the index of the mask's file in the script, or 0 if there is none
  Int3 mask_at = {0, 0, 0};  // where the mask's voxel (0, 0, 0) lies
  friend bool operator==(const VolumeEdit&, const VolumeEdit&) = default;
};

// Returns the name of an edit in reports, such as "smooth".
std::string tool_name(const VolumeEdit& edit);

// Returns a box inside a volume of this size that holds all voxels that the edit may change. `mask_size` is the size of its
// mask, if it has one.
VoxelBox written_box(const VolumeEdit& edit, Int3 size, Int3 mask_size);

}  // namespace vox::edit
