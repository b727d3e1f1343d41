// Writes VL32, the list of voxels of obj2voxel (formats/voxels/vl32/vl32.h).
#pragma once

#include <filesystem>
#include <optional>

#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// Writes a record for each voxel, in Morton order, with its colour in the palette; without materials all have one
// colour. The format knows no size of voxels: coordinates are places in the world in voxels where the scene's
// origin is a whole number of them, so that reading brings them back, else those of the scene, which a message
// says. y points up.
void write_vl32(const dag::VoxelScene& scene, const std::filesystem::path& path,
                const std::optional<VoxelBox>& clip);

}  // namespace vox
