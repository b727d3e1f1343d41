#include "tools/vox-convert/points.h"

#include <utility>

#include "formats/points/point_voxels.h"
#include "formats/points/points.h"
#include "formats/volume/nrrd.h"
#include "libvox/base/cancel.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/stopwatch.h"
#include "libvox/base/thread_limit.h"
#include "libvox/base/units.h"
#include "libvox/voxelize/fit_box.h"
#include "tools/vox-convert/voxel_files.h"

namespace vox {
namespace {

void tell_survey(const CloudSurvey& found, const ConvertOptions& options) {
  if (found.not_finite > 0)
    log_warning("dropped {} with coordinates that are not finite", format_count(found.not_finite, "point"));
  if (found.left_out > 0)
    log_info("{} left out: withheld, or splats less opaque than {}", format_count(found.left_out, "point"),
             options.points.splat_opacity);
  if (found.points == 0) throw Error("no points to convert").at(options.inputs[0].string());
}

// The grid spans what the points fill.
voxelize::Grid grid_of(voxelize::Box box, const ConvertOptions& options) {
  const Vec3d around = {options.point_radius, options.point_radius, options.point_radius};
  return voxelize::fit_box({box.min - around, box.max + around}, options.grid);
}

}  // namespace

bool is_points_input(const ConvertOptions& options) {
  return is_points_path(options.inputs[0]);
}

dag::VoxelScene convert_points(const ConvertOptions& options, Conversion& conversion) {
  if (options.grid.resolution == 0 && options.grid.voxel_size == 0)
    throw UsageError("one of --res and --voxel-size is needed, such as --res 4K");
  if (options.materials == scene::MaterialMode::Mesh)
    throw UsageError("--materials mesh is for meshes: points have colours (texture), or none");
  check_targets(options);
  const ThreadLimit threads(options.engine.threads);
  const VoxelFileOptions reading = voxel_file_options(options);
  Stopwatch watch;
  PointCloud cloud = open_points(options.inputs, options.points);
  conversion.points = survey(cloud);
  conversion.device = "cpu";
  tell_survey(conversion.points, options);
  const voxelize::Grid grid = grid_of(conversion.points.box, options);
  if (kind_of_output(options.output) == OutputKind::Nrrd)
    check_dense_resolution(grid.resolution, options.output);
  if (reading.materials && !cloud.has_colors)
    log_info("the points have no colours: the scene has no materials");
  conversion.seconds.load = watch.lap();
  throw_if_cancelled();
  log_info("{}, {}³ voxels of {:.4g} units", format_count(conversion.points.points, "point"), grid.resolution,
           grid.voxel_size);
  const VoxelFile voxels = point_voxels(std::move(cloud), grid,
                                        {.radius = options.point_radius,
                                         .materials = reading.materials,
                                         .memory_limit = options.engine.memory_limit});
  conversion.seconds.voxelize = watch.lap();
  ScenePlusError made = scene_of_voxels(voxels, reading, options.inputs[0]);
  conversion.seconds.build = watch.lap();
  conversion.palette_error = made.error;
  if (made.scene.dag.voxels == 0) log_warning("no voxel is filled: no point lies inside --clip");
  sign(made.scene, options);
  return std::move(made.scene);
}

}  // namespace vox
