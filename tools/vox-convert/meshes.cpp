#include "tools/vox-convert/scenes.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "formats/images/image.h"
#include "formats/mesh/mesh.h"
#include "formats/script/scripts.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/process.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

// If there are several ranks, rank 0 writes.
bool writes_result(const ConvertOptions& options) {
  return options.ranks == nullptr || options.ranks->rank() == 0;
}

// Chooses the palette, and measures for --json how well that of --materials texture fits. With paint, for the
// surface as painted.
scene::IndexedScene make_palette(scene::Scene& scene, const ConvertOptions& options,
                                 std::optional<painting::Painting>& painting, Conversion& conversion) {
  PaletteChoice choice = {.materials = options.materials, .file = options.palette, .measure = options.json};
  if (options.palette_weight) choice.weights.area_power = *options.palette_weight;
  choice.weights.most = colors_for_surface(options);
  if (options.assign) choice.rules = read_assign_rules(*options.assign);
  scene::SurfacePaint paint;
  if (painting) {
    paint = surface_paint(painting->atlas);
    choice.paint = &paint;
  }
  ChosenPalette chosen = choose_palette(scene, choice);
  conversion.palette_error = chosen.error;
  if (writes_result(options)) warn_of_names(chosen.indexed.palette, choice.rules, options);
  if (painting) {
    index_atlas(painting->atlas, scene, chosen.indexed.palette);
    painting->atlas.paints = {};
  }
  return std::move(chosen.indexed);
}

// The image of a texture that was read from a file has the file's path as its name, and that of a mask has both names.
void check_palette_out(const std::filesystem::path& file, const scene::Scene& scene) {
  constexpr std::string_view kBetween = " with ";
  for (const scene::Image& image : scene.images) {
    const size_t end = image.name.find(kBetween);
    const std::string mask = end == std::string::npos ? image.name : image.name.substr(end + kBetween.size());
    for (const std::string& name : {image.name, image.name.substr(0, end), mask})
      if (same_file(file, name))
        throw UsageError(
            fmt::format("--palette-out '{}' would replace a texture that is read", file.string()));
  }
}

void check_grid_unit(const ConvertOptions& options, scene::LengthUnit unit) {
  const bool shells = !options.shells.empty() && options.shells[0].in_meters;
  if ((!options.grid_in_meters && !shells) || unit == scene::LengthUnit::Meter) return;
  throw UsageError((shells ? "--shell" : "--voxel-size") + std::string(" has a unit, but ") +
                   options.inputs[0].string() +
                   " does not state the unit of its coordinates: --units, such as --units mm, says it");
}

// A mesh of another size, or a wrong axis, makes all strokes miss: the first few lines say enough.
constexpr size_t kShownLines = 8;

void warn_of_missed(const painting::Painting& painting, const ConvertOptions& options) {
  const size_t count = painting.missed.size();
  for (size_t i = 0; i < std::min(count, kShownLines); ++i)
    log_warning("{}:{}: the stroke touches no texel", options.paint->string(), painting.missed[i]);
  if (count > kShownLines)
    log_warning("{}: {} more strokes touch no texel", options.paint->string(), count - kShownLines);
}

// Names the script and the line of a stroke that cannot be painted.
painting::Painting painted(Engine& engine, const scene::Scene& scene, const painting::Strokes& strokes,
                           const ConvertOptions& options) {
  try {
    return painting::paint_scene(engine.handle(), scene, strokes, options.painting);
  } catch (painting::StrokeError& error) {
    error.at(fmt::format("{}:{}", options.paint->string(), error.line()));
    throw;
  }
}

}  // namespace

dag::VoxelScene convert_meshes(const ConvertOptions& options, Conversion& conversion) {
  if (options.grid.resolution == 0 && !options.grid.has_voxel_size())
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
  if (options.palette_out) check_palette_out(*options.palette_out, scene);
  conversion.dropped = meshes.dropped;
  conversion.triangles = scene.triangles.size();
  check_grid_unit(options, scene.unit);
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
  conversion.holes = holes_closed(scene, indexed, grid, options, reported_faults(scene, grid, options));
  seconds.voxelize = watch.lap();
  throw_if_cancelled();

  if (!engine) engine = soon.get();
  conversion.device = engine->device();
  log_info("{} triangles, {}³ voxels of {} {}, on {}", format_count(conversion.triangles), grid.resolution,
           format_sides(grid.voxel_size), scene::unit_name(scene.unit), engine->device_text());
  voxelize::BuildResult result =
      built_mesh(*engine, scene, indexed, grid, painting ? &painting->atlas : nullptr, options, conversion);
  if (conversion.painting) conversion.painting->queries = result.atlas_queries;
  conversion.kernels = engine->profile();
  if (result.dag.voxels == 0) log_warning("no voxel is filled: nothing of the mesh lies inside --clip");

  dag::VoxelScene voxels = built_scene(std::move(result), indexed, grid, options.build);
  voxels.unit = scene.unit;
  sign(voxels, options);
  return voxels;
}

painting::Painting paint_strokes(Engine& engine, const scene::Scene& scene, const painting::Strokes& strokes,
                                 const ConvertOptions& options) {
  painting::Painting painting = painted(engine, scene, strokes, options);
  warn_of_missed(painting, options);
  if (painting.far_triangles > 0)
    log_warning("{} triangles are not painted: their texture coordinates are too large for --paint-size {}",
                format_count(painting.far_triangles), options.painting.size);
  return painting;
}

PaintingFigures figures_of(const painting::Painting& painting, const painting::Strokes& strokes) {
  return {.strokes = strokes.size(),
          .size = painting.atlas.keys.size,
          .texels = painting.atlas.texels,
          .bytes = painting.atlas.bytes(),
          .rebuilds = painting.rebuilds,
          .updates = painting.updates,
          .seconds = painting.seconds,
          .table_seconds = painting.table_seconds};
}

void set_painting(ResultGroup& results, const PaintingFigures& figures) {
  results.group("painting")
      .set("strokes", figures.strokes, "strokes")
      .about("With `--paint`: number of strokes in the script.")
      .set("size", figures.size, "texels")
      .about("Number of texels along each side of the atlas.")
      .set("texels", figures.texels, "texels")
      .about("Number of painted texels.")
      .set("bytes", figures.bytes, "bytes")
      .about("Size of the table that holds them, with their paint.")
      .set("rebuilds", figures.rebuilds)
      .about("Number of times that strokes brought new texels, so that the table was built anew.")
      .set("updates", figures.updates)
      .about("Number of times that they only changed paint.")
      .set("queries", figures.queries, "voxels")
      .about("Number of voxels that have asked the atlas.")
      .set("seconds", figures.seconds, "s")
      .about("Time for painting.")
      .set("table_seconds", figures.table_seconds, "s")
      .about("Part of it that the table took.");
}

std::string painting_line(const PaintingFigures& figures) {
  return fmt::format("{} on {} of {}² texels in {}, {:.2f} s", format_count(figures.strokes, "stroke"),
                     format_count(figures.texels), figures.size, format_bytes(figures.bytes),
                     figures.seconds);
}

build::SpillOptions parse_spill(const std::string& text) {
  if (text == "host") return {};
  std::error_code failed;
  const std::filesystem::file_status status = std::filesystem::status(text, failed);
  if (status.type() == std::filesystem::file_type::none)
    throw Error("cannot be read: " + failed.message()).at(text);
  if (!std::filesystem::is_directory(status))
    throw UsageError(fmt::format("--spill is '{}', expected host or the name of a folder", text));
  return {.place = SpillPlace(text)};
}

void set_spill(ResultGroup& results, const build::BuildFigures& figures) {
  results.group("spill")
      .set("rounds", figures.rounds, "rounds")
      .about("With `--spill`: number of rounds in which the scene was built.")
      .set("nodes", figures.nodes, "nodes")
      .about("Number of nodes of all rounds, in which the same node may be several times.")
      .set("bytes", figures.bytes, "bytes")
      .about("Size of these nodes.")
      .set("build_seconds", figures.voxelize_seconds + figures.build_seconds, "s")
      .about("Time from triangles to the nodes of rounds, on the first device.")
      .set("spill_seconds", figures.spill_seconds, "s")
      .about("Time in which these go to the host.")
      .set("merge_seconds", figures.merge_seconds, "s")
      .about("Time in which they become one DAG.")
      .set("order_seconds", figures.order_seconds, "s")
      .about("Time in which it is brought into order.");
}

std::string spill_line(const build::BuildFigures& figures) {
  return fmt::format(
      "{} of {}, {}: built in {:.2f} s, spilled in {:.2f} s, merged in {:.2f} s, ordered in {:.2f} s",
      format_count(figures.rounds, "round"), format_count(figures.nodes, "node"), format_bytes(figures.bytes),
      figures.voxelize_seconds + figures.build_seconds, figures.spill_seconds, figures.merge_seconds,
      figures.order_seconds);
}

}  // namespace vox
