// Writes a scene as OverlappingAMR of VTKHDF: boxes of 32³ cells where voxels are filled. If a cell is
// refined by a box on the next level, it is 32 times as wide as that box's cells, and its value is the most
// frequent one among its filled voxels.
#pragma once

#include <filesystem>

#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// See formats/voxels/vtk/vtkhdf.h.
void write_vtk_amr(const dag::VoxelScene& scene, const std::filesystem::path& path, const VoxelBox& region);

}  // namespace vox
