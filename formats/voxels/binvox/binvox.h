// Writes binvox: run lengths along y. https://www.patrickmin.com/binvox/binvox.html
#pragma once

#include <filesystem>
#include <optional>

#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// The value of a filled voxel.
enum class BinvoxValues {
  Filled,    // version 1: 1, as nearly all programs that read the format expect
  Materials  // version 2: its material + 1
};

// Throws Error where the scene has no materials that are to be written. The grid is a cube, as the format
// asks: the scene's, or one from the lower corner of the clip box with its longest side. Runs come from the
// DAG; the size of the file (one pair of bytes per 255 empty voxels) is the format's.
void write_binvox(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, BinvoxValues values = BinvoxValues::Filled);

}  // namespace vox
