// Writes an octree of solid and empty voxels, in which viewers of PlayCanvas walk: a header, .voxel.json, and
// .voxel.bin beside it. The format is version 1.1 of that of the program splat-transform.
// https://developer.playcanvas.com/user-manual/splat-transform/voxel-format/
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "libvox/base/geometry.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// All filled voxels are solid. Coordinates are those of the scene, y up. With a clip box, voxels keep their places. Throws
// Error if voxels are not cubes, or if the octree has more than the 2^24 nodes that the format allows.
void write_voxel_octree(const dag::VoxelScene& scene, const std::filesystem::path& path,
                        const std::optional<VoxelBox>& clip);

// Returns "a.voxel.bin" for "a.voxel.json".
std::filesystem::path voxel_octree_bin_path(std::filesystem::path path);

bool is_voxel_octree_of_vox(std::string_view file);  // `file`: the header

}  // namespace vox
