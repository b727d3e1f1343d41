#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/images/image.h"
#include "formats/io/output_file.h"
#include "formats/points/point_voxels.h"
#include "formats/points/splat_voxels.h"
#include "formats/scene/any_scene.h"
#include "formats/volume/volume_formats.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/process.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/bricks/make_bricks.h"
#include "libvox/dag/symmetric_dag.h"
#include "libvox/dag/walk.h"
#include "tools/common/reports.h"
#include "tools/common/tool.h"
#include "tools/vox-convert/scenes.h"

namespace vox {
namespace {

void write_output(const bricks::FrozenBricks& bricks, std::span<const bricks::FrozenBricks> coarser,
                  const ConvertOptions& options) {
  if (is_dense_grid(options.output)) {
    write_dense_grid(bricks::bricks_volume(bricks), options.output);
  } else {
    write_bricks(bricks, origin_of(options.command), options.output, nullptr, options.compression, coarser);
  }
}

// The source is a volume or a scene.
template <class Source>
bricks::BricksResult built_bricks(Engine& engine, const Source& source, const bricks::BricksOptions& bricks,
                                  const ConvertOptions& options) {
  return bricks::make_bricks(engine.handle(), source,
                             bricks::recipe_for(options.optimize, bricks, options.slope));
}

// Returns make(engine), and adds to the kernels' times.
template <class Make>
auto on_engine(const ConvertOptions& options, std::vector<device::KernelTime>& kernels, const Make& make) {
  const std::unique_ptr<Engine> engine = make_engine(options.engine);
  auto made = make(*engine);
  const std::vector<device::KernelTime> rows = engine->profile();
  kernels.insert(kernels.end(), rows.begin(), rows.end());
  return made;
}

using Kind = VolumeMaterials::Kind;

bool has_threshold(const ConvertOptions& options) {
  return options.bricks.threshold.share || options.bricks.threshold.raw;
}

void check_materials(const ConvertOptions& options) {
  const bool is_given = std::ranges::find(options.given, "materials", &Option::name) != options.given.end();
  if (is_given && !options.volume_materials && options.materials != scene::MaterialMode::None)
    throw UsageError("--materials of a volume is bins, labels or none: it has no textures");
  if (options.volume_materials && options.volume_materials->kind == Kind::Labels && has_threshold(options))
    throw UsageError("--threshold is for amounts: of --materials labels, 0 alone is empty");
}

// If the command line does not choose, small numbers that are equal to those beside them are labels.
VolumeMaterials chosen_materials(const StoredVolume& stored, const ConvertOptions& options) {
  if (options.volume_materials) return *options.volume_materials;
  if (options.materials == scene::MaterialMode::None) return {.kind = Kind::None};
  if (!has_threshold(options) && seem_labels(stored)) {
    log_info("the values seem to be labels, which become materials: --materials bins makes bins of them");
    return {.kind = Kind::Labels};
  }
  return {.kind = Kind::Bins};
}

ValueEntries entries_of(const StoredVolume& stored, const ConvertOptions& options) {
  const VolumeMaterials materials = chosen_materials(stored, options);
  std::optional<scene::Palette> palette;
  if (options.palette) palette = read_palette(*options.palette);
  if (materials.kind == Kind::Labels) return labels_of(stored, materials, palette);
  return bins_of(stored, materials, options.bricks.threshold, palette);
}

void say_what_is_made(const StoredInfo& info, const VoxelFile& voxels) {
  const Vec3d& step = info.spacing;
  log_info("{} x {} x {} values of {}, {:.4g} x {:.4g} x {:.4g} units apart, become {}³ voxels of {} units",
           info.size.x, info.size.y, info.size.z, stored_type_name(info.type), std::abs(step.x),
           std::abs(step.y), std::abs(step.z), voxels.resolution, format_sides(voxels.voxel_size));
}

void tell_survey(const CloudSurvey& found, const std::filesystem::path& path, const ConvertOptions& options) {
  if (found.not_finite > 0)
    log_warning("dropped {} with coordinates that are not finite", format_count(found.not_finite, "point"));
  if (found.left_out > 0)
    log_info("{} left out: withheld, or splats less opaque than {}", format_count(found.left_out, "point"),
             options.points.splats == SplatUse::Centers ? options.points.splat_opacity : kLeastSplatWeight);
  if (found.points == 0) throw Error("no points to convert").at(path.string());
  if (found.oversized > 0)
    log_warning(
        "{} with deviations of {:.4g} units and more, of {}, {} as {} alone: {} too large for the cloud",
        format_count(found.oversized, "splat"), found.least_oversized, format_count(found.points),
        found.oversized == 1 ? "counts" : "count", found.oversized == 1 ? "its center" : "their centers",
        found.oversized == 1 ? "it is" : "they are");
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

void convert_volume(const ConvertOptions& options) {
  if (options.inputs.size() > 1)
    throw UsageError("a volume is converted alone, but there are several inputs");
  if (same_file(options.output, options.inputs[0]))
    throw UsageError(fmt::format("-o '{}' would replace what is read", options.output.string()));
  check_writable(options.output, kind_of_output(options.output), options.overwrite);
  const ThreadLimit threads(options.engine.threads);
  Stopwatch total, watch;
  const volume::Volume volume = open_volume(options.inputs[0], options.raw, options.channel);
  const std::unique_ptr<Engine> engine = make_engine(options.engine);
  log_info("{} x {} x {} voxels of {}, on {}", volume.info.size.x, volume.info.size.y, volume.info.size.z,
           volume::value_type_name(volume.info.type), engine->device_text());
  bricks::BricksResult result = built_bricks(*engine, volume, options.bricks, options);
  result.bricks.info.source = options.inputs[0].filename().string();
  if (result.bricks.filled == 0) log_warning("no voxel is filled: all values are below the threshold or 0");
  watch.lap();
  const uint32_t levels = options.levels.value_or(bricks::levels_to_the_coarsest(result.bricks.info.size));
  const std::vector<bricks::FrozenBricks> coarser =
      bricks::coarser_levels(engine->handle(), result.bricks, levels);
  result.seconds += watch.lap();
  write_output(result.bricks, coarser, options);
  VolumeConversion conversion = {.read = result.read_seconds,
                                 .build = result.seconds,
                                 .write = watch.lap(),
                                 .peak_device_bytes = result.peak_device_bytes,
                                 .device = engine->device(),
                                 .kernels = engine->profile()};
  if (options.verify) {
    verify_written(volume, options.bricks.threshold, options.output);
    conversion.verify = watch.seconds();
  }
  conversion.total = total.seconds();
  if (options.engine.profile) print_profile(conversion.kernels);
  if (options.json)
    return print_results(options, {.file = options.output,
                                   .verified = options.verify,
                                   .forms = {.bricks = &result.bricks},
                                   .volume = &conversion});
  log_info("{}", bricks_line(result.bricks));
  if (options.verify) log_info("read back and compared with the volume: correct");
  log_end(seconds_of(conversion), options.output, size_of_written(options.output));
}

bricks::FrozenBricks scene_bricks(const dag::VoxelScene& scene, const ConvertOptions& options,
                                  std::vector<device::KernelTime>& kernels) {
  bricks::BricksOptions bricks = options.bricks;
  bricks.threshold = {};  // it was for the volume that has become the scene
  return on_engine(options, kernels,
                   [&](Engine& engine) { return built_bricks(engine, scene, bricks, options).bricks; });
}

spatial::FrozenHash scene_hash(const dag::VoxelScene& scene, const ConvertOptions& options,
                               std::vector<device::KernelTime>& kernels) {
  return on_engine(options, kernels, [&](Engine& engine) {
    spatial::HashResult result = spatial::build_hash(engine.handle(), scene.dag, options.hash);
    log_debug("spatial hash in {:.3f} s, {}, {} of device memory", result.seconds,
              format_count(result.attempts, "attempt"), format_bytes(result.peak_device_bytes));
    return std::move(result.hash);
  });
}

dag::SymmetricDag scene_symmetric(const dag::VoxelScene& scene, const ConvertOptions& options,
                                  std::vector<device::KernelTime>& kernels) {
  if (scene.dag.materials)
    throw Error(
        "the symmetric form holds geometry alone, and the materials are in the leaves, which would not be "
        "equal")
        .at(options.inputs[0].string())
        .hint("convert the mesh with --materials colors, or with none");
  return on_engine(options, kernels,
                   [&](Engine& engine) { return dag::symmetric_dag(engine.handle(), scene.dag); });
}

bool keeps_bricks(const ConvertOptions& options, const SceneFileParts& parts) {
  if (!parts.bricks || parts.dag || parts.hash) return false;
  if (!writes_file(options) || !scene_palette(options.inputs[0])) return true;
  const bool changes = options.grid.resolution > 0 || options.grid.clip || fills_space(options) ||
                       options.structure || options.materials_out || options.exports.pieces.side > 0;
  return !changes && (kind_of_output(options.output) == OutputKind::Nrrd ||
                      kind_of_output(options.output) == OutputKind::Npy);
}

void use_bricks_file(const ConvertOptions& options) {
  const bricks::FrozenBricks bricks = read_bricks(options.inputs[0]);
  if (const size_t coarser = brick_level_bytes(options.inputs[0]).size() - 1; coarser > 0)
    log_info("{} of the volume", format_count(coarser, "coarser level"));
  if (options.verify) verify_bricks(bricks, options.inputs[0]);
  if (writes_file(options)) {
    if (!is_dense_grid(options.output))
      throw UsageError(
          "a file of a volume's bricks needs -o with .nrrd or .npy, or --info, or --verify; a scene is made "
          "of "
          "the .nrrd file");
    check_writable(options.output, kind_of_output(options.output), options.overwrite);
    write_dense_grid(bricks::bricks_volume(bricks), options.output);
    log_info("{}: {}", options.output.string(), format_bytes(size_of_written(options.output)));
  }
  print_results(options, {.file = writes_file(options) ? options.output : options.inputs[0],
                          .verified = options.verify,
                          .forms = {.bricks = &bricks}});
}

dag::VoxelScene scene_of_volume(const std::filesystem::path& path, const ConvertOptions& options) {
  check_materials(options);
  const StoredVolume stored = open_stored_volume(path, options.raw, options.channel);
  const ValueEntries entries = entries_of(stored, options);
  const VoxelFile voxels = voxels_of_volume(stored, entries);
  say_what_is_made(stored.info, voxels);
  const VoxelFileOptions reading = {.memory_limit = options.engine.memory_limit};
  dag::VoxelScene scene = scene_of_voxels(voxels, reading, path).scene;
  if (scene.dag.voxels == 0) log_warning("no voxel is filled: all values are below the threshold or 0");
  return scene;
}

dag::VoxelScene convert_volume_to_scene(const ConvertOptions& options, Conversion& conversion) {
  if (options.inputs.size() > 1)
    throw UsageError(
        "several inputs, of which one is a volume, need --res or --voxel-size: they share a grid");
  check_targets(options);
  const ThreadLimit threads(options.engine.threads);
  const Stopwatch watch;
  dag::VoxelScene scene = scene_of_volume(options.inputs[0], options);
  conversion.seconds.load = watch.seconds();
  conversion.device = "cpu";
  sign(scene, options);
  if (options.grid.resolution > 0) make_coarser(scene, options);
  return scene;
}

void tell_ignored_sizes(const ConvertOptions& options) {
  if (options.points.splats == SplatUse::Centers &&
      std::ranges::find(options.kinds, InputKind::Splats) != options.kinds.end())
    log_info("the sizes of splats are ignored (--splats centers)");
}

CloudSurvey surveyed(PointCloud& cloud, const std::filesystem::path& path, const ConvertOptions& options) {
  const CloudSurvey found =
      cloud.has_shapes ? survey_splats(cloud, options.points.splat_opacity) : survey(cloud);
  tell_survey(found, path, options);
  cloud = with_small_splats(std::move(cloud), found);
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
