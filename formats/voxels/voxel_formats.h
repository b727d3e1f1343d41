// Reads and writes other programs' formats of voxels: binvox, VL32, NanoVDB and VTKHDF.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>

#include "formats/voxels/voxel_file.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/ranks/ranks.h"

namespace vox {

// The functions that open a file leave it to read_voxels() to name the file in an Error.

// binvox has run lengths of voxels along y. https://www.patrickmin.com/binvox/binvox.html

// The value that is written for a filled voxel.
enum class BinvoxValues {
  Filled,    // version 1: 1, as nearly all readers of the format expect
  Materials  // version 2: its material + 1
};

// Throws Error if materials are to be written and the scene has none. The format requires a cubic grid:
// it is the scene's, or a cube from the lower corner of the clip box with the box's longest side. The
// DAG is read directly, run by run. The format needs at least one pair of bytes for each 255 empty
// voxels.
void write_binvox(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, BinvoxValues values = BinvoxValues::Filled,
                  ranks::Ranks& ranks = ranks::alone());

// binvox is read in versions 1 and 2.

// In version 2, values up to 16 are materials as write_binvox() writes them; the palette option gives their
// colors. If there are higher values, every value gets a color of its own, which is matched to a palette.
VoxelFile open_binvox(const std::filesystem::path& path);

// VL32 is a plain list of voxels, which obj2voxel writes. Each voxel has 16 bytes: x, y, z as int32 and
// its color as 0xAARRGGBB, all big-endian. Voxels may have any order.

inline constexpr size_t kVl32VoxelBytes = 16;

VoxelFile open_vl32(const std::filesystem::path& path);

// Writes a record for each voxel, in Morton order, with its color in the palette; without materials all
// voxels have one color. The format does not store the size of voxels. If the scene's origin is a whole
// number of voxels, coordinates are positions in the world in voxels, so that reading the file restores them.
// Otherwise coordinates are the scene's, and a message says so. y points up.
void write_vl32(const dag::VoxelScene& scene, const std::filesystem::path& path,
                const std::optional<VoxelBox>& clip, ranks::Ranks& ranks = ranks::alone());

// NanoVDB's .nvdb is read in major version 32: the active voxels of grids of all types, the materials of
// files that vox wrote, and the colors of RGBA8 grids.
VoxelFile open_nvdb(const std::filesystem::path& path);

// NanoVDB's .nvdb is written in version 32.4.2 (libnanovdb 10.0), or 32.6.0 for NvdbGrid::OnIndex.
// nvdb_file.h defines the layout, and docs/formats.md describes the arrays beside the tree.

// The meaning of an active voxel's value. An index grid's values are the indices of its voxels; a voxel's
// material is that entry of the array "materials".
enum class NvdbGrid {
  Index,    // the index grid of version 32.4
  OnIndex,  // the index grid of versions from 32.6 on
  U8,       // material + 1 in 8 bits: Fp8 with a quantum of 1, because 32.4 has no 8-bit integers
  Rgba,     // the color of its material
};

// Index coordinates are those of the scene's voxels, even with a clip box. The map takes a voxel's lower
// corner to its place in the world. Cubes full of one material become tiles. Throws Error if materials are
// to be written and the scene has none, or if there are too many voxels.
void write_nvdb(const dag::VoxelScene& scene, const std::filesystem::path& path,
                const std::optional<VoxelBox>& clip, NvdbGrid grid, ranks::Ranks& ranks = ranks::alone());

// True if a file with this content was written by write_nvdb().
bool is_nvdb_of_vox(std::string_view file);

// VTKHDF, version 1.0, is the format of HDF5 files of VTK and ParaView:
// https://docs.vtk.org/en/latest/vtk_file_formats/vtkhdf_file_format/
//
// The array `material` is uint8: 0 for an empty voxel, otherwise its material + 1. With 24-bit colors there
// is an array `color`, too. The group /materials, which VTK ignores, has `names`, and `colors` in sRGB, with
// a row for each value from 0 on. (Field data would be the usual place, but VTK up to 9.2, as in Debian 12,
// then fails to read an image.) The attribute `format` of the file is `vox-vtkhdf`.

enum class VtkKind {
  // ImageData, a dense grid with a point in the center of each voxel, because VTK up to 9.2 does not read the
  // data of an image's cells.
  Image,
  Amr  // OverlappingAMR: boxes of cells where voxels are filled, and coarser cells around them
};

// Throws Error if the grid, or the boxes of the AMR together, would have more than kMaxDenseResolution³
// voxels. Chunks without a filled voxel are not stored; all others are deflated.
void write_vtkhdf(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, VtkKind kind);

// True if the file was written by write_vtkhdf().
bool is_vtkhdf_of_vox(const std::filesystem::path& path);

// Writes a scene as OverlappingAMR of VTKHDF: boxes of 32³ cells where voxels are filled. If a cell is
// refined by a box on the next level, it is 32 times as wide as that box's cells, and its value is the most
// frequent one among its filled voxels.
void write_vtk_amr(const dag::VoxelScene& scene, const std::filesystem::path& path, const VoxelBox& region);

}  // namespace vox
