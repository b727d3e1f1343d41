// Writes scenes as VTKHDF, the HDF5 files of VTK and ParaView, version 1.0 of the format:
// https://docs.vtk.org/en/latest/vtk_file_formats/vtkhdf_file_format/
//
// The array `material` is uint8: 0 for an empty voxel, otherwise its material + 1. The group /materials,
// which VTK ignores, explains the values: `names`, and `colors` in sRGB, with a row for each value from 0 on.
// (Field data would be the natural place, but with them VTK up to 9.2, the version of Debian 12, fails to
// read an image.) The attribute `format` of the file is `vox-vtkhdf`.
#pragma once

#include <filesystem>
#include <optional>

#include "libvox/base/geometry.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

enum class VtkKind {
  // ImageData, a dense grid with a point in the centre of each voxel, because VTK up to 9.2 does not read the
  // data of an image's cells.
  Image,
  Amr  // OverlappingAMR: boxes of cells where voxels are filled, and coarser cells around them
};

// Throws Error if the grid, or all boxes of the AMR together, would have more than kMaxDenseResolution³
// voxels. Chunks without a filled voxel are not stored; all others are deflated.
void write_vtkhdf(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, VtkKind kind);

// True if the file was written by write_vtkhdf().
bool is_vtkhdf_of_vox(const std::filesystem::path& path);

// Writes a scene as OverlappingAMR of VTKHDF: boxes of 32³ cells where voxels are filled. If a cell is
// refined by a box on the next level, it is 32 times as wide as that box's cells, and its value is the most
// frequent one among its filled voxels.

// See formats/voxels/vtk/vtkhdf.h.
void write_vtk_amr(const dag::VoxelScene& scene, const std::filesystem::path& path, const VoxelBox& region);

}  // namespace vox
