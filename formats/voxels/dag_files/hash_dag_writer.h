// Writes scenes for HashDAG (formats/voxels/dag_files/hash_dag_file.h).
#pragma once

#include <filesystem>
#include <optional>

#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// Writes the nodes to `path` and the colours beside it. The grid is the scene's cube, of which what lies outside
// of the clip box is empty. A scene without materials gets a file of colours with a single one, as HashDAG does
// not open one without any. Throws Error where indices of nodes do not fit into 32 bits, or the number of voxels
// below a node has no place. `memory_limit` bounds the process while materials are left out of the nodes, as that of
// an engine does.
void write_hash_dag(const dag::VoxelScene& scene, const std::filesystem::path& path,
                    const std::optional<VoxelBox>& clip, uint64_t memory_limit = 0);

}  // namespace vox
