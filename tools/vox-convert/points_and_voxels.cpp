#include "tools/vox-convert/scenes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/images/image.h"
#include "formats/points/point_voxels.h"
#include "formats/points/splat_voxels.h"
#include "formats/volume/volume_formats.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/process.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

void tell_survey(const CloudSurvey& found, const std::filesystem::path& path, const ConvertOptions& options) {
  if (found.not_finite > 0)
    log_warning("dropped {} with coordinates that are not finite", format_count(found.not_finite, "point"));
  if (found.left_out > 0)
    log_info("{} left out: withheld, or splats less opaque than {}", format_count(found.left_out, "point"),
             options.points.splats == SplatUse::Centers ? options.points.splat_opacity : kLeastSplatWeight);
  if (found.points == 0) throw Error("no points to convert").at(path.string());
}

void tell_colorless(const ConvertOptions& options) {
  for (const char* option : {"palette", "palette-weight", "palette-out"})
    if (std::ranges::find(options.given, option, &Option::name) != options.given.end())
      throw UsageError(fmt::format("--{} has no effect where not all points have colors", option));
  log_info("not all points have colors: the scene has no materials");
}

// Only the file itself tells whether it has colors.
void refuse_palettes(const ConvertOptions& options) {
  if (options.palette || options.palette_weight || options.palette_out)
    throw UsageError(fmt::format("--palette, --palette-weight and --palette-out are for colors: {} has none",
                                 options.inputs[0].string()));
}

}  // namespace

void tell_ignored_sizes(const ConvertOptions& options) {
  if (options.points.splats == SplatUse::Centers &&
      std::ranges::find(options.kinds, InputKind::Splats) != options.kinds.end())
    log_info("the sizes of splats are ignored (--splats centers)");
}

CloudSurvey surveyed(const PointCloud& cloud, const std::filesystem::path& path,
                     const ConvertOptions& options) {
  const CloudSurvey found =
      cloud.has_shapes ? survey_splats(cloud, options.points.splat_opacity) : survey(cloud);
  tell_survey(found, path, options);
  return found;
}

double radius_of(const PointCloud& cloud, const CloudSurvey& found, const ConvertOptions& options) {
  if (cloud.has_shapes) return 0;
  if (options.point_radius) return *options.point_radius;
  const double radius = radius_between_points(cloud, found);
  log_info("points fill voxels within {:.4g} units (--point-radius auto)", radius);
  return radius;
}

voxelize::Box around_points(const voxelize::Box& box, double radius) {
  const Vec3d around = {radius, radius, radius};
  return {box.min - around, box.max + around};
}

ScenePlusError voxels_of(PointCloud cloud, const voxelize::Grid& grid, double radius,
                         const ConvertOptions& options) {
  const VoxelFileOptions reading = voxel_file_options(options);
  const uint64_t room = room_for_points(options.engine.memory_limit);
  const VoxelFile voxels =
      cloud.has_shapes
          ? splat_voxels(
                cloud, grid,
                {.opacity = options.points.splat_opacity, .materials = reading.materials, .room = room})
          : point_voxels(std::move(cloud), grid,
                         {.radius = radius, .materials = reading.materials, .room = room});
  return scene_of_voxels(voxels, reading, options.inputs[0]);
}

dag::VoxelScene convert_points(const ConvertOptions& options, Conversion& conversion) {
  if (options.grid.resolution == 0 && !options.grid.has_voxel_size())
    throw UsageError(options.inputs[0].string() +
                     ": one of --res and --voxel-size is needed, such as --res 4K");
  if (has_named_entries(options.materials))
    throw UsageError("--materials mesh and object are for meshes: points have colors (texture), or none");
  check_targets(options);
  const ThreadLimit threads(options.engine.threads);
  Stopwatch watch;
  PointCloud cloud = open_points(options.inputs, options.points);
  tell_ignored_sizes(options);
  conversion.points = surveyed(cloud, options.inputs[0], options);
  conversion.device = "cpu";
  // The grid spans what the points fill.
  const double radius = radius_of(cloud, conversion.points, options);
  const voxelize::Grid grid = voxelize::fit_box(around_points(conversion.points.box, radius), options.grid);
  if (is_dense_grid(options.output)) check_dense_resolution(grid.resolution, options.output);
  if (options.materials != scene::MaterialMode::None && !cloud.has_colors) tell_colorless(options);
  conversion.seconds.load = watch.lap();
  throw_if_cancelled();
  log_info("{}, {}³ voxels of {} units", format_count(conversion.points.points, "point"), grid.resolution,
           format_sides(grid.voxel_size));
  const bool has_shapes = cloud.has_shapes;
  ScenePlusError made = voxels_of(std::move(cloud), grid, radius, options);
  conversion.seconds.build = watch.lap();
  conversion.palette_error = made.error;
  if (made.scene.dag.voxels == 0)
    log_warning("no voxel is filled: {}", has_shapes ? "no place is as opaque as --splat-opacity asks for"
                                                     : "no point lies inside --clip");
  if (options.build.colors && !made.scene.colors)
    throw Error("not all points have colors")
        .at(options.inputs[0].string())
        .hint("--materials none fills voxels alone");
  sign(made.scene, options);
  return std::move(made.scene);
}

VoxelFileOptions voxel_file_options(const ConvertOptions& options) {
  VoxelFileOptions reading = {.materials = options.materials != scene::MaterialMode::None,
                              .colors = options.build.colors,
                              .palette = {},
                              .weights = {},
                              .memory_limit = options.engine.memory_limit};
  if (options.palette) reading.palette = read_palette(*options.palette);
  if (options.palette_weight) reading.weights.area_power = *options.palette_weight;
  return reading;
}

dag::VoxelScene convert_voxels(const ConvertOptions& options, Conversion& conversion) {
  if (options.inputs.size() > 1)
    throw UsageError("a file of voxels is one of several inputs: --res or --voxel-size says their grid");
  if (has_named_entries(options.materials))
    throw UsageError("--materials mesh and object are for meshes: voxels have colors (texture), or none");
  check_targets(options);
  const ThreadLimit threads(options.engine.threads);
  const Stopwatch watch;
  ScenePlusError read = read_voxels(options.inputs[0], voxel_file_options(options));
  if (!read.scene.dag.materials) refuse_palettes(options);
  if (options.build.colors && !read.scene.colors)
    throw Error("holds no colors that can be kept: --materials texture makes a palette of those of DAG files")
        .at(options.inputs[0].string());
  conversion.seconds.load = watch.seconds();
  conversion.palette_error = read.error;
  conversion.device = "cpu";
  if (read.scene.dag.voxels == 0) log_warning("no voxel is filled");
  sign(read.scene, options);
  if (options.grid.resolution > 0) make_coarser(read.scene, options);
  return std::move(read.scene);
}

}  // namespace vox
