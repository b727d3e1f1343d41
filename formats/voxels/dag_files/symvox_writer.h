// Writes scenes for SymVox, .svdag and .ussvdag (formats/voxels/dag_files/symvox_file.h).
#pragma once

#include <filesystem>
#include <optional>

#include "formats/voxels/dag_files/symvox_file.h"
#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// Writes which voxels are filled; materials have no place in these files. The grid is the scene's cube, of which
// what lies outside of the clip box is empty. Throws Error where words do not fit into 32 bits. `memory_limit` bounds
// the process while materials are left out, as that of an engine does.
void write_symvox(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, SymVoxKind kind, uint64_t memory_limit = 0);

}  // namespace vox
