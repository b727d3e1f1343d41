// The command vox-bench forms.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/forms_bench.h"
#include "libvox/scene/procedural/procedural.h"
#include "tools/common/command_line.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/command_line.h"
#include "tools/vox-bench/reports.h"
#include "tools/vox-bench/results.h"

namespace vox {

// The command line of vox-bench forms.

struct FormsCommand {
  std::optional<std::filesystem::path> input;  // a scene file or a mesh; without one, the village
  // The resolution of a mesh, or none for the device's default; a coarser level of a scene file, or none for its own.
  std::optional<uint32_t> resolution;
  measure::FormsBenchOptions bench;  // but for how long making the SVDAG took
  EngineOptions engine;
  ResultFiles files;
  bool json = false;
  std::string command;
};

// The resolution of a mesh where none is asked for.
uint32_t default_forms_resolution(const std::string& device);

// Throws UsageError, and Error if an input is missing.
FormsCommand read_forms_command(const CommandLine& arguments);

namespace {

using FormsBench = measure::FormsBenchOptions;
using measure::Form;

enum FormsBenchTrait : uint32_t { kBricks = 1, kHash = 2, kMeans = 4 };

constexpr OptionRule kHashRule = {kHash, "it is for the form hash"};

constexpr const char* kAboutForms =
    R"(For each form, the program measures its bytes, how long making it takes, and how fast voxels are read from it.
All forms run the same loops over the same voxels:
  random    reads voxels at random; half of them are filled, the others are a few voxels away from a filled one
  uniform   reads voxels at random anywhere in the grid, most of which are empty
  rows      reads rows of 32 voxels along x through the surface, side by side
  blocks    reads blocks of 4 x 4 x 4 voxels that the surface goes through, in Morton order
  mean      runs a mean filter around each voxel of such blocks; the voxels that it reads count
  rays      casts rays through the pixels of a picture of the whole scene, up to the first filled voxel

Rays go through the SVDAG as in vox-render, skip empty bricks, and ask the hash for voxel after voxel, because it does
not store how large empty regions are. The result of a loop is compared by a checksum: if one voxel differs from the
SVDAG, the command fails when everything is written. Every time is the median of the repetitions after a first one
that is not counted. If a form cannot be made, or does not fit, a line says why.

FILE is a scene file, or a mesh, which is voxelized; without it, the village of vox-scene is measured.
)";

OptionTopic forms_axes() {
  const FormsBench preset;
  return {.name = "axes",
          .title = "what is measured",
          .options = {{.name = "forms",
                       .argument = "NAME,...",
                       .words = words_of(measure::kFormNames),
                       .preset = joined(measure::kFormNames),
                       .help = "Measure these forms."},
                      brick_sizes_option(
                          "auto",
                          "Measure bricks with these sides: powers of two from 4 to 512, or auto for the "
                          "side that needs least memory.",
                          {{kBricks, "it is for the form bricks"}}),
                      {.name = "load-factors",
                       .argument = "N,...",
                       .preset = joined(preset.load_factors),
                       .range = OptionRange{0, 1, OptionRange::Ends::LeastExcluded},
                       .rules = {kHashRule},
                       .help = "Numbers of voxels for each cell of a spatial hash."},
                      {.name = "key-layouts",
                       .argument = "NAME,...",
                       .words = words_of(spatial::kKeyLayoutNames),
                       .preset = joined(spatial::kKeyLayoutNames),
                       .rules = {kHashRule},
                       .help = "Orders of the keys of a spatial hash: Morton codes, or row by row."},
                      {.name = "filter",
                       .argument = "N",
                       .preset = std::to_string(preset.filter),
                       .unit = "voxels",
                       .rules = {{kMeans, "there is no filter"}},
                       .help = "Side of the mean filter, an odd number."}}};
}

OptionTopic forms_size() {
  constexpr measure::FormsBenchSizes kGpu = FormsBench::kGpuSizes, kCpu = FormsBench::kCpuSizes;
  return {.name = "size",
          .title = "the size of the benchmark",
          .options = {
              resolution_option(
                  counts_on_each(default_forms_resolution("cuda"), default_forms_resolution("cpu")) +
                  ", or the scene file's own"),
              plain_option(
                  "gathers", "N", counts_on_each(kGpu.gathers, kCpu.gathers),
                  "Let random, uniform, rows and blocks read at most this number of voxels; 0 skips them."),
              plain_option("means", "N", counts_on_each(kGpu.means, kCpu.means),
                           "Let mean compute at most this number of means; 0 skips the filter."),
              plain_option("picture", "N", counts_on_each(kGpu.picture, kCpu.picture),
                           "Side in pixels of the picture of rays; 0 casts no rays."),
              repetitions_option({1, FormsBench::kMostRepetitions},
                                 counts_on_each(kGpu.repetitions, kCpu.repetitions))}};
}

FormsBench read_forms_bench(const CommandLine& arguments) {
  FormsBench bench;
  bench.forms = arguments.choices<Form>("forms");
  bench.log2_sides = read_brick_sizes(arguments, AutoSize::Allowed);
  bench.load_factors = arguments.fractions("load-factors");
  bench.layouts = arguments.choices<spatial::CellKeyLayout>("key-layouts");
  bench.filter = static_cast<uint32_t>(std::min<uint64_t>(arguments.count("filter"), UINT32_MAX));
  bench.gathers = arguments.given_count("gathers");
  bench.means = arguments.given_count("means");
  bench.picture = arguments.given_whole("picture");
  bench.repetitions = arguments.given_whole("repetitions");
  measure::check(bench);
  return bench;
}

void check_given(const CommandLine& arguments, const FormsBench& bench) {
  RunTraits run = {.bits = 0, .what = "what is measured"};
  if (bench.means != 0u) run.bits |= kMeans;
  for (const Form form : bench.forms) {
    if (form == Form::Bricks) run.bits |= kBricks;
    if (form == Form::Hash) run.bits |= kHash;
  }
  check_effects(arguments.given_options(), run);
}

}  // namespace

uint32_t default_forms_resolution(const std::string& device) {
  constexpr uint32_t kGpuResolution = 2048, kCpuResolution = 512;
  return device == "cpu" ? kCpuResolution : kGpuResolution;
}

ToolDescription forms_bench_description() {
  return {.program = "vox-bench forms",
          .usage = "[FILE] [options]",
          .about =
              "Measures the three forms that a scene's voxels can have, side by side: SVDAG, hybrid bricks "
              "and spatial "
              "hash.\n",
          .examples = {"vox-bench forms                        measures the village",
                       "vox-bench forms house.glb --res 2K --html forms.html",
                       "vox-bench forms scene.h5 --brick-sizes 8,16,32 --load-factors 0.5,0.95",
                       "vox-bench forms scene.h5 --forms svdag,hash -o forms.h5 --csv rows.csv"},
          .basics = {"forms", "res", "brick-sizes", "load-factors", "gathers", "picture", "repetitions",
                     "output", "html", "device"},
          .more = kAboutForms,
          .topics = {forms_axes(), forms_size(), result_topic(), device_topic(), general_topic()},
          .operands = {{.name = "file", .argument = "FILE", .help = "A scene file or a mesh."}}};
}

FormsCommand read_forms_command(const CommandLine& arguments) {
  return read_command_for_one(arguments, [](const CommandLine& given) {
    FormsCommand command;
    command.input = given.given("file");
    command.resolution = given.given_whole("res");
    command.bench = read_forms_bench(given);
    check_given(given, command.bench);
    return command;
  });
}

namespace {

// The measurements are written before this: they show which form is wrong.
void throw_if_different(const measure::FormsBenchResult& result) {
  for (const measure::FormsBenchRow& row : result.rows)
    if (!row.error.empty()) throw Error(fmt::format("{}, {}", result.forms[row.form].size.text, row.error));
}

}  // namespace

void run_forms(const CommandLine& arguments, const ReportSink& sink) {
  FormsCommand command = read_forms_command(arguments);
  check_targets(command.files);
  const std::unique_ptr<Engine> engine = make_engine(command.engine);
  const SceneInput input =
      read_scene_input(*engine, {.file = command.input,
                                 .resolution = command.resolution,
                                 .default_resolution = default_forms_resolution(engine->device()),
                                 .generate = [] { return scene::make_village({}); },
                                 .generated = "the village of vox-scene",
                                 .engine = command.engine});
  command.bench.svdag_seconds = input.svdag_seconds;
  log_info("{}: {} voxels in {}³, on {}", input.scene.source, format_count(input.scene.dag.voxels),
           input.scene.dag.resolution, engine->device_text());
  const FormsBenchRun run = {run_on(*engine, command.command), input.scene.source,
                             measure::bench_forms(*engine, input.scene, command.bench)};
  report(command, run, *engine, sink);
  throw_if_different(run.result);
}

}  // namespace vox
