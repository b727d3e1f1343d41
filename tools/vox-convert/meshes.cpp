#include "tools/vox-convert/scenes.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "formats/file_types.h"
#include "formats/images/image.h"
#include "formats/mesh/mesh.h"
#include "formats/script/scripts.h"
#include "formats/volume/volume_formats.h"
#include "formats/voxels/export.h"
#include "formats/voxels/openvdb/vdb.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/process.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/voxelize/distances.h"
#include "tools/common/reports.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

// If there are several ranks, rank 0 writes.
bool writes_result(const ConvertOptions& options) {
  return options.ranks == nullptr || options.ranks->rank() == 0;
}

uint32_t names_kept(const ConvertOptions& options) {
  return std::min(*options.palette_size, scene::kMostNamedColors);
}

// Chooses the palette, and measures for --json how well that of --materials texture fits. With paint, for the
// surface as painted.
scene::IndexedScene make_palette(scene::Scene& scene, const ConvertOptions& options,
                                 std::optional<painting::Painting>& painting, Conversion& conversion) {
  scene::PaletteChoice choice = {.materials = options.materials, .measure = options.json};
  if (options.palette) choice.given = read_palette(*options.palette);
  if (options.palette_weight) choice.weights.area_power = *options.palette_weight;
  choice.weights.most = colors_for_surface(options);
  if (names_by_color(options)) choice.most_names = names_kept(options);
  if (options.assign)
    choice.rules =
        read_assign_rules(*options.assign, names_by_color(options) ? choice.most_names : scene::kPaletteSize);
  scene::SurfacePaint paint;
  if (painting) {
    paint = surface_paint(painting->atlas);
    choice.paint = &paint;
  }
  scene::ChosenPalette chosen = scene::choose_palette(scene, choice);
  conversion.palette_error = chosen.error;
  if (writes_result(options)) warn_of_names(chosen.indexed, choice.rules, options);
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

// Several devices or ranks, rounds and parts need shares. One device builds everything else at once.
bool needs_shares(const Engine& engine, const ConvertOptions& options) {
  return !engine.has_one_device() || options.ranks != nullptr || options.spill || options.resume ||
         options.parts;
}

// The part of vox-convert that measures distances to meshes (--sdf).

bool names_materials(const ConvertOptions& options) {
  return options.materials == scene::MaterialMode::Mesh || options.materials == scene::MaterialMode::Object;
}

FileFormat format_of(const ConvertOptions& options) {
  return file_type(options.output, FileRole::Export)->format;
}

// True if the output has a grid for materials.
bool is_tree(const ConvertOptions& options) {
  return format_of(options) == FileFormat::Vdb || format_of(options) == FileFormat::Nvdb;
}

// "a-materials.nrrd" for "a.nrrd".
std::filesystem::path materials_path(std::filesystem::path path) {
  return path.replace_filename(path.stem().string() + "-materials" + path.extension().string());
}

void write_field(const voxelize::DistanceField& field, const ConvertOptions& options) {
  if (format_of(options) == FileFormat::Nvdb)
    return write_nvdb(field, options.output,
                      {.signs = options.build.solid ? DistanceSigns::Yes : DistanceSigns::No,
                       .floats = options.sdf_type,
                       .materials = names_materials(options)});
  if (format_of(options) == FileFormat::Vdb)
    return write_vdb(field, options.output,
                     {.has_signs = options.build.solid,
                      .materials = names_materials(options),
                      .floats = options.sdf_type});
  write_dense_grid(field.distance_volume(), options.output, options.sdf_type);
  if (names_materials(options)) write_dense_grid(field.material_volume(), materials_path(options.output));
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
  if (options.build.solid || options.report)
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

  if (names_by_color(options) && options.interior)
    add_named_color(indexed.named_colors, "interior", *options.interior->color);
  dag::VoxelScene voxels = built_scene(std::move(result), indexed, grid, options.build);
  voxels.unit = scene.unit;
  sign(voxels, options);
  return voxels;
}

voxelize::BuildResult built_mesh(Engine& engine, const scene::Scene& scene, scene::IndexedScene& indexed,
                                 const voxelize::Grid& grid, const painting::FrozenAtlas* atlas,
                                 const ConvertOptions& options, Conversion& conversion) {
  voxelize::Inside inside;
  voxelize::BuildOptions settings = options.build;
  if (options.build.solid) {
    inside = inside_of(options, grid, indexed.palette);
    settings = voxelize::with_inside(settings, inside);
    settings.colors = false;  // complete_mesh() makes them
  }
  settings.atlas = atlas;
  const build::SceneInput input = {scene, indexed, grid, settings};
  voxelize::BuildResult result;
  try {
    result = needs_shares(engine, options) ? built_together(engine, input, options, conversion)
                                           : engine.build(scene, indexed, grid, settings);
  } catch (OutOfMemory& error) {
    if (!options.spill && !options.resume)
      error.hint("raise --memory-limit, lower --res, or build it in rounds with --spill");
    throw;
  }
  if (options.build.solid || options.normals)
    complete_mesh(result, inside, engine, input, options, conversion);
  conversion.chunks += result.chunks;
  conversion.solid += result.solid;
  conversion.peak_device_bytes = std::max(conversion.peak_device_bytes, result.peak_device_bytes);
  conversion.seconds.voxelize += result.voxelize_seconds;
  conversion.seconds.build += result.build_seconds;
  return result;
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
      .set("strokes", figures.strokes, "strokes", "With `--paint`: number of strokes in the script.")
      .set("size", figures.size, "texels", "Number of texels along each side of the atlas.")
      .set("texels", figures.texels, "texels", "Number of painted texels.")
      .set("bytes", figures.bytes, "bytes", "Size of the table that holds them, with their paint.")
      .set("rebuilds", figures.rebuilds, "",
           "Number of times that strokes brought new texels, so that the table was built anew.")
      .set("updates", figures.updates, "", "Number of times that they only changed paint.")
      .set("queries", figures.queries, "voxels", "Number of voxels that have asked the atlas.")
      .set("seconds", figures.seconds, "s", "Time for painting.")
      .set("table_seconds", figures.table_seconds, "s", "Part of it that the table took.");
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
      .set("rounds", figures.rounds, "rounds",
           "With `--spill`: number of rounds in which the scene was built.")
      .set("nodes", figures.nodes, "nodes",
           "Number of nodes of all rounds, in which the same node may be several times.")
      .set("bytes", figures.bytes, "bytes", "Size of these nodes.")
      .set("build_seconds", figures.voxelize_seconds + figures.build_seconds, "s",
           "Time from triangles to the nodes of rounds, on the first device.")
      .set("spill_seconds", figures.spill_seconds, "s", "Time in which these go to the host.")
      .set("merge_seconds", figures.merge_seconds, "s", "Time in which they become one DAG.")
      .set("order_seconds", figures.order_seconds, "s", "Time in which it is brought into order.");
}

std::string spill_line(const build::BuildFigures& figures) {
  return fmt::format(
      "{} of {}, {}: built in {:.2f} s, spilled in {:.2f} s, merged in {:.2f} s, ordered in {:.2f} s",
      format_count(figures.rounds, "round"), format_count(figures.nodes, "node"), format_bytes(figures.bytes),
      figures.voxelize_seconds + figures.build_seconds, figures.spill_seconds, figures.merge_seconds,
      figures.order_seconds);
}

void check_distances(const ConvertOptions& options) {
  if (!options.sdf) return;
  const auto refuse = [](bool given, const char* what) {
    if (given) throw UsageError(fmt::format("--sdf writes distances, to which {} does not apply", what));
  };
  const FileType* type = file_type(options.output, FileRole::Export);
  if (type == nullptr || (type->format != FileFormat::Nrrd && type->format != FileFormat::Npy &&
                          type->format != FileFormat::Vdb && type->format != FileFormat::Nvdb))
    throw UsageError(fmt::format("--sdf: -o is '{}', expected a name that ends in .nrrd, .npy, .nvdb or .vdb",
                                 options.output.string()));
  if (options.sdf_type == Floats::F16 && type->format == FileFormat::Nrrd)
    throw UsageError("--sdf-type f16 is for .npy, .vdb and .nvdb files: NRRD has no numbers of 16 bits");
  if (options.conversion != ConversionKind::Meshes) throw UsageError("--sdf is for meshes alone");
  refuse(options.flood, "--inside flood");
  refuse(options.interior.has_value(), "--interior");
  refuse(fills_space(options), "--fill or --carve");
  refuse(options.paint.has_value(), "--paint");
  refuse(options.materials == scene::MaterialMode::Colors, "--materials colors");
  refuse(!names_materials(options) && (options.palette || options.palette_weight), "a palette of colors");
  refuse(options.parts || options.resume || options.spill, "--parts, --resume or --spill");
  refuse(options.materials_out.has_value(), "--materials-out");
  refuse(options.palette_out.has_value(), "--palette-out");
  refuse(options.exports.pieces.side > 0, "--pieces");
  refuse(options.verify, "--verify");
  refuse(options.build.coverage != scene::Coverage::Conservative, "--coverage");
}

void convert_distances(const ConvertOptions& options) {
  if (options.ranks != nullptr && options.ranks->rank() > 0) return;
  if (options.grid.resolution == 0 && !options.grid.has_voxel_size())
    throw UsageError("one of --res and --voxel-size is needed, such as --res 256");
  const Stopwatch total;
  Stopwatch watch;
  check_targets(options);
  if (names_materials(options) && !is_tree(options))
    check_writable(materials_path(options.output), kind_of_output(options.output), options.overwrite);
  const ThreadLimit threads(options.engine.threads);
  Conversion conversion;
  MeshFiles meshes = read_meshes(options.inputs, options.mesh);
  scene::Scene& scene = meshes.scene;
  conversion.dropped = meshes.dropped;
  conversion.triangles = scene.triangles.size();
  check_one_device(options.engine);
  const std::unique_ptr<Engine> engine = make_engine(options.engine);
  conversion.device = engine->device();
  const voxelize::Grid grid = voxelize::fit_grid(scene, options.grid);
  if (!is_tree(options)) check_dense_resolution(grid.resolution, options.output);
  conversion.seconds.load = watch.lap();
  scene::PaletteChoice choice = {.materials = options.materials};
  if (options.palette) choice.given = read_palette(*options.palette);
  if (!names_materials(options)) choice.materials = scene::MaterialMode::None;
  if (options.assign) choice.rules = read_assign_rules(*options.assign);
  scene::IndexedScene indexed = scene::choose_palette(scene, choice).indexed;
  scene.images = {};
  warn_of_names(indexed, choice.rules, options);
  conversion.holes = holes_closed(scene, indexed, grid, options, reported_faults(scene, grid, options));
  voxelize::DistanceOptions measuring = {.band = *options.sdf,
                                         .triangles = conversion.triangles,
                                         .memory_limit = options.engine.memory_limit,
                                         .device = engine->handle()};
  if (options.build.solid) measuring.inside = options.build.inside;
  conversion.seconds.palette = watch.lap();
  const auto field = [&] {
    try {
      return voxelize::DistanceField(scene, indexed, grid, measuring);
    } catch (OutOfMemory& error) {
      error.hint("lower --sdf or --res, or measure a part with --clip");
      throw;
    }
  }();
  conversion.seconds.build = watch.lap();
  conversion.kernels = engine->profile();
  if (options.engine.profile) print_profile(conversion.kernels);
  write_field(field, options);
  conversion.seconds.write = watch.lap();
  conversion.seconds.total = total.seconds();
  if (options.json) return print_results(options, {.file = options.output, .conversion = &conversion});
  log_info("{}distances of up to {:g} {} to {}, in {} of 8³ voxels", options.build.solid ? "signed " : "",
           field.band(), scene::unit_name(scene.unit), format_count(conversion.triangles, "triangle"),
           format_count(field.bricks(), "brick"));
  log_end(seconds_of(conversion.seconds), options.output, written_bytes(options.output, options.exports));
}

}  // namespace vox
