// Writes the filled voxels of a scene as points of a PLY file.
#pragma once

#include <filesystem>
#include <optional>

#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// The file is binary, little-endian. Each point has x, y, z, the voxel's centre in the world, as floats if
// these are precise enough for the voxels, otherwise as doubles; nx, ny, nz, the surface's normal there
// (formats/voxels/surfaces/voxel_normal.h); and red, green, blue of its material if the scene has materials.
// Cubes of 64³ voxels come in Morton order, and inside a cube x runs fastest. Throws Error if there are more
// than 2^31 - 1 points.
void write_voxel_points(const dag::VoxelScene& scene, const std::filesystem::path& path,
                        const std::optional<VoxelBox>& clip);

}  // namespace vox
