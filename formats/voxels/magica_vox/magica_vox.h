// Writes MagicaVoxel's .vox, version 150. https://github.com/ephtracy/voxel-model,
// MagicaVoxel-file-format-vox.txt and MagicaVoxel-file-format-vox-extension.txt
#pragma once

#include <filesystem>
#include <optional>

#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// Writes one model for each cube of 256³ that contains a voxel. A model is cut to its filled voxels and
// placed by transform nodes so that z is up: voxel (x, y, z) of the scene becomes (x, y, z) if its z is up,
// (x, -1 - z, y) if y is, (y, z, x) if x is. Material m becomes colour index m + 1. Positions stay the
// scene's; MagicaVoxel itself shows only ±1000, and a warning says so if the scene is larger. Throws Error if
// the file would exceed 2 GiB, the limit of its chunk sizes.
void write_magica_vox(const dag::VoxelScene& scene, const std::filesystem::path& path,
                      const std::optional<VoxelBox>& clip);

}  // namespace vox
