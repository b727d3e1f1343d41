// binvox: run lengths along y. https://www.patrickmin.com/binvox/binvox.html
#pragma once

#include <filesystem>
#include <optional>

#include "libvox/dag/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// Version 2, whose values are material + 1; version 1 without materials, which more programs read. The grid
// is a cube, as the format asks: the scene's, or one from the lower corner of the clip box with its longest
// side. Runs come from the DAG; the size of the file (one pair of bytes per 255 empty voxels) is the
// format's.
void write_binvox(const VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip);

}  // namespace vox
