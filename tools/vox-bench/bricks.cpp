// The command vox-bench bricks.

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>

#include "formats/scene/any_scene.h"
#include "formats/scene/scene_file.h"
#include "formats/volume/volume_formats.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/measure/bricks_bench.h"
#include "tools/common/command_line.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/command_line.h"
#include "tools/vox-bench/reports.h"
#include "tools/vox-bench/results.h"

namespace vox {
namespace {

struct BricksCommand : BenchCommand {
  std::optional<std::filesystem::path> input;  // without one, the volume is generated
  InputKind kind = InputKind::Volume;
  RawOptions raw;
  measure::BricksBenchOptions bench;
};

constexpr int32_t kShellsSide = 256;

enum BricksBenchTrait : uint32_t { kRaw = 1, kTree = 2, kCompiled = 4 };

constexpr const char* kAboutBricks =
    R"(For every size of bricks and set of types, the program builds the bricks, then runs mean filters over all
voxels and gathers voxels at random and in Morton order, and casts rays for a picture, with the root grid (direct) and
with code that is compiled for these bricks (jit). The dense array comes first, as the limit for bricks. Every time is
the median of the repetitions after a first one that is not counted. The values are compared by a checksum: if one
voxel differs, the command fails. The defaults for a processor are smaller, so that the command ends in about a
minute. Ctrl-C ends it early and writes what is measured by then.

FILE is a volume (.raw, .nrrd, .nhdr, .npy, .mhd, .mha, .nii, .dat) or a scene file with bricks, or with an SVDAG, whose
materials are the values. Without it, shells of 256 voxels a side are measured.
)";

std::vector<std::string> set_names() {
  std::vector<std::string> names;
  for (const bricks::BrickTypeSet& set : bricks::kBrickTypeSets) names.emplace_back(set.name);
  return names;
}

OptionTopic bricks_axes() {
  const measure::BricksBenchOptions preset;
  return {.name = "axes",
          .title = "what is measured",
          .options = {brick_sizes_option("8,16,32,64",
                                         "Measure bricks with these sides: powers of two from 4 to 512."),
                      names_option("sets", set_names(), "all,four,octree,dense",
                                   "Measure these sets of types: one type beside empty bricks, the four "
                                   "types of the thesis, or all."),
                      names_option("access", words_of(measure::kAccessNames), "direct,jit",
                                   "Read in these ways: direct, kd (a tree that is interpreted) or jit (a "
                                   "tree that is compiled)."),
                      {.name = "filters",
                       .argument = "N,...",
                       .preset = joined(preset.filters),
                       .unit = "voxels",
                       .help = "Run mean filters with these sides; none runs no filter."},
                      {.name = "trade-off",
                       .argument = "N",
                       .preset = "0",
                       .range = OptionRange{0, 1000},
                       .help = "Number of points of each curve from least memory to dense bricks, with the "
                               "strategies of the thesis; 0 draws no curves."}}};
}

OptionTopic bricks_size() {
  constexpr measure::BricksBenchSizes kGpu = measure::BricksBenchOptions::kGpuSizes,
                                      kCpu = measure::BricksBenchOptions::kCpuSizes;
  return {
      .name = "size",
      .title = "the size of the benchmark",
      .options = {
          plain_option("voxels", "N", on_each(std::to_string(kGpu.voxels), format_count(kCpu.voxels)),
                       "Measure at most this number of voxels: a box in the middle of a volume, or a coarser "
                       "level of a scene; 0 measures all."),
          plain_option("gathers", "N", counts_on_each(kGpu.gathers, kCpu.gathers),
                       "Number of positions of a gather; 0 does no gathers."),
          plain_option("picture", "N", on_each(std::to_string(kGpu.picture), std::to_string(kCpu.picture)),
                       "Side in pixels of a picture that rays are cast for; 0 takes no picture."),
          repetitions_option({.least = 1},
                             on_each(std::to_string(kGpu.repetitions), std::to_string(kCpu.repetitions)))}};
}

OptionTopic bricks_code() {
  return {
      .name = "code",
      .title = "compiled code",
      .options = {
          {.name = "jit-budget",
           .argument = "N",
           .preset = std::to_string(measure::BricksBenchOptions().jit.leaves),
           .range = OptionRange{.least = 1},
           .rules = {{kTree, "it is for --access kd and jit"}},
           .help = "Largest number of leaves of the kd tree; bricks below them are found in the root grid, "
                   "as by direct. With 1 there is no tree, and only sizes and types are compiled in."},
          {.name = "jit-tree",
           .words = {bricks::kKdSplitNames.begin(), bricks::kKdSplitNames.end()},
           .preset = "entropy",
           .rules = {{kTree, "it is for --access kd and jit"}},
           .help = "Split the tree where the types of bricks differ most on the two sides (entropy), or at "
                   "the median of the bricks, down to one brick in a leaf (median)."},
          {.name = "jit-places",
           .words = {bricks::kLeafPlacesNames.begin(), bricks::kLeafPlacesNames.end()},
           .preset = "root",
           .rules = {{kCompiled, "it is for --access jit"}},
           .help = "Find the bricks of a leaf in the root grid, or in an array in the compiled code."}}};
}

OptionTopic bricks_volumes() {
  OptionTopic topic = {.name = "volumes", .title = "volumes", .options = threshold_options({})};
  for (Option& option : raw_options({{kRaw, "it is for raw volumes, whose files do not say it"}}))
    topic.options.push_back(std::move(option));
  return topic;
}

measure::BricksBenchOptions read_bricks_bench(const CommandLine& arguments) {
  measure::BricksBenchOptions bench;
  bench.log2_sides = read_brick_sizes(arguments, AutoSize::Refused);
  bench.sets.clear();
  for (const size_t set : arguments.places("sets")) bench.sets.push_back(bricks::kBrickTypeSets[set]);
  bench.accesses = arguments.choices<bricks::Access>("access");
  bench.filters.clear();
  if (arguments.text("filters") != "none") bench.filters = arguments.axis("filters");
  bench.voxels = arguments.given_count("voxels");
  bench.gathers = arguments.given_count("gathers");
  bench.picture = arguments.given_whole("picture");
  bench.trade_off = arguments.whole("trade-off");
  bench.repetitions = arguments.given_whole("repetitions");
  bench.jit.leaves = arguments.whole("jit-budget");
  bench.jit.split = arguments.choice("jit-tree", {bricks::KdSplit::Entropy, bricks::KdSplit::Median});
  bench.jit.places = arguments.choice("jit-places", {bricks::LeafPlaces::Root, bricks::LeafPlaces::Code});
  bench.threshold = read_threshold_options(arguments);
  measure::check(bench);
  return bench;
}

void check_given(const CommandLine& arguments, const BricksCommand& command) {
  const bool is_scene = command.kind == InputKind::Scene;
  RunTraits run = {.bits = 0, .what = is_scene ? "a scene file" : "this volume"};
  if (!is_scene && command.kind != InputKind::Volume) run.bits |= kRaw;
  for (const bricks::Access access : command.bench.accesses)
    if (access == bricks::Access::KdTree || access == bricks::Access::Compiled) run.bits |= kTree;
  for (const bricks::Access access : command.bench.accesses)
    if (access == bricks::Access::Compiled) run.bits |= kCompiled;
  check_effects(arguments.given_options(), run);
}

BricksCommand read_bricks_command(const CommandLine& arguments) {
  return read_command_for_one(arguments, [](const CommandLine& given) {
    BricksCommand command;
    command.input = given.given("file");
    command.raw = read_raw_options(given);
    if (command.input) command.kind = kind_of_input(*command.input, command.raw);
    command.bench = read_bricks_bench(given);
    check_given(given, command);
    if (command.input) check_exists(*command.input);
    return command;
  });
}

}  // namespace

ToolDescription bricks_bench_description() {
  return {
      .program = "vox-bench bricks",
      .usage = "[FILE] [options]",
      .about = "Measures how fast the hybrid bricks of a volume are read (Labschuetz, chapter 6).\n",
      .examples = {"vox-bench bricks                                                    generated shells",
                   "vox-bench bricks engine_256x256x256_uint8.raw --threshold 0.08      Figures 6.2 to 6.4",
                   "vox-bench bricks hydrogen.nrrd --brick-sizes 16 --trade-off 17      Figure 5.5",
                   "vox-bench bricks village.h5 --brick-sizes 16 --sets all --filters 3",
                   "vox-bench bricks hydrogen.nrrd -o report.h5 --csv rows.csv --html report.html"},
      .basics = {"brick-sizes", "sets", "access", "filters", "voxels", "picture", "repetitions", "threshold",
                 "html", "device"},
      .more = kAboutBricks,
      .topics = {bricks_axes(), bricks_size(), bricks_code(), bricks_volumes(), result_topic(),
                 device_topic(), general_topic()},
      .operands = {{.name = "file", .argument = "FILE", .help = "A volume or a scene file."}}};
}

void run_bricks(const CommandLine& arguments, const ReportSink& sink) {
  const BricksCommand command = read_bricks_command(arguments);
  check_targets(command.files);
  const std::unique_ptr<Engine> engine = make_engine(command.engine);
  const measure::BricksBenchSizes sizes = measure::sizes_of(command.bench, engine->device());
  std::optional<AnyVolume> input;
  if (command.input) input.emplace(*command.input, command.kind, command.raw, sizes.voxels);
  const volume::Volume volume = input ? input->volume : measure::shells_volume(kShellsSide);
  const Int3 box = measure::measured_box(volume.info.size, sizes.voxels).size();
  const bool part = box != volume.info.size;
  log_info("{}{} x {} x {} voxels of {}, {}, on {}", part ? "the middle, " : "", box.x, box.y, box.z,
           volume::value_type_name(volume.info.type), format_count(sizes.repetitions, "repetition"),
           engine->device_text());
  const BricksBenchRun run = {run_on(*engine, command.command),
                              measure::bench_bricks(*engine, volume, command.bench)};
  report(command, run, engine->profile(), sink);
  if (run.result.interrupted) throw Cancelled();
}

}  // namespace vox
