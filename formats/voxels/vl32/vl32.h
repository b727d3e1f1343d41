// VL32, the bare list of voxels that obj2voxel writes. Each voxel has 16 bytes: x, y, z as int32 and its
// colour as 0xAARRGGBB, all big-endian. Voxels may have any order.
#pragma once

#include <cstddef>
#include <filesystem>

#include "formats/voxels/voxel_file.h"

namespace vox {

inline constexpr size_t kVl32VoxelBytes = 16;

// Throws Error that names the file.
VoxelFile open_vl32(const std::filesystem::path& path);

}  // namespace vox
