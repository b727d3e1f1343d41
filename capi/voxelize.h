// Makes scenes from meshes and files, with the options of the C interface.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "capi/handles.h"
#include "formats/input_kind.h"
#include "formats/points/points.h"
#include "formats/volume/stored_volume.h"
#include "formats/voxels/volumes/volume_voxels.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/painting/paint_scene.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/scene.h"
#include "libvox/voxelize/build_scene.h"
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
  painting::Strokes strokes = {};
  painting::PaintOptions painting = {};

  bool closes_holes() const { return build.solid && !flood && build.inside == voxelize::InsideRule::Winding; }
  bool has_grid() const { return grid.resolution > 0 || grid.has_voxel_size(); }
};
VoxelizeOptions checked_options(const vox_voxelize_options* given);

// Returns a palette of `count` RGB colors, which belong to the argument `name`.
scene::Palette palette_of(const uint8_t* colors, uint32_t count, const char* name);

// Throws UsageError for an option that has no effect on any of these kinds of inputs.
void check_effects(const std::vector<InputKind>& kinds, const VoxelizeOptions& options,
                   const std::filesystem::path& path);

// Returns the checked options for a mesh or points in memory. Throws UsageError for an option that has no effect on them.
VoxelizeOptions options_for_memory(const vox_voxelize_options* given, InputKind kind,
                                   const std::string& name);

// Throws UsageError unless the options define a grid.
void check_grid_options(const VoxelizeOptions& options);

// A mesh as the voxelizer takes it.
struct ReadyMesh {
  const scene::Scene* given;
  std::optional<scene::Scene> own = {};  // a copy if something in the mesh changes
  std::optional<painting::Painting> painting = {};
  scene::IndexedScene indexed = {};

  const scene::Scene& scene() const { return own ? *own : *given; }
};
void check_triangles(const vox_mesh& mesh);  // throws Error if there are none
ReadyMesh prepared(vox_engine& engine, const vox_mesh& mesh, const voxelize::Grid& grid,
                   const VoxelizeOptions& options);
dag::VoxelScene voxelized(vox_engine& engine, const ReadyMesh& mesh, const voxelize::Grid& grid,
                          const VoxelizeOptions& options);

dag::VoxelScene scene_of_mesh(vox_engine& engine, const vox_mesh& mesh, const VoxelizeOptions& options);

// Returns the options by which colors of voxels or points become materials.
VoxelFileOptions reading_options(const vox_engine& engine, const VoxelizeOptions& options);

// A cloud of points, and the box of the voxels that they fill.
struct SurveyedCloud {
  PointCloud cloud;
  voxelize::Box box;
};

// `name` is the file or the argument, for errors.
SurveyedCloud surveyed(PointCloud cloud, const VoxelizeOptions& options, const std::filesystem::path& name);
dag::VoxelScene voxels_of_cloud(const vox_engine& engine, PointCloud cloud, const voxelize::Grid& grid,
                                const VoxelizeOptions& options, const std::filesystem::path& name);
dag::VoxelScene scene_of_cloud(const vox_engine& engine, PointCloud cloud, const VoxelizeOptions& options,
                               const std::filesystem::path& name);

// The ways in which values of a volume become materials.
struct ValueOptions {
  std::optional<VolumeMaterials::Kind> kind = {};  // if absent, the values decide
  volume::ThresholdOptions threshold = {};
  std::optional<scene::Palette> palette = {};
};
dag::VoxelScene scene_of_values(const vox_engine& engine, const StoredVolume& stored,
                                const ValueOptions& options, const std::filesystem::path& name);

// Records in a scene what it was made from and how.
void sign(dag::VoxelScene& scene, const std::string& source, const char* command);

}  // namespace vox
