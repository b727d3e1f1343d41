// Writes the octree of solid and empty voxels that splat-transform writes and viewers of PlayCanvas walk in: a header,
// .voxel.json, and .voxel.bin beside it, version 1.1.
// https://developer.playcanvas.com/user-manual/splat-transform/voxel-format/
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "libvox/base/geometry.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// All filled voxels are solid. Coordinates are those of the scene, y up. With a clip box, voxels keep their places. Throws
// Error if voxels are no cubes, or if the octree has more nodes than the format's 24 bits count.
void write_voxel_octree(const dag::VoxelScene& scene, const std::filesystem::path& path,
                        const std::optional<VoxelBox>& clip);

// "a.voxel.bin" for "a.voxel.json".
std::filesystem::path voxel_octree_bin_path(std::filesystem::path path);

bool is_voxel_octree_of_vox(std::string_view file);  // of the header

}  // namespace vox
