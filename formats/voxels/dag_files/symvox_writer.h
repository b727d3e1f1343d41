// Writes scenes for SymVox, .svdag and .ussvdag (formats/voxels/dag_files/symvox_file.h).
#pragma once

#include <filesystem>
#include <optional>

#include "formats/voxels/dag_files/symvox_file.h"
#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// Writes which voxels are filled; the format has no materials. The grid is the scene's cube; voxels outside
// the clip box are left out. Throws Error if word indices exceed 32 bits. `memory_limit` bounds the process,
// as in an engine, while materials are removed.
void write_symvox(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, SymVoxKind kind, uint64_t memory_limit = 0);

}  // namespace vox
