// The part of vox-convert that measures distances to meshes (--sdf).

#include <fmt/format.h>

#include <memory>

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
#include "tools/vox-convert/scenes.h"

namespace vox {
namespace {

bool names_materials(const ConvertOptions& options) {
  return options.materials == scene::MaterialMode::Mesh || options.materials == scene::MaterialMode::Object;
}

FileFormat format_of(const ConvertOptions& options) {
  return file_type(options.output, FileRole::Export)->format;
}

// True if the output has a place for materials, or holds none.
bool is_tree(const ConvertOptions& options) {
  return format_of(options) == FileFormat::Vdb || format_of(options) == FileFormat::Nvdb;
}

// "a-materials.nrrd" for "a.nrrd".
std::filesystem::path materials_path(std::filesystem::path path) {
  return path.replace_filename(path.stem().string() + "-materials" + path.extension().string());
}

void write_field(const voxelize::DistanceField& field, const ConvertOptions& options) {
  if (format_of(options) == FileFormat::Nvdb)
    return write_nvdb(field, options.output, options.build.solid ? DistanceSigns::Yes : DistanceSigns::No,
                      options.sdf_type);
  if (format_of(options) == FileFormat::Vdb)
    return write_vdb(field, options.output,
                     {.has_signs = options.build.solid, .materials = names_materials(options)});
  write_dense_grid(field.distance_volume(), options.output, options.sdf_type);
  if (names_materials(options)) write_dense_grid(field.material_volume(), materials_path(options.output));
}

}  // namespace

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
  if (options.sdf_type == Floats::F16 && type->format != FileFormat::Npy && type->format != FileFormat::Nvdb)
    throw UsageError("--sdf-type f16 is for .npy and .nvdb files: the others have numbers of 32 bits");
  if (names_materials(options) && type->format == FileFormat::Nvdb)
    throw UsageError("--sdf writes no materials into .nvdb files: .nrrd, .npy and .vdb hold them");
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
  PaletteChoice choice = {.materials = options.materials, .file = options.palette};
  if (!names_materials(options)) choice.materials = scene::MaterialMode::None;
  if (options.assign) choice.rules = read_assign_rules(*options.assign);
  scene::IndexedScene indexed = choose_palette(scene, choice).indexed;
  scene.images = {};
  warn_of_names(indexed.palette, choice.rules, options);
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
