// Reads and writes .nvdb files of NanoVDB.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "formats/voxels/voxel_file.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// Reads NanoVDB's .nvdb, major version 32. It reads the active voxels of grids of all types, the materials of
// files that vox wrote, and the colours of RGBA8 grids.

// Throws Error that names the file.
VoxelFile open_nvdb(const std::filesystem::path& path);

// Writes NanoVDB's .nvdb, version 32.4.2 (libnanovdb 10.0), or 32.6.0 for NvdbGrid::OnIndex. nvdb_file.h
// defines the layout; docs/formats.md describes the arrays beside the tree.

// An index grid's values are the indices of its voxels; a voxel's material is that entry of the array
// "materials".
// The meaning of an active voxel's value.
enum class NvdbGrid {
  Index,    // the index grid of version 32.4
  OnIndex,  // the index grid of versions from 32.6 on
  U8,       // its material + 1 in 8 bits: Fp8 with a quantum of 1, because 32.4 has no 8-bit integers
  Rgba,     // the colour of its material
};

// Index coordinates are those of the scene's voxels, also with a clip box; the map takes a voxel's lower
// corner to its place in the world. Cubes filled with one material become tiles. Throws Error if materials
// are to be written and the scene has none, or if there are too many voxels.
void write_nvdb(const dag::VoxelScene& scene, const std::filesystem::path& path,
                const std::optional<VoxelBox>& clip, NvdbGrid grid);

// True if a file with this content was written by write_nvdb().
bool is_nvdb_of_vox(std::string_view file);

}  // namespace vox
