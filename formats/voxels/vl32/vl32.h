// VL32, the bare list of voxels that obj2voxel writes. Each voxel has 16 bytes: x, y, z as int32 and its
// colour as 0xAARRGGBB, all big-endian. Voxels may have any order.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "formats/voxels/voxel_file.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

inline constexpr size_t kVl32VoxelBytes = 16;

// Throws Error that names the file.
VoxelFile open_vl32(const std::filesystem::path& path);

// Writes VL32, the list of voxels of obj2voxel.

// Writes a record for each voxel, in Morton order, with its colour in the palette; without materials all
// voxels have one colour. The format does not store the size of voxels. If the scene's origin is a whole
// number of voxels, coordinates are positions in the world in voxels, so that reading the file restores them.
// Otherwise coordinates are the scene's, and a message says so. y points up.
void write_vl32(const dag::VoxelScene& scene, const std::filesystem::path& path,
                const std::optional<VoxelBox>& clip);

}  // namespace vox
