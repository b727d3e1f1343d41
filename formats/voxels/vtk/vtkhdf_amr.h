// Writes a scene as OverlappingAMR of VTKHDF: boxes of 32³ cells where something is filled. A cell of a level that
// has a box on the next one is 32 times as wide as that box's cells; its value is the one that most filled voxels
// in it have.
#pragma once

#include <filesystem>

#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// See formats/voxels/vtkhdf.h.
void write_vtk_amr(const dag::VoxelScene& scene, const std::filesystem::path& path, const VoxelBox& region);

}  // namespace vox
