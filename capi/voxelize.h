// Makes scenes from meshes and files, with the options of the C interface.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <vector>

#include "capi/handles.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/scene/palette.h"
#include "libvox/voxelize/build_scene.h"
#include "libvox/voxelize/combine.h"
#include "libvox/voxelize/grid.h"
#include "libvox/voxelize/inside.h"

namespace vox {

enum class VoxelMaterials : uint32_t { Texture, Mesh, Colors, None, Numbers };  // VOX_MATERIALS_…

// The checked form of vox_voxelize_options.
struct VoxelizeOptions {
  voxelize::GridOptions grid = {};
  voxelize::BuildOptions build = {};
  VoxelMaterials materials = VoxelMaterials::Texture;
  std::optional<scene::Palette> palette = {};
  std::optional<dag::UpAxis> up = {};
  double point_radius = 0;  // in units of the file
  double close = 0;         // voxels
  bool flood = false;       // with build.solid: in place of build.inside
  std::optional<uint8_t> interior = {};
  std::vector<voxelize::Shell> shells = {};

  bool closes_holes() const { return build.solid && !flood && build.inside == voxelize::InsideRule::Winding; }
  bool has_grid() const { return grid.resolution > 0 || grid.has_voxel_size(); }
};
VoxelizeOptions checked_options(const vox_voxelize_options* given);

// Throws UsageError unless the options define a grid.
void check_grid_options(const VoxelizeOptions& options);

dag::VoxelScene scene_of_mesh(vox_engine& engine, const vox_mesh& mesh, const VoxelizeOptions& options);
dag::VoxelScene scene_of_meshes(vox_engine& engine, const std::array<const vox_mesh*, 2>& meshes,
                                voxelize::Combination combination, const VoxelizeOptions& options);
dag::VoxelScene scene_of_file(vox_engine& engine, const std::filesystem::path& path,
                              const VoxelizeOptions& options);

// Records in a scene what it was made from and how.
void sign(dag::VoxelScene& scene, const std::string& source, const char* command);

}  // namespace vox
