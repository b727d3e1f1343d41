// Writes binvox, run lengths of voxels along y. https://www.patrickmin.com/binvox/binvox.html
#pragma once

#include <filesystem>
#include <optional>

#include "formats/voxels/voxel_file.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// The value that is written for a filled voxel.
enum class BinvoxValues {
  Filled,    // version 1: 1, as nearly all readers of the format expect
  Materials  // version 2: its material + 1
};

// Throws Error if materials are to be written and the scene has none. The format requires a cubic grid: it is
// the scene's, or a cube from the lower corner of the clip box with the box's longest side. The DAG is read
// directly, run by run; the size of the file (one pair of bytes for each 255 empty voxels) is due to the
// format.
void write_binvox(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, BinvoxValues values = BinvoxValues::Filled);

// Reads binvox, versions 1 and 2.

// In version 2, values up to 16 are materials as write_binvox() writes them, whose colours the palette option
// supplies. If there are higher values, every value gets a colour of its own, which is matched to a palette.
// Throws Error that names the file.
VoxelFile open_binvox(const std::filesystem::path& path);

}  // namespace vox
