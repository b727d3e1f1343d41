// Writes VL32, the list of voxels of obj2voxel (formats/voxels/vl32/vl32.h).
#pragma once

#include <filesystem>
#include <optional>

#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// Writes a record for each voxel, in Morton order, with its colour in the palette; without materials all
// voxels have one colour. The format does not store the size of voxels. If the scene's origin is a whole
// number of voxels, coordinates are positions in the world in voxels, so that reading the file restores them.
// Otherwise coordinates are the scene's, and a message says so. y points up.
void write_vl32(const dag::VoxelScene& scene, const std::filesystem::path& path,
                const std::optional<VoxelBox>& clip);

}  // namespace vox
