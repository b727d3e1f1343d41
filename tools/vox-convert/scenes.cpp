#include "tools/vox-convert/scenes.h"

#include <fmt/format.h>

#include "formats/file_types.h"
#include "formats/images/image.h"
#include "formats/scene/any_scene.h"
#include "formats/voxels/export.h"
#include "libvox/base/error.h"
#include "libvox/base/files.h"
#include "libvox/base/log.h"
#include "libvox/base/process.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/derived.h"
#include "libvox/dag/walk.h"
#include "libvox/device/devices.h"
#include "tools/common/reports.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

bool wants_coarser(const ConvertOptions& options) {
  return options.grid.resolution > 0;
}

bool changes_colors(const ConvertOptions& options) {
  return options.makes_palette || options.palette_size || options.color_error;
}

// The target of a file without SVDAG; the file that it is made of stays.
std::string form_alone(const Structures& structures) {
  if (structures.symmetric) return "the symmetric form";
  return !structures.hash ? "the bricks" : structures.bricks ? "bricks and spatial hash" : "the spatial hash";
}

// True if a scene file's colors become others, or a palette, which other structures need.
bool makes_other_colors(const ConvertOptions& options, const SceneFileParts& parts) {
  return changes_colors(options) || (parts.colors && (wants_bricks(options) || wants_hash(options)));
}

void check_scene_output(const ConvertOptions& options, const SceneFileParts& parts) {
  check_verifiable(options);
  if (options.exports.slices.by_material && parts.colors && !options.makes_palette)
    throw UsageError(
        "--slices-by-material needs materials, and the scene has 24-bit colors: --materials palette makes "
        "16");
  if (options.materials_out)
    check_target({"the list of materials", *options.materials_out, OutputKind::MaterialList},
                 options.inputs[0], options.overwrite);
  check_different({{"-o", options.output}, {"--materials-out", options.materials_out}});
  if (options.exports.pieces.side > 0) return check_pieces_writable(options.output, options.overwrite);
  const OutputKind kind = kind_of_output(options.output);
  if (wants_coarser(options) && !options.names_output)
    throw UsageError("--res makes a coarser scene of a scene file: -o says where to");
  if (options.grid.clip && !options.names_output)
    throw UsageError("--clip cuts a part out of a scene file: -o says where to");
  if (options.grid.clip && !is_export_path(options.output))
    return check_target({"the part", options.output, kind}, options.inputs[0], options.overwrite);
  if (wants_coarser(options))
    return check_target({"the coarser scene", options.output, kind}, options.inputs[0], options.overwrite);
  if (options.lossy)
    return check_target({"the smaller scene", options.output, kind}, options.inputs[0], options.overwrite);
  const bool makes_form = wants_bricks(options) || wants_hash(options) || wants_symmetric(options) ||
                          (options.structure && (!parts.dag || parts.symmetric));
  // A file that is written anew is of another version or compression, of one piece, or gets an SVDAG.
  const bool rewrites = options.names_output && !options.structure;
  if (!is_export_path(options.output) && !makes_form && !rewrites)
    throw UsageError("a scene file needs -o, --structure, --info, or --verify");
  if (options.structure && !options.structure->dag)
    return check_target({form_alone(*options.structure), options.output, kind}, options.inputs[0],
                        options.overwrite);
  if (makes_other_colors(options, parts))
    return check_target({"the scene with other colors", options.output, kind}, options.inputs[0],
                        options.overwrite);
  if (fills_space(options))
    return check_target({"the filled scene", options.output, kind}, options.inputs[0], options.overwrite);
  check_writable(options.output, kind, options.overwrite);
}

// True if the voxels of a scene file that is converted stay the same, or are a part of it, and their normals with them.
bool keeps_normals(const ConvertOptions& options) {
  return !wants_coarser(options) && !options.lossy && options.structure != Structures{.bricks = true} &&
         options.file_version != 1;
}

// Says which forms the input has that the output does not get.
void say_what_is_left_out(const ConvertOptions& options, const SceneFileParts& parts) {
  if (parts.bricks && !wants_bricks(options))
    log_info("the bricks are left out: --structure both makes new ones");
  if (parts.hash && !wants_hash(options))
    log_info("the spatial hash is left out: --structure svdag,hash makes a new one");
  if (parts.symmetric && !wants_symmetric(options) && !options.structure)
    log_info("the symmetric form becomes an SVDAG: --structure symmetric makes a new one");
  if (parts.normals && !keeps_normals(options))
    log_info("the normals are left out: --normals makes new ones of a mesh");
}

// Prints what is said of a scene file and the forms of its voxels.
void print_figures(const ConvertOptions& options, SceneFigures figures, const OtherForms& forms,
                   const std::optional<LossyFigures>& lossy = {}) {
  if (forms.normals != nullptr) figures.normals = AttributeInfo{forms.normals->bytes()};
  print_results(options, {.file = writes_file(options) ? options.output : options.inputs[0],
                          .verified = options.verify,
                          .scene = figures,
                          .forms = forms,
                          .lossy = lossy});
}

// Shows the figures of a file with an SVDAG, whose words are not read.
void show_info(const ConvertOptions& options, const SceneFileParts& parts) {
  const SceneInfo info = read_scene_info(options.inputs[0]);
  std::optional<bricks::FrozenBricks> bricks;
  std::optional<spatial::FrozenHash> hash;
  if (parts.bricks) bricks = read_bricks(options.inputs[0]);
  if (parts.hash) hash = read_hash(options.inputs[0]);
  print_figures(options, {info.scene, info.level_words, info.colors, info.symmetric, info.normals},
                {.bricks = bricks ? &*bricks : nullptr, .hash = hash ? &*hash : nullptr});
}

}  // namespace

std::optional<VoxelBox> clip_voxels(const dag::VoxelScene& scene, const ConvertOptions& options) {
  const std::optional<voxelize::Box>& clip = options.grid.clip;
  if (!clip) return std::nullopt;
  const VoxelBox box = voxelize::voxels_touched(scene, *clip);
  if (box.empty()) {
    const Vec3d low = scene.origin, high = low + Vec3d{1, 1, 1} * (scene.voxel_size * scene.dag.resolution);
    throw Error(
        fmt::format("the box of --clip lies outside of the scene, which spans {:.6g},{:.6g},{:.6g} to "
                    "{:.6g},{:.6g},{:.6g}",
                    low.x, low.y, low.z, high.x, high.y, high.z))
        .at(options.inputs[0].string());
  }
  return box;
}

void cut_scene(dag::VoxelScene& scene, const ConvertOptions& options) {
  const std::optional<VoxelBox> box = clip_voxels(scene, options);
  if (!box || is_export_path(options.output)) return;
  scene = dag::clipped(std::move(scene), *box);
  if (scene.dag.empty())
    throw Error("no voxel of the scene lies in the box of --clip").at(options.inputs[0].string());
  stamp(scene, options.command);
}

dag::VoxelScene with_chosen_palette(dag::VoxelScene scene, const ConvertOptions& options) {
  dag::WithPaletteOptions making = {.dither = options.dither, .memory_limit = options.engine.memory_limit};
  if (options.palette) making.palette = read_palette(*options.palette);
  warn_of_lost_names(scene, making.palette.has_value());
  return dag::with_palette(std::move(scene), making);
}

void reduce_colors(dag::VoxelScene& scene, const ConvertOptions& options) {
  // Only the names of a scene file can be lost: those of a mesh have the colors that are asked for.
  const auto change = [&] {
    return options.color_error ||
           (options.palette_size &&
            attributes::different_values(*scene.colors).size() > *options.palette_size);
  };
  if (options.conversion == ConversionKind::SceneFile && !scene.named_colors.empty() && change()) {
    log_warning("the names of {} materials are left out, because their colors change",
                scene.named_colors.size());
    scene.named_colors.clear();
  }
  if (options.palette_size)
    scene.colors = names_by_color(options) ? attributes::with_table(std::move(*scene.colors))
                                           : dag::with_fewer_colors(*scene.colors, *options.palette_size);
  if (!options.color_error) return;
  const Stopwatch watch;
  const uint64_t before = scene.colors->bytes();
  dag::NearColors near = dag::near_colors(*scene.colors, *options.color_error);
  scene.colors = std::move(near.colors);
  log_info("colors change by ΔE {:.2f} on average, at most {:g}, and take {} instead of {}, in {:.2f} s",
           near.mean_error, *options.color_error, format_bytes(scene.colors->bytes()), format_bytes(before),
           watch.seconds());
}

void make_coarser(dag::VoxelScene& scene, const ConvertOptions& options, ranks::Ranks& ranks) {
  const Stopwatch watch;
  const uint32_t before = scene.dag.resolution;
  const uint32_t halvings = dag::halvings_to(options.grid.resolution, before);
  dag::FrozenDag dag = dag::coarser(
      scene.dag, halvings,
      {.limit = options.engine.memory_limit, .counts = memory_for_values(options.engine)}, ranks);
  scene = dag::with_coarser_dag(std::move(scene), halvings, std::move(dag));
  stamp(scene, options.command);
  log_info("{}³ voxels become {}³, of {} units, in {:.2f} s", before, scene.dag.resolution,
           format_sides(scene.voxel_size), watch.seconds());
}

bool wants_bricks(const ConvertOptions& options) {
  return options.structure && options.structure->bricks;
}

bool wants_hash(const ConvertOptions& options) {
  return options.structure && options.structure->hash;
}

bool wants_symmetric(const ConvertOptions& options) {
  return options.structure && options.structure->symmetric;
}

bool writes_file(const ConvertOptions& options) {
  return !options.info &&
         (!options.verify || options.structure ||
          ((wants_coarser(options) || changes_colors(options) || options.lossy || fills_space(options)) &&
           options.names_output));
}

void check_verifiable(const ConvertOptions& options) {
  if (options.verify && is_export_path(options.output))
    throw UsageError("--verify reads scene files back: name one that ends in .h5 with -o");
}

void write_output(const Output& output, const ConvertOptions& options, const std::optional<VoxelBox>& clip,
                  ranks::Ranks& ranks) {
  throw_if_cancelled();
  if (is_export_path(options.output)) {
    ExportOptions exports = options.exports;
    if (options.materials_out && output.scene.colors &&
        !export_holds_colors(output.scene, options.output, exports))
      throw UsageError(
          fmt::format("--materials-out lists the scene's {} materials, of which {} gets a palette of {}: "
                      "convert it with --materials palette first",
                      output.scene.named_colors.size(), options.output.string(), scene::kPaletteSize));
    exports.memory_limit = options.engine.memory_limit;
    exports.normals = output.forms().normals;
    exports.slices.overwrite = exports.pieces.overwrite = options.overwrite;
    if (output.scene.colors && !export_holds_colors(output.scene, options.output, exports))
      export_scene(in_palette(output.scene, "in this kind of file", options.engine), options.output, clip,
                   exports, ranks);
    else
      export_scene(output.scene, options.output, clip, exports, ranks);
    if (ranks.rank() == 0) log_empty_layers(output.scene, options, clip);
  } else if (options.structure && !options.structure->dag && (output.hash || output.symmetric)) {
    write_scene_without_dag(output.scene, options.output, output.forms(), options.compression);
  } else if (options.structure == Structures{.bricks = true}) {
    write_bricks(*output.bricks, origin_of(options.command), options.output, &output.scene,
                 options.compression);
  } else {
    write_scene(output.scene, options.output, output.forms(), options.compression, options.file_version);
  }
}

namespace {

// Collective. True if rank 0 verifies a scene alone, because it has a GPU, which is faster than the processors of all.
bool first_verifies(const ConvertOptions& options, ranks::Ranks& ranks) {
  bool has_gpu = options.engine.device != "cpu" && device::gpu_count() > 0;
  ranks.broadcast(&has_gpu, sizeof has_gpu);
  return has_gpu;
}

// Collective. Makes the file that is asked for of a scene. Rank 0 writes it, and alone does what is not shared. `watch`
// runs since the scene was read.
void make_of_scene(Output& output, const ConvertOptions& options, const SceneFileParts& parts,
                   ranks::Ranks& ranks, const Stopwatch& watch) {
  const dag::VoxelScene& scene = output.scene;
  const bool coarse = wants_coarser(options), is_export = is_export_path(options.output);
  if (options.materials_out && scene.palette.count == 0 && scene.named_colors.empty())
    throw Error("has no materials by number, which --materials-out lists").at(options.inputs[0].string());
  if (coarse) make_coarser(output.scene, options, ranks);
  const bool is_shared = is_export && !coarse;  // only rank 0 has the coarser scene
  if (ranks.rank() > 0 && !is_shared) return;
  if (!is_export) {
    if (const auto box = clip_voxels(scene, options); box && output.normals)
      output.normals = dag::values_inside(scene.dag, *output.normals, *box);
    cut_scene(output.scene, options);
    say_what_is_left_out(options, parts);
  }
  std::vector<device::KernelTime> kernels;
  if (wants_bricks(options)) output.bricks = scene_bricks(scene, options, kernels);
  if (wants_hash(options)) output.hash = scene_hash(scene, options, kernels);
  if (wants_symmetric(options)) output.symmetric = scene_symmetric(scene, options, kernels);
  write_output(output, options, clip_voxels(scene, options), is_shared ? ranks : ranks::alone());
  if (ranks.rank() > 0) return;
  if (options.materials_out) write_material_list(*options.materials_out, scene);
  if (options.verify) verify_written(scene, options.output, options.engine, output.forms().normals);
  if (options.engine.profile) print_profile(kernels);
  if (coarse) log_info("{}", summary_line(scene));
  log_forms(output.forms());
  log_info("{}: {}, {:.2f} s", options.output.string(),
           format_bytes(written_bytes(options.output, options.exports)), watch.seconds());
}

// Turns colors into as many, or into a palette, as the options ask for or as the other structures need. The input has been
// verified before, as it is.
void change_colors(dag::VoxelScene& scene, const ConvertOptions& options) {
  if ((options.palette_size || options.color_error) && !scene.colors)
    throw Error(fmt::format("holds no 24-bit colors, which {} changes",
                            options.palette_size ? "--palette-size" : "--color-error"))
        .at(options.inputs[0].string());
  reduce_colors(scene, options);
  if (options.makes_palette) {
    if (!scene.colors)
      throw Error("holds no 24-bit colors, of which --materials palette makes a palette")
          .at(options.inputs[0].string());
    scene = with_chosen_palette(std::move(scene), options);
  } else if (options.structure && (options.structure->bricks || options.structure->hash)) {
    scene = in_palette(std::move(scene), "in bricks and hashes", options.engine);
  }
}

// Replaces rare nodes of a scene, as --lossy asks for.
LossyFigures make_lossy(dag::VoxelScene& scene, const ConvertOptions& options) {
  if (scene.dag.materials || scene.colors)
    throw Error("holds materials or colors, and --lossy is for geometry alone")
        .at(options.inputs[0].string())
        .hint("convert the mesh with --materials none");
  const Stopwatch watch;
  dag::LossyDag lossy = dag::lossy(scene.dag, *options.lossy, options.engine.memory_limit);
  const LossyFigures figures = {lossy.changed_voxels, lossy.replaced_leaves, lossy.replaced_nodes,
                                scene.dag.bytes()};
  log_info(
      "{} change of {}, {:.3f} %: {} leaves and {} become near ones; {} nodes in {} instead of {} in {}, in "
      "{:.2f} s",
      format_count(figures.changed_voxels, "voxel"), format_count(scene.dag.voxels),
      100 * static_cast<double>(figures.changed_voxels) /
          static_cast<double>(std::max<uint64_t>(1, scene.dag.voxels)),
      format_count(figures.replaced_leaves), format_count(figures.replaced_nodes, "node"),
      format_count(lossy.dag.unique_nodes()), format_bytes(lossy.dag.bytes()),
      format_count(scene.dag.unique_nodes()), format_bytes(figures.bytes_before), watch.seconds());
  scene.dag = std::move(lossy.dag);
  stamp(scene, options.command);
  return figures;
}

// Collective.
void use_scene_file(const ConvertOptions& options, ranks::Ranks& ranks) {
  const SceneFileParts parts = scene_parts(options.inputs[0]);
  const bool writes = writes_file(options), is_first = ranks.rank() == 0;
  if (keeps_bricks(options, parts)) return is_first ? use_bricks_file(options) : void();
  if (writes && is_first) check_scene_output(options, parts);
  if (options.info && !options.verify && parts.dag && options.kinds[0] != InputKind::Voxels)
    return show_info(options, parts);
  const Stopwatch watch;
  // verify_scene() compares the digest, too.
  const Damage damage = writes && !options.verify ? damage_with(options.overwrite) : Damage::Ignored;
  // Other structures are made of a whole scene.
  const bool makes_part = options.grid.clip || wants_coarser(options);
  const bool needs_all = (options.structure && !options.grid.clip) || options.lossy || fills_space(options);
  const Loading loading = needs_all        ? Loading::Whole
                          : options.verify ? loading_onto(options.engine)
                          : makes_part     ? Loading::ByChunks
                                           : Loading::AsUsed;
  const bool is_alone = options.verify && first_verifies(options, ranks);
  ranks::Ranks& readers = is_alone && is_first ? ranks::alone() : ranks;
  Output output = {
      .scene = read_any_scene(options.inputs[0], options.engine, SceneForm::Any, damage, loading, readers),
      .bricks = {},
      .hash = {}};
  if (is_first && parts.normals && (!writes || keeps_normals(options)))
    output.normals = read_normals(options.inputs[0], output.scene.dag);
  if (is_first && parts.bricks && !writes) output.bricks = read_bricks(options.inputs[0]);
  if (is_first && parts.hash && !writes) output.hash = read_hash(options.inputs[0]);
  if (is_first && parts.symmetric && !writes) output.symmetric = read_symmetric(options.inputs[0]);
  if (options.verify && (is_first || !is_alone))
    verify_scene(output.scene, output.forms(), options.inputs[0], options.engine, readers);
  if (options.verify && is_first && parts.bricks && !parts.dag && !parts.hash)
    verify_bricks(read_bricks(options.inputs[0]), options.inputs[0]);
  if (writes) change_colors(output.scene, options);
  if (writes && fills_space(options)) fill_space(output.scene, output.normals, options);
  if (writes && (makes_other_colors(options, parts) || fills_space(options)))
    stamp(output.scene, options.command);
  std::optional<LossyFigures> lossy;
  if (writes && options.lossy) lossy = make_lossy(output.scene, options);
  if (writes) make_of_scene(output, options, parts, ranks, watch);
  if (is_first) print_figures(options, output.scene, output.forms(), lossy);
}

}  // namespace

void use_scene_file(const ConvertOptions& options) {
  if (options.inputs.size() > 1)
    throw UsageError("a scene file is one of several inputs: --res or --voxel-size says their grid");
  const ThreadLimit threads(options.engine.threads);
  ranks::Ranks& ranks = options.ranks ? *options.ranks : ranks::alone();
  const bool writes = writes_file(options), is_first = ranks.rank() == 0;
  // Rank 0 alone makes other structures and replaces nodes, and shows what a file holds.
  const bool for_first = options.structure || options.lossy || fills_space(options);
  if (!is_first && (for_first || (!writes && !options.verify))) return;
  use_scene_file(options, for_first ? ranks::alone() : ranks);
}

namespace {

// Rounds of a build that was ended: a run that does not go on from them leaves them.
void say_what_is_kept(const ConvertOptions& options) {
  const size_t rounds = options.resume ? 0 : rounds_beside(options.output);
  if (rounds == 0) return;
  const std::string folder = parts_folder(options.output).string();
  log_warning(
      "{} holds {} of a build that was ended: --resume goes on from there; if nobody is to, remove round-* "
      "and "
      "rounds.* in it",
      folder, format_count(rounds, "round"));
}

}  // namespace

void sign(dag::VoxelScene& scene, const ConvertOptions& options) {
  scene.source = names_of_inputs(options.inputs);
  stamp(scene, options.command);
}

// True if the input may be one of the pieces in the folder that new ones replace.
static bool is_replaced_piece(const std::filesystem::path& input, const ConvertOptions& options) {
  return options.exports.pieces.side > 0 && lower_extension(input) == lower_extension(options.output) &&
         same_file(followed(input).parent_path() / ".", options.output.parent_path() / ".");
}

void check_targets(const ConvertOptions& options) {
  check_verifiable(options);
  if (options.exports.binvox == BinvoxValues::Materials && options.materials == scene::MaterialMode::None)
    throw UsageError("--binvox-materials needs --materials texture or mesh");
  if (options.exports.nvdb == NvdbGrid::Rgba && options.materials == scene::MaterialMode::None)
    throw UsageError("--nvdb-grid rgba needs --materials texture, mesh or colors");
  NamedFiles files = {{"-o", options.output},
                      {"--palette-out", options.palette_out},
                      {"--materials-out", options.materials_out},
                      {"--holes-out", options.holes_out},
                      {"--report", options.report}};
  for (const std::filesystem::path& input : options.inputs)
    for (const auto& [option, file] : files)
      if (file && same_file(*file, input))
        throw UsageError(fmt::format("{} '{}' would replace what is read", option, file->string()));
  for (const std::filesystem::path& input : options.inputs)
    if (is_replaced_piece(input, options))
      throw UsageError(fmt::format("-o '{}' would replace the folder of '{}', which is read",
                                   options.output.string(), input.string()));
  files["--assign"] = options.assign;
  check_different(files);
  if (options.materials_out)
    check_writable(*options.materials_out, OutputKind::MaterialList, options.overwrite);
  if (options.parts || options.resume) check_parts_folder(options.output);
  say_what_is_kept(options);
  if (options.exports.pieces.side > 0)
    check_pieces_writable(options.output, options.overwrite);
  else
    check_writable(options.output, kind_of_output(options.output), options.overwrite);
  if (options.palette_out) check_writable(*options.palette_out, OutputKind::Palette, options.overwrite);
  if (options.report) check_writable(*options.report, OutputKind::MaterialList, options.overwrite);
  if (options.holes_out) check_writable(*options.holes_out, OutputKind::GlbMesh, options.overwrite);
}

}  // namespace vox
