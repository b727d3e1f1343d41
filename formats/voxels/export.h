// Writes scenes in the formats of other programs, chosen by the extension: .nrrd, .vox, .binvox, .nvdb.
#pragma once

#include <filesystem>
#include <optional>

#include "formats/voxels/binvox.h"
#include "formats/voxels/nvdb_writer.h"
#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

bool is_export_path(const std::filesystem::path& path);

// Writes the voxels inside the clip box, or all. The file appears complete or not at all. Throws Error that
// names the file. `binvox` is for .binvox alone, `nvdb` for .nvdb.
void export_scene(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, BinvoxValues binvox = BinvoxValues::Filled,
                  NvdbGrid nvdb = NvdbGrid::U8);

}  // namespace vox
