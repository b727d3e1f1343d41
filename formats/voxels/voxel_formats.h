// Reads and writes other programs' formats of voxels: binvox, VL32, NanoVDB and VTKHDF. Writes arrays of NumPy, geometry of
// gprMax, pictures of layers, and 3D Tiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "formats/io/output_file.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/ranks/ranks.h"

namespace vox {

// The functions that open a file leave it to read_voxels() to name the file in an Error.

// The value that is written for a filled voxel in a binvox file, which has run lengths of voxels along y.
// https://www.patrickmin.com/binvox/binvox.html
enum class BinvoxValues {
  Filled,    // version 1: 1, as nearly all readers of the format expect
  Materials  // version 2: its material + 1
};

// Writes a binvox file. Throws Error if materials are to be written and the scene has none. The format requires a
// cubic grid:
// it is the scene's, or a cube from the lower corner of the clip box with the box's longest side. The
// DAG is read directly, run by run. The format needs at least one pair of bytes for each 255 empty
// voxels.
void write_binvox(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, BinvoxValues values = BinvoxValues::Filled,
                  ranks::Ranks& ranks = ranks::alone());

// binvox is read in versions 1 and 2. In version 2, values up to 16 are materials as write_binvox() writes them; the palette option gives their
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

// Opens NanoVDB's .nvdb of major version 32, and reads the active voxels of grids of all types, the materials of
// files that vox wrote, and the colors of RGBA8 grids.
VoxelFile open_nvdb(const std::filesystem::path& path);

// The meaning of an active voxel's value in a .nvdb file that vox writes. An index grid's values are the indices of
// its voxels; a voxel's
// material is that entry of the array "materials".
enum class NvdbGrid {
  Index,    // the index grid of version 32.4
  OnIndex,  // the index grid of versions from 32.6 on
  U8,       // material + 1 in 8 bits: Fp8 with a quantum of 1, because 32.4 has no 8-bit integers
  Rgba,     // the color of its material
};

// Writes NanoVDB's .nvdb, version 32.4.2 (libnanovdb 10.0), or 32.6.0 for NvdbGrid::OnIndex. nanovdb/nvdb_file.h
// defines the layout, and docs/formats.md describes the arrays beside the tree. Index coordinates are those of the
// scene's voxels, even with a clip box. The map takes a voxel's lower corner to its place in the world. Cubes full of
// one material become tiles. Throws Error if materials are to be written and the scene has none, or if there are too
// many voxels.
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

// Writes an .npz file for numpy.load(): a list of voxels. The arrays are
//
//   coords      int32 [N, 3], the voxels' x, y, z in the scene's grid, in Morton order
//   materials   uint8 [N], their materials; or colors uint8 [N, 3] of a scene with colors; or neither
//   normals     float32 [N, 3], their normals in the world, 0 for none; absent if the scene has no normals
//   palette     uint8 [materials, 3], the colors of materials, and names, their names as bytes of UTF-8
//   origin      float64 [3], the place of the grid's corner, and voxel_size float64 [3]: a voxel's lower corner is at
//               origin + voxel_size * coords
//   resolution  int64 [], voxels along each side of the grid
//
// The arrays are not compressed.
void write_npz(const dag::VoxelScene& scene, const std::filesystem::path& path,
               const std::optional<VoxelBox>& clip, const attributes::PackedValues* normals = nullptr);

bool is_npz_of_vox(std::string_view file);

// Writes geometry for gprMax (https://docs.gprmax.com, #geometry_objects_read): an HDF5 file with the attribute
// dx_dy_dz, the size of a cell in meters, and the dataset `data`, int16 [x, y, z], the material of each cell, or -1
// where gprMax leaves the model unchanged. A text beside it has a line for each material, `#material: 1 0 1 0 NAME`.
// The relative permittivity, conductivity, relative permeability and magnetic loss are those of free space.
void write_gprmax(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip);

// Returns "a-materials.txt" for "a.gprmax.h5".
std::filesystem::path gprmax_materials_path(const std::filesystem::path& path);

bool is_gprmax_of_vox(const std::filesystem::path& path);
bool is_gprmax_text_of_vox(std::string_view file);

// Writes the layers of a scene as pictures for printers and image programs: a folder of PNG files, one for each layer
// of voxels. slices.json states the size and the place of the voxels and the meaning of the pixels.

struct LayerOptions {
  std::optional<uint32_t> axis =
      {};                    // the axis along which layers follow each other; absent: the axis that points up
  bool by_material = false;  // true: a folder for each material, with pictures of one bit a pixel
  Overwrite overwrite = Overwrite::OwnFiles;
};

// The names of pictures: "slices/%05d.png" is slices/00000.png, slices/00001.png, …
class SliceNames {
 public:
  // Throws UsageError if the path has no place for a number, or names no separate folder.
  explicit SliceNames(const std::filesystem::path& pattern);

  const std::filesystem::path& folder() const { return folder_; }
  std::string name(uint32_t number) const;

 private:
  std::filesystem::path folder_;
  std::string before_, behind_;
  uint32_t digits_ = 0;
};

bool is_slices_path(const std::filesystem::path& path);

// True if the file at this path in a folder of slices was written by write_slices().
bool is_slice_of_vox(const std::filesystem::path& folder, const std::filesystem::path& relative);

// Layer n of the region is picture n. Columns and rows of pixels are voxels along the other two axes in order, from low
// to high. A pixel is a palette entry: material + 1 (1 without materials), or 0 for an empty voxel. In a scene with
// 24-bit colors, it is red, green, blue and alpha. The folder appears complete or not at all.
void write_slices(const dag::VoxelScene& scene, const std::filesystem::path& pattern,
                  const std::optional<VoxelBox>& clip, const LayerOptions& options);

// Writes a scene as 3D Tiles with voxels, which CesiumJS 1.128 and newer draw (VoxelPrimitive). The extensions
// 3DTILES_content_voxels and EXT_primitive_voxels are drafts of the Cesium project.
//
//   tileset.json                the tiles' place, and the properties of a voxel
//   tiles/2/0.3.1.glb           level 2, tile (0, 3, 1): 32³ voxels
//   subtrees/0/0.0.0.subtree    which tiles of four levels there are

// The place on the Earth (WGS 84) of the origin of a scene's world. The world's x points east, and its up axis up.
struct EarthPlace {
  double latitude = 0, longitude = 0;  // degrees
  double height = 0;                   // meters above the ellipsoid
};

struct TilesOptions {
  std::optional<EarthPlace> origin = {};  // without it, the world's origin is the Earth's center
  Overwrite overwrite = Overwrite::OwnFiles;
};

// True if the path, of chunks or of tiles, is one of tiles: FOLDER/tileset.json.
bool is_tileset_path(const std::filesystem::path& path);

// Throws Error if the path's folder cannot be written, or if files would be lost that vox did not write, and UsageError
// if the path names no folder for the tiles alone.
void check_tiles_folder(const std::filesystem::path& path, Overwrite overwrite);

// Writes the voxels of all levels, from one tile to the scene's resolution, in the colors of the materials. The folder
// is written completely or not at all.
void write_tiles(const dag::VoxelScene& scene, const std::filesystem::path& path,
                 const std::optional<VoxelBox>& clip, const TilesOptions& options);

}  // namespace vox
