// vox-convert: makes sparse voxel DAGs of meshes and of other programs' voxels, bricks of volumes, and files of
// other programs of scenes.
#include <fmt/format.h>

#include "formats/images/image.h"
#include "formats/io/output_file.h"
#include "formats/scene/any_scene.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/process.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/dag/colors.h"
#include "tools/common/command_line.h"
#include "tools/common/reports.h"
#include "tools/common/tool.h"
#include "tools/vox-convert/options.h"
#include "tools/vox-convert/scenes.h"

namespace vox {
namespace {

// The words of a scene in parts are in the parts' files alone, so that their numbers come from the output.
SceneFigures figures_of(const dag::VoxelScene& scene, const ConvertOptions& options) {
  if (!options.parts) return SceneFigures(scene);
  try {
    const SceneInfo written = read_scene_info(options.output);
    return SceneFigures(scene, written.level_words, written.colors);
  } catch (const Error& error) {
    throw Error(fmt::format("is written, but its figures cannot be read: {}", error.what()))
        .at(options.output.string());
  }
}

std::vector<std::filesystem::path> parts_of(const ConvertOptions& options) {
  try {
    return named_parts(options.output);
  } catch (const Error& error) {
    throw Error(fmt::format("is written, but its parts cannot be read: {}", error.what()))
        .at(options.output.string());
  }
}

uint64_t output_bytes(const ConvertOptions& options) {
  uint64_t bytes = written_bytes(options.output, options.exports);
  if (options.parts)
    for (const std::filesystem::path& part : parts_of(options)) bytes += size_of_written(part);
  return bytes;
}

using MakeScene = dag::VoxelScene (*)(const ConvertOptions&, Conversion&);

void convert(const ConvertOptions& options, MakeScene make_scene) {
  Stopwatch total;
  Conversion conversion;
  ConvertOptions making = options;
  if (options.dither) making.palette.reset();  // colors are mixed from it afterwards
  Output output = {.scene = make_scene(making, conversion), .bricks = {}, .hash = {}};
  if (options.ranks && options.ranks->rank() > 0) return;  // rank 0 has the scene
  output.normals = std::move(conversion.normals);
  // A scene that has its input's grid is cut only now.
  const bool is_whole =
      options.conversion == ConversionKind::Voxels || options.conversion == ConversionKind::VolumeScene;
  if (is_whole) cut_scene(output.scene, options);
  if (fills_space(options)) fill_space(output.scene, output.normals, options);
  reduce_colors(output.scene, options);
  if (options.dither) output.scene = with_chosen_palette(std::move(output.scene), options);
  if (wants_bricks(options) || wants_hash(options))
    output.scene = in_palette(std::move(output.scene), "in bricks and hashes", options.engine);
  const dag::VoxelScene& scene = output.scene;
  Stopwatch watch;
  if (wants_bricks(options)) {
    output.bricks = scene_bricks(scene, options, conversion.kernels);
    conversion.seconds.bricks = watch.lap();
  }
  if (wants_symmetric(options)) {
    output.symmetric = scene_symmetric(scene, options, conversion.kernels);
    conversion.seconds.symmetric = watch.lap();
  }
  if (wants_hash(options)) {
    output.hash = scene_hash(scene, options, conversion.kernels);
    conversion.seconds.hash = watch.lap();
  }
  if (options.parts) {
    write_head(scene, options, conversion);
  } else {
    write_output(output, options, is_whole ? clip_voxels(scene, options) : std::nullopt);
  }
  for (auto rounds = conversion.rounds.rbegin(); rounds != conversion.rounds.rend(); ++rounds)
    rounds->remove();
  if (options.palette_out) write_palette(*options.palette_out, scene.palette);
  if (options.materials_out) write_material_list(*options.materials_out, scene);
  conversion.seconds.write += watch.lap();
  if (options.verify) {
    verify_written(scene, options.output, options.engine, output.forms().normals);
    conversion.seconds.verify = watch.seconds();
  }
  conversion.seconds.total = total.seconds();
  if (options.engine.profile) print_profile(conversion.kernels);
  SceneFigures figures = figures_of(scene, options);
  if (output.normals) figures.normals = AttributeInfo{output.normals->bytes()};
  if (options.json)
    return print_results(options, {.file = options.output,
                                   .verified = options.verify,
                                   .scene = figures,
                                   .forms = output.forms(),
                                   .conversion = &conversion});
  if (conversion.painting) log_info("{}", painting_line(*conversion.painting));
  if (conversion.spill) log_info("{}", spill_line(*conversion.spill));
  log_info("{}", summary_line(figures));
  log_forms(output.forms());
  if (options.verify) log_info("read back and compared: correct");
  log_end(seconds_of(conversion.seconds), options.output, output_bytes(options));
}

void do_conversion(const ConvertOptions& options) {
  switch (options.conversion) {
    case ConversionKind::Meshes:
      return options.sdf ? convert_distances(options) : convert(options, convert_meshes);
    case ConversionKind::Points:
      return convert(options, convert_points);
    case ConversionKind::Voxels:
      return convert(options, convert_voxels);
    case ConversionKind::VolumeScene:
      return convert(options, convert_volume_to_scene);
    case ConversionKind::Bricks:
      return convert_volume(options);
    case ConversionKind::SceneFile:
      return use_scene_file(options);
    case ConversionKind::Mixed:
      return convert(options, convert_mixed);
  }
}

void run(const CommandLine& arguments, ranks::Ranks* ranks) {
  ConvertOptions options = read_convert_options(arguments);
  const bool is_shared =
      options.conversion == ConversionKind::Meshes || options.conversion == ConversionKind::SceneFile;
  if (ranks && !is_shared && ranks->rank() > 0) return;  // rank 0 converts all else alone
  if (ranks && is_shared) {
    options.ranks = ranks;
    options.engine = engine_of_rank(options.engine, *ranks);
  }
  check_compression(options.compression);
  with_input(options.inputs[0], [&] {
    check_given(options);
    do_conversion(options);
  });
}

}  // namespace
}  // namespace vox

int main(int argc, char** argv) {
  return vox::run_tool_on_ranks(vox::convert_description, argc, argv, vox::run);
}
