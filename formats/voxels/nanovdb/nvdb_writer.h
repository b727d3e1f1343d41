// Writes NanoVDB's .nvdb, version 32.4.2 (libnanovdb 10.0), or 32.6.0 for NvdbGrid::OnIndex. The layout is that of
// nvdb_layout.h; docs/formats.md says what lies beside the tree.
#pragma once

#include <filesystem>
#include <optional>

#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// What the value of an active voxel is.
enum class NvdbGrid {
  Index,    // its number; its material is that entry of the array "materials". As version 32.4 has such grids
  OnIndex,  // likewise, as versions from 32.6 on have them
  U8,       // its material + 1, in 8 bits: Fp8 with a quantum of 1, since 32.4 has no whole numbers of 8 bits
  Rgba,     // the colour of its material
};

// Index coordinates are those of the scene's voxels, also in a clip box; the map takes the lower corner of a voxel
// to its place in the world. What is filled with one material is tiles. Throws Error where the scene has no
// materials that are to be written, or too many voxels.
void write_nvdb(const dag::VoxelScene& scene, const std::filesystem::path& path,
                const std::optional<VoxelBox>& clip, NvdbGrid grid);

}  // namespace vox
