// Writes the filled voxels of a scene as points of a PLY file.
#pragma once

#include <filesystem>
#include <optional>

#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// Binary, little-endian: x, y, z of a voxel's centre in the world, as floats where these tell voxels well apart,
// else as doubles; nx, ny, nz of the surface there (formats/voxels/surfaces/voxel_normal.h); red, green, blue of its
// material, where the scene has materials. Cubes of 64³ voxels come in Morton order, in each x goes fastest.
// Throws Error where there are more than 2^31 - 1 points.
void write_voxel_points(const dag::VoxelScene& scene, const std::filesystem::path& path,
                        const std::optional<VoxelBox>& clip);

}  // namespace vox
