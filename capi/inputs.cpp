// Makes scenes of files of any kind.
#include <algorithm>
#include <utility>

#include "capi/voxelize.h"
#include "formats/input_kind.h"
#include "formats/mesh/mesh.h"
#include "formats/points/point_voxels.h"
#include "formats/points/points.h"
#include "formats/points/splat_voxels.h"
#include "formats/scene/any_scene.h"
#include "formats/volume/volume_file.h"
#include "formats/voxels/volumes/volume_voxels.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/dag/derived.h"

namespace vox {
namespace {

constexpr bool is_voxelized(InputKind kind) {
  return kind == InputKind::Mesh || is_cloud(kind);
}

void refuse(bool given, const char* option, const std::filesystem::path& path) {
  if (given)
    throw UsageError(fmt::format("options->{} has no effect on this kind of file", option)).at(path.string());
}

// Throws UsageError for an option that has no effect on a file of this kind.
void check_effects(InputKind kind, const VoxelizeOptions& options, const std::filesystem::path& path) {
  using enum VoxelMaterials;
  const bool is_mesh = kind == InputKind::Mesh, is_made = is_voxelized(kind);
  refuse(!is_mesh && options.build.solid, "solid", path);
  refuse(!is_mesh && options.build.coverage != scene::Coverage::Conservative, "coverage", path);
  refuse(!is_mesh && (options.materials == Mesh || options.materials == Numbers), "materials", path);
  refuse((is_volume(kind) || kind == InputKind::Scene) && options.materials != Texture, "materials", path);
  refuse((is_volume(kind) || kind == InputKind::Scene) && options.palette.has_value(), "palette", path);
  refuse(!is_cloud(kind) && options.point_radius > 0, "point_radius", path);
  refuse(!is_made && options.up.has_value(), "up", path);
  refuse(!is_made && options.grid.has_voxel_size(), "voxel_size", path);
  refuse(!is_made && options.grid.clip.has_value(), "clip", path);
  refuse(!is_made && options.grid.center, "center", path);
  refuse(!is_made && options.grid.snap, "snap", path);
}

VoxelFileOptions reading_options(const vox_engine& engine, const VoxelizeOptions& options) {
  return {.materials = options.materials != VoxelMaterials::None,
          .colors = options.build.colors,
          .palette = options.palette,
          .weights = {},
          .memory_limit = engine.options.memory_limit};
}

void check_colors(const dag::VoxelScene& scene, const VoxelizeOptions& options,
                  const std::filesystem::path& path) {
  if (options.build.colors && !scene.colors)
    throw Error("holds no colors that can be kept").at(path.string());
}

dag::VoxelScene scene_of_points(vox_engine& engine, const std::filesystem::path& path,
                                const VoxelizeOptions& options) {
  const PointOptions points = {.up = options.up};
  PointCloud cloud = open_points({&path, 1}, points);
  if (cloud.has_shapes && options.point_radius > 0)
    throw Error("its splats have sizes of their own, so that a radius has no effect").at(path.string());
  const CloudSurvey found = cloud.has_shapes ? survey_splats(cloud, points.splat_opacity) : survey(cloud);
  if (found.not_finite > 0)
    log_warning("dropped {} with coordinates that are not finite", format_count(found.not_finite, "point"));
  if (found.points == 0) throw Error("no points to convert").at(path.string());
  const Vec3d around = Vec3d{1, 1, 1} * options.point_radius;
  const voxelize::Grid grid =
      voxelize::fit_box({found.box.min - around, found.box.max + around}, options.grid);
  const VoxelFileOptions reading = reading_options(engine, options);
  const uint64_t room = room_for_points(engine.options.memory_limit);
  const VoxelFile voxels =
      cloud.has_shapes
          ? splat_voxels(cloud, grid,
                         {.opacity = points.splat_opacity, .materials = reading.materials, .room = room})
          : point_voxels(std::move(cloud), grid,
                         {.radius = options.point_radius, .materials = reading.materials, .room = room});
  return scene_of_voxels(voxels, reading, path).scene;
}

// Small whole numbers that are equal to those beside them are labels, and other values are divided into bins.
dag::VoxelScene scene_of_values(vox_engine& engine, const std::filesystem::path& path) {
  const StoredVolume stored = open_stored_volume(path, {}, {});
  const ValueEntries entries = seem_labels(stored)
                                   ? labels_of(stored, {.kind = VolumeMaterials::Kind::Labels})
                                   : bins_of(stored, {}, {});
  return scene_of_voxels(voxels_of_volume(stored, entries), {.memory_limit = engine.options.memory_limit},
                         path)
      .scene;
}

dag::VoxelScene scene_of_kind(InputKind kind, vox_engine& engine, const std::filesystem::path& path,
                              const VoxelizeOptions& options) {
  if (is_cloud(kind)) return scene_of_points(engine, path, options);
  if (is_volume(kind)) return scene_of_values(engine, path);
  if (kind == InputKind::Voxels) return read_voxels(path, reading_options(engine, options)).scene;
  return read_any_scene(path, engine.options, SceneForm::Any, Damage::Refused);
}

dag::VoxelScene scene_of_known(InputKind kind, vox_engine& engine, const std::filesystem::path& path,
                               const VoxelizeOptions& options) {
  check_effects(kind, options, path);
  if (is_voxelized(kind)) check_grid_options(options);
  dag::VoxelScene scene = scene_of_kind(kind, engine, path, options);
  check_colors(scene, options, path);
  if (kind != InputKind::Scene) sign(scene, path.filename().string(), "vox_voxelize_file");
  if (is_voxelized(kind) || options.grid.resolution == 0 || options.grid.resolution == scene.dag.resolution)
    return scene;
  const uint32_t halvings = dag::halvings_to(options.grid.resolution, scene.dag.resolution);
  return dag::coarser(std::move(scene), halvings, {.limit = engine.options.memory_limit});
}

}  // namespace

dag::VoxelScene scene_of_file(vox_engine& engine, const std::filesystem::path& path,
                              const VoxelizeOptions& options) {
  try {
    std::unique_lock hdf5(hdf5_turn());
    const InputKind kind = kind_of_input(path);
    if (kind != InputKind::Mesh) return scene_of_known(kind, engine, path, options);
    hdf5.unlock();
    check_effects(kind, options, path);
    check_grid_options(options);
    return scene_of_mesh(
        engine, {read_meshes({&path, 1}, {.up = options.up}).scene, path.filename().string()}, options);
  } catch (Error& error) {
    if (!error.has_place()) error.at(path.string());
    throw;
  }
}

}  // namespace vox
