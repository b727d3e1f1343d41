// Writes OpenVDB's .vdb, format version 224, in the way of OpenVDB 10 with the compression ZIP | ACTIVE_MASK.
#pragma once

#include <filesystem>
#include <optional>

#include "libvox/base/geometry.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// Writes the active voxels as up to three grids: `density`, float, 1; `material`, int32, the material + 1; and `color`,
// vec3s, in linear light. Index coordinates are those of the scene's voxels, even with a clip box. The transform maps
// them to the voxels' centers in the world. Cubes full of one material become tiles.
void write_vdb(const dag::VoxelScene& scene, const std::filesystem::path& path,
               const std::optional<VoxelBox>& clip);

// True if a file was written by write_vdb().
bool is_vdb_of_vox(const std::filesystem::path& path);

}  // namespace vox
