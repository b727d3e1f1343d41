// Writes MagicaVoxel's .vox, version 150. https://github.com/ephtracy/voxel-model,
// MagicaVoxel-file-format-vox.txt and MagicaVoxel-file-format-vox-extension.txt
#pragma once

#include <filesystem>
#include <optional>

#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// Writes one model for each cube of 256³ that holds a voxel, cut to its filled voxels and placed by transform
// nodes so that z is up: voxel (x, y, z) of the scene becomes (x, y, z) where its z is up, (x, -1 - z, y)
// where y is, (y, z, x) where x is. Material m becomes colour index m + 1. Positions stay those of the scene;
// MagicaVoxel itself shows only ±1000, which a warning says where it matters. Throws Error where the file
// would pass 2 GiB, which its chunk sizes cannot say.
void write_magica_vox(const dag::VoxelScene& scene, const std::filesystem::path& path,
                      const std::optional<VoxelBox>& clip);

}  // namespace vox
