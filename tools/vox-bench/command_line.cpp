#include "tools/vox-bench/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "formats/mesh/mesh.h"
#include "formats/scene/any_scene.h"
#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "libvox/dag/derived.h"
#include "libvox/engine/engine.h"
#include "libvox/scene/auto_palette.h"
#include "libvox/voxelize/grid.h"
#include "tools/common/command_line.h"
#include "tools/common/tool.h"

namespace vox {

OptionTopic result_topic() {
  return {
      .name = "results",
      .title = "results",
      .options = {plain_option("output", "FILE.h5", "", "Write the results as HDF5."),
                  plain_option("csv", "FILE.csv", "", "Write the rows as comma-separated values."),
                  plain_option("html", "FILE.html", "",
                               "Write a page with charts: one file, for a browser or for paper."),
                  plain_option("against", "FILE", "",
                               "Compare with an earlier run, which wrote this report with -o or printed this "
                               "file with --json, and mark what is slower by more than its spread.")}};
}

ResultFiles read_result_options(const CommandLine& arguments) {
  ResultFiles files = {
      arguments.given("output"), arguments.given("csv"), arguments.given("html"), arguments.overwrite(), {}};
  if (const auto earlier = arguments.given("against")) files.against = {*earlier, read_results(*earlier)};
  if (files.report && files.report->extension() != ".h5")
    throw UsageError(fmt::format("-o is '{}', expected a name that ends in .h5", files.report->string()));
  return files;
}

Option plain_option(std::string name, std::string argument, std::string usual, std::string help) {
  const std::string letter = name == "output" ? "o" : "";
  return {.name = std::move(name),
          .letter = letter,
          .argument = std::move(argument),
          .usual = std::move(usual),
          .help = std::move(help)};
}

Option number_option(std::string name, std::string argument, std::string usual, OptionRange range,
                     std::string help, std::vector<OptionRule> rules) {
  Option option = plain_option(std::move(name), std::move(argument), std::move(usual), std::move(help));
  option.range = range;
  option.rules = std::move(rules);
  return option;
}

Option names_option(std::string name, std::vector<std::string> words, std::string preset, std::string help,
                    std::vector<OptionRule> rules) {
  Option option = plain_option(std::move(name), "NAME,...", "", std::move(help));
  option.words = std::move(words);
  option.preset = std::move(preset);
  option.rules = std::move(rules);
  return option;
}

Option repetitions_option(OptionRange range, std::string usual) {
  return number_option("repetitions", "N", std::move(usual), range,
                       "Repeat everything that is timed this number of times.");
}

Option resolution_option(std::string usual) {
  return {
      .name = "res",
      .argument = "N",
      .usual = std::move(usual),
      .range = OptionRange{voxelize::kMinResolution, voxelize::kMaxResolution},
      .setting = "resolution",
      .help = "Number of voxels along the longest side of a mesh; for a scene file, a coarser level of it."};
}

Option brick_sizes_option(std::string preset, std::string help, std::vector<OptionRule> rules) {
  return {.name = "brick-sizes",
          .argument = "N,...",
          .preset = std::move(preset),
          .unit = "voxels",
          .rules = std::move(rules),
          .help = std::move(help)};
}

std::vector<uint32_t> read_brick_sizes(const CommandLine& arguments, AutoSize auto_size) {
  const bool allows_auto = auto_size == AutoSize::Allowed;
  std::vector<uint32_t> log2_sides;
  for (const std::string& name : arguments.names("brick-sizes")) {
    if (allows_auto && name == "auto")
      log2_sides.push_back(0);
    else
      log2_sides.push_back(
          parse_brick_side(name, fmt::format("--brick-sizes has {}, expected powers of two from 4 to 512{}",
                                             name, allows_auto ? ", or auto" : "")));
  }
  return log2_sides;
}

std::string scale_text(double scale) {
  return scale < 1 ? fmt::format("1/{}", 1 / scale) : fmt::format("{}", scale);
}

std::string on_each(const std::string& gpu, const std::string& cpu) {
  return fmt::format("{} on a GPU, {} on the CPU", gpu, cpu);
}

std::string counts_on_each(uint64_t gpu, uint64_t cpu) {
  return on_each(format_count(gpu), format_count(cpu));
}

namespace {

SceneInput voxelized(Engine& engine, scene::Scene mesh, uint32_t resolution) {
  const voxelize::Grid grid = voxelize::fit_grid(mesh, {.resolution = resolution});
  const scene::IndexedScene indexed = scene::choose_palette(mesh, {}).indexed;
  const voxelize::BuildOptions options;
  voxelize::BuildResult built = engine.build(mesh, indexed, grid, options);
  const double seconds = built.voxelize_seconds + built.build_seconds;
  return {built_scene(std::move(built), indexed, grid, options), seconds};
}

dag::VoxelScene scene_of_file(const SceneRequest& request) {
  dag::VoxelScene scene =
      in_palette(read_any_scene(*request.file, request.engine, SceneForm::Any, Damage::Ignored),
                 "for benchmarks", request.engine);
  if (!request.resolution || *request.resolution == scene.dag.resolution) return scene;
  const uint32_t halvings = dag::halvings_to(*request.resolution, scene.dag.resolution);
  return dag::coarser(std::move(scene), halvings, {.limit = request.engine.memory_limit});
}

}  // namespace

SceneInput read_scene_input(Engine& engine, const SceneRequest& request) {
  const InputKind kind = request.file ? kind_of_input(*request.file) : InputKind::Mesh;
  if (is_volume(kind))
    throw UsageError(
        fmt::format("'{}' is a volume, expected a scene file or a mesh: 'vox-bench bricks' measures volumes",
                    request.file->string()));
  if (request.file) check_exists(*request.file);
  const uint32_t resolution = request.resolution.value_or(request.default_resolution);
  SceneInput input;
  if (!request.file) {
    scene::Scene mesh = request.generate();
    scene::drop_bad_triangles(mesh);
    input = voxelized(engine, std::move(mesh), resolution);
  } else if (kind == InputKind::Scene) {
    input.scene = scene_of_file(request);
  } else {
    input = voxelized(engine, read_meshes(std::array{*request.file}).scene, resolution);
  }
  input.scene.source = request.file ? request.file->filename().string() : request.generated;
  return input;
}

const Command* command_named(std::string_view name) {
  const auto* const found = std::ranges::find(kCommands, name, &Command::name);
  return found == std::end(kCommands) ? nullptr : found;
}

const Command* command_in(const std::vector<std::string>& arguments) {
  return arguments.size() < 2 || arguments[0] != "vox-bench" ? nullptr : command_named(arguments[1]);
}

CommandLine read_arguments(const ToolDescription& tool, std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  return {tool, static_cast<int>(pointers.size()), pointers.data()};
}

}  // namespace vox
