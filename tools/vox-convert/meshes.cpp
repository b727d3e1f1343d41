#include "tools/vox-convert/meshes.h"

#include <memory>
#include <utility>

#include "formats/images/choose_palette.h"
#include "formats/mesh/mesh.h"
#include "formats/script/stroke_script.h"
#include "libvox/base/cancel.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/stopwatch.h"
#include "libvox/base/thread_limit.h"
#include "libvox/base/units.h"
#include "libvox/engine/built_scene.h"
#include "libvox/engine/engine_soon.h"
#include "libvox/engine/warm_up.h"
#include "tools/vox-convert/painting.h"
#include "tools/vox-convert/shares.h"

namespace vox {
namespace {

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

// If there are several ranks, rank 0 writes.
bool writes_result(const ConvertOptions& options) {
  return options.ranks == nullptr || options.ranks->rank() == 0;
}

}  // namespace

dag::VoxelScene convert_meshes(const ConvertOptions& options, Conversion& conversion) {
  if (options.grid.resolution == 0 && options.grid.voxel_size == 0)
    throw UsageError(options.inputs[0].string() +
                     ": one of --res and --voxel-size is needed, such as --res 4K");
  if (writes_result(options)) check_targets(options);
  if (writes_result(options) && options.parts && !options.resume)
    conversion.parts_lock.emplace(options.output);
  painting::Strokes strokes;
  if (options.paint) strokes = read_stroke_script(*options.paint);
  const ThreadLimit threads(options.engine.threads);
  EngineSoon soon(options.engine, [&](Engine& engine) { warm_up_build(engine, options.build); });
  ConversionSeconds& seconds = conversion.seconds;
  Stopwatch watch;
  MeshFiles meshes = read_meshes(options.inputs, options.mesh);
  scene::Scene& scene = meshes.scene;
  conversion.dropped = meshes.dropped;
  conversion.triangles = scene.triangles.size();
  const voxelize::Grid grid = voxelize::fit_grid(scene, options.grid);
  check_export_resolution(grid.resolution, options.output, options.exports);
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
  voxelize::BuildResult result = built_together(*engine, {scene, indexed, grid, build}, options, conversion);
  if (conversion.painting) conversion.painting->queries = result.atlas_queries;
  conversion.kernels = engine->profile();
  conversion.chunks = result.chunks;
  conversion.peak_device_bytes = result.peak_device_bytes;
  conversion.solid = result.solid;
  seconds.voxelize = result.voxelize_seconds;
  seconds.build = result.build_seconds;
  warn_of_solid(result.solid);
  if (result.dag.voxels == 0) log_warning("no voxel is filled: nothing of the mesh lies inside --clip");

  dag::VoxelScene voxels = built_scene(std::move(result), indexed, grid, options.build);
  sign(voxels, options);
  return voxels;
}

}  // namespace vox
