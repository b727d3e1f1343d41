// Writes scenes as VTKHDF, the HDF5 files of VTK and ParaView, version 1.0 of the format:
// https://docs.vtk.org/en/latest/vtk_file_formats/vtkhdf_file_format/
//
// The array `material` is uint8: 0 where a voxel is empty, else its material + 1. What the values mean is in the
// group /materials, where VTK allows what it does not read: `names`, and `colors` in sRGB, a row for each value
// from 0 on. (Field data would be the place, but with them VTK up to 9.2, which is that of Debian 12, fails to read
// an image.) The attribute `format` of the file is `vox-vtkhdf`.
#pragma once

#include <filesystem>
#include <optional>

#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

enum class VtkKind {
  // ImageData, a dense grid: a point in the middle of each voxel, since VTK up to 9.2 reads no data of an image's
  // cells.
  Image,
  Amr  // OverlappingAMR, boxes of cells where voxels are filled, and coarser cells around them
};

// Throws Error where a grid would have more than kMaxDenseResolution³ voxels, those of the boxes of an AMR counted.
// Chunks without a filled voxel are not stored; all others are deflated.
void write_vtkhdf(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, VtkKind kind);

}  // namespace vox
