// Writes scenes for programs that compute with them: as arrays of NumPy, or as geometry of gprMax.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "formats/io/overwrite.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

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

}  // namespace vox
