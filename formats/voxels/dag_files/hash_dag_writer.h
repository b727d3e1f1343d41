// Writes scenes for HashDAG (formats/voxels/dag_files/hash_dag_file.h).
#pragma once

#include <filesystem>
#include <optional>

#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// Writes the nodes to `path` and the colours beside it. The grid is the scene's cube; voxels outside the clip
// box are left out. A scene without materials gets a file with a single colour, because HashDAG opens no file
// without colours. Throws Error if node indices exceed 32 bits or the number of voxels below a node cannot be
// stored. `memory_limit` bounds the process, as in an engine, while materials are removed from the nodes.
void write_hash_dag(const dag::VoxelScene& scene, const std::filesystem::path& path,
                    const std::optional<VoxelBox>& clip, uint64_t memory_limit = 0);

}  // namespace vox
