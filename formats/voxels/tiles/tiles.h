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

// A place on the Earth (WGS 84), at which the origin of a scene's world lies. Its x points east and up is up.
struct EarthPlace {
  double latitude = 0, longitude = 0;  // degrees
  double height = 0;                   // meters above the ellipsoid
};

struct TilesOptions {
  std::optional<EarthPlace> origin = {};  // without it, the world's origin is the Earth's center
  Overwrite overwrite = Overwrite::OwnFiles;
};

// True if a path of chunks or tiles is that of tiles, FOLDER/tileset.json.
bool is_tileset_path(const std::filesystem::path& path);

// Throws Error if nothing can be written to the folder of the path, or if files would be lost that vox did not write, and
// UsageError if it is no folder of its own.
void check_tiles_folder(const std::filesystem::path& path, Overwrite overwrite);

// Writes the voxels of all levels from the scene's down to one tile, in the colors of the materials. The folder appears
// as a whole.
void write_tiles(const dag::VoxelScene& scene, const std::filesystem::path& path,
                 const std::optional<VoxelBox>& clip, const TilesOptions& options);

}  // namespace vox
