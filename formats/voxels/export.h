// Writes scenes in the formats of other programs, chosen by the extension: .nrrd, .vox, .binvox.
#pragma once

#include <filesystem>
#include <optional>

#include "formats/voxels/binvox.h"
#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

bool is_export_path(const std::filesystem::path& path);

// Writes the voxels inside the clip box, or all. The file appears complete or not at all. Throws Error that
// names the file. `binvox` is for .binvox alone.
void export_scene(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, BinvoxValues binvox = BinvoxValues::Filled);

}  // namespace vox
