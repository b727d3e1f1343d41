// vox-convert: makes sparse voxel DAGs of meshes, bricks of volumes, and files of other programs of scene
// files.
#include <fmt/format.h>

#include <optional>

#include "formats/images/choose_palette.h"
#include "formats/images/palette_file.h"
#include "formats/mesh/mesh.h"
#include "formats/results/json_text.h"
#include "formats/scene/scene_file.h"
#include "formats/scene/verify_file.h"
#include "formats/script/stroke_script.h"
#include "formats/volume/nrrd.h"
#include "libvox/base/cancel.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/memory.h"
#include "libvox/base/stopwatch.h"
#include "libvox/base/thread_limit.h"
#include "libvox/base/units.h"
#include "libvox/engine/built_scene.h"
#include "libvox/engine/engine_soon.h"
#include "libvox/engine/warm_up.h"
#include "tools/common/bricks_report.h"
#include "tools/common/hash_report.h"
#include "tools/common/profile.h"
#include "tools/common/scene_report.h"
#include "tools/common/tool.h"
#include "tools/vox-convert/given.h"
#include "tools/vox-convert/options.h"
#include "tools/vox-convert/painting.h"
#include "tools/vox-convert/scenes.h"
#include "tools/vox-convert/volumes.h"

namespace vox {
namespace {

struct Seconds {
  double load = 0, paint = 0, palette = 0, voxelize = 0, build = 0, bricks = 0, hash = 0, write = 0,
         verify = 0, total = 0;
};

// The results of a conversion besides the scene.
struct Conversion {
  Seconds seconds;
  std::string device;
  uint64_t triangles = 0, chunks = 0, peak_device_bytes = 0, open_rays = 0;
  scene::DroppedTriangles dropped;
  std::optional<scene::PaletteError> palette_error;  // for --materials texture
  std::optional<PaintingFigures> painting;           // with --paint
  std::vector<device::KernelTime> kernels;
};

// Chooses the palette, and measures for --json how well that of --materials texture fits. With paint, for the
// surface as painted.
scene::IndexedScene make_palette(scene::Scene& scene, const ConvertOptions& options,
                                 std::optional<painting::Painting>& painting, Conversion& conversion) {
  PaletteChoice choice = {.materials = options.materials, .file = options.palette, .measure = options.json};
  if (options.palette_weight) choice.weights.area_power = *options.palette_weight;
  scene::SurfacePaint paint;
  if (painting) {
    paint = surface_paint(painting->atlas, scene);
    choice.paint = &paint;
  }
  ChosenPalette chosen = choose_palette(scene, choice);
  conversion.palette_error = chosen.error;
  if (painting) {
    index_atlas(painting->atlas, scene, chosen.indexed.palette);
    painting->atlas.paints = {};
  }
  return std::move(chosen.indexed);
}

std::string joined(const std::vector<std::filesystem::path>& paths) {
  std::string text;
  for (const auto& path : paths) text += (text.empty() ? "" : ", ") + path.filename().string();
  return text;
}

// Checks before the work, not after it, whether the results can be written where they are to go.
void check_targets(const ConvertOptions& options) {
  check_verifiable(options);
  if (options.binvox == BinvoxValues::Materials && options.materials == scene::MaterialMode::None)
    throw UsageError("--binvox-materials needs --materials texture or mesh");
  check_writable(options.output, kind_of_output(options.output), options.overwrite);
  if (options.palette_out) check_writable(*options.palette_out, OutputKind::Palette, options.overwrite);
}

dag::VoxelScene convert_meshes(const ConvertOptions& options, Conversion& conversion) {
  if (options.grid.resolution == 0 && options.grid.voxel_size == 0)
    throw UsageError("one of --res and --voxel-size is needed, such as --res 4K");
  check_targets(options);
  painting::Strokes strokes;
  if (options.paint) strokes = read_stroke_script(*options.paint);
  const ThreadLimit threads(options.engine.threads);
  EngineSoon soon(options.engine, [&](Engine& engine) { warm_up_build(engine, options.build); });
  Seconds& seconds = conversion.seconds;
  Stopwatch watch;
  MeshFiles meshes = read_meshes(options.inputs, options.mesh);
  scene::Scene& scene = meshes.scene;
  conversion.dropped = meshes.dropped;
  conversion.triangles = scene.triangles.size();
  const voxelize::Grid grid = voxelize::fit_grid(scene, options.grid);
  if (kind_of_output(options.output) == OutputKind::Nrrd)
    check_dense_resolution(grid.resolution, options.output);
  seconds.load = watch.lap();
  std::unique_ptr<Engine> engine;
  std::optional<painting::Painting> painting;
  if (options.paint) {
    engine = soon.get();
    painting = paint_strokes(*engine, scene, strokes, options);
    conversion.painting = figures_of(*painting, strokes);
    seconds.paint = watch.lap();
  }
  scene::IndexedScene indexed = make_palette(scene, options, painting, conversion);
  scene.images = {};
  seconds.palette = watch.lap();
  throw_if_cancelled();

  if (!engine) engine = soon.get();
  conversion.device = engine->device();
  log_info("{} triangles, {}³ voxels of {:.4g} units, on {}", format_count(conversion.triangles),
           grid.resolution, grid.voxel_size, engine->device_text());
  voxelize::BuildOptions build = options.build;
  if (painting) build.atlas = &painting->atlas;
  voxelize::BuildResult result = engine->build(scene, indexed, grid, build);
  if (conversion.painting) conversion.painting->queries = result.atlas_queries;
  conversion.kernels = engine->profile();
  conversion.chunks = result.chunks;
  conversion.peak_device_bytes = result.peak_device_bytes;
  conversion.open_rays = result.open_rays;
  seconds.voxelize = result.voxelize_seconds;
  seconds.build = result.build_seconds;
  if (result.open_rays > 0)
    log_warning("{} rays along x leave the grid inside: the mesh has holes, and what they hit is not solid",
                format_count(result.open_rays));
  if (result.dag.voxels == 0) log_warning("no voxel is filled: nothing of the mesh lies inside --clip");

  dag::VoxelScene voxels = built_scene(std::move(result), indexed, grid, options.build);
  voxels.source = joined(options.inputs);
  voxels.generator = generator_text();
  voxels.command = options.command;
  voxels.created = timestamp();
  return voxels;
}

std::string result_text(const Output& output, const ConvertOptions& options, const Conversion& conversion) {
  measure::ResultGroup results;
  results.set("file", options.output.string());
  if (options.verify) results.set("verified", true);
  set_scene(results, output.scene);
  if (output.bricks) set_bricks(results, *output.bricks);
  if (output.hash) set_hash(results, *output.hash);
  if (const auto& error = conversion.palette_error)
    results.group("palette_error").set("mean", error->mean).set("over_10", error->over_10);
  if (conversion.painting) set_painting(results, *conversion.painting);
  const Seconds& seconds = conversion.seconds;
  results.group("seconds")
      .set("load", seconds.load, "s")
      .set("paint", seconds.paint, "s")
      .set("palette", seconds.palette, "s")
      .set("voxelize", seconds.voxelize, "s")
      .set("build", seconds.build, "s")
      .set("bricks", seconds.bricks, "s")
      .set("hash", seconds.hash, "s")
      .set("write", seconds.write, "s")
      .set("verify", seconds.verify, "s")
      .set("total", seconds.total, "s");
  results.set("peak_memory_bytes", peak_resident_bytes(), "bytes")
      .set("peak_device_bytes", conversion.peak_device_bytes, "bytes")
      .set("device", conversion.device)
      .set("triangles", conversion.triangles)
      .set("dropped_not_finite", conversion.dropped.not_finite, "triangles")
      .set("dropped_degenerate", conversion.dropped.degenerate, "triangles")
      .set("open_rays", conversion.open_rays)
      .set("chunks", conversion.chunks);
  set_profile(results, conversion.kernels);
  return json_text(results);
}

void convert(const ConvertOptions& options) {
  Stopwatch total;
  Conversion conversion;
  Output output = {.scene = convert_meshes(options, conversion), .bricks = {}, .hash = {}};
  const dag::VoxelScene& scene = output.scene;
  Stopwatch watch;
  if (wants_bricks(options)) output.bricks = scene_bricks(scene, options, conversion.kernels);
  conversion.seconds.bricks = watch.lap();
  if (wants_hash(options)) output.hash = scene_hash(scene, options, conversion.kernels);
  conversion.seconds.hash = watch.lap();
  write_output(output, options, std::nullopt);
  if (options.palette_out) write_palette(*options.palette_out, scene.palette);
  conversion.seconds.write = watch.lap();
  if (options.verify) verify_written(scene, options.output, options.engine);
  conversion.seconds.verify = watch.seconds();
  conversion.seconds.total = total.seconds();
  if (options.engine.profile) print_profile(conversion.kernels);
  if (options.json) {
    fmt::print("{}\n", result_text(output, options, conversion));
    return;
  }
  const Seconds& s = conversion.seconds;
  if (conversion.painting) log_info("{}", painting_line(*conversion.painting));
  log_info("{}", summary_line(scene));
  if (output.bricks) log_info("{}", bricks_line(*output.bricks));
  if (output.hash) log_info("{}", hash_line(*output.hash));
  log_info(
      "load {:.2f} s, palette {:.2f} s, voxelize {:.2f} s, build {:.2f} s, write {:.2f} s, total {:.2f} s; "
      "peak {}",
      s.load, s.palette, s.voxelize, s.build, s.write, s.total, format_bytes(peak_resident_bytes()));
  if (options.verify) log_info("read back and compared: correct, {:.2f} s", s.verify);
  log_info("{}: {}", options.output.string(), format_bytes(std::filesystem::file_size(options.output)));
}

void run(int argc, char** argv) {
  const ConvertOptions options = parse_convert_options(argc, argv);
  check_given(options);
  check_compression(options.compression);
  if (is_volume_input(options)) return convert_volume(options);
  if (is_scene_input(options)) return use_scene_file(options);
  convert(options);
}

}  // namespace
}  // namespace vox

int main(int argc, char** argv) {
  return vox::run_tool("vox-convert", [&] { vox::run(argc, argv); });
}
