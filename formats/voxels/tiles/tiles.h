// Writes a scene as 3D Tiles with voxels, which CesiumJS 1.128 and newer draw (VoxelPrimitive). The extensions
// 3DTILES_content_voxels and EXT_primitive_voxels are drafts of the Cesium project.
//
//   tileset.json                the tiles' place, and the properties of a voxel
//   tiles/2/0.3.1.glb           level 2, tile (0, 3, 1): 32³ voxels
//   subtrees/0/0.0.0.subtree    which tiles of four levels there are
#pragma once

#include <filesystem>
#include <optional>

#include "formats/io/overwrite.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

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
