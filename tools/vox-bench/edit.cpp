// The command vox-bench edit.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>
#include <string>

#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/engine/engine.h"
#include "libvox/hash/table_options.h"
#include "libvox/measure/edit_bench.h"
#include "libvox/scene/procedural/procedural.h"
#include "tools/common/command_line.h"
#include "tools/vox-bench/command_line.h"
#include "tools/vox-bench/reports.h"
#include "tools/vox-bench/results.h"

namespace vox {
namespace {

struct EditCommand : BenchCommand {
  std::optional<std::filesystem::path> input;  // a scene file or a mesh; without one, the city
  // The resolution of a mesh, or none for the device's default; a coarser level of a scene file, or none for its own.
  std::optional<uint32_t> resolution;
  measure::EditBenchOptions bench;
};

using EditBench = measure::EditBenchOptions;
using measure::EditSeriesKind;

enum EditBenchTrait : uint32_t {
  kSpheres = 1,
  kCopies = 2,
  kManyCopies = 4,
  kSmall = 8,
  kPlaces = 16,
  kPaperTables = 32
};

constexpr OptionRule kSmallRule = {kSmall, "it is for small spheres"};

constexpr uint32_t kGpuEditResolution = 32768, kCpuEditResolution = 2048;

constexpr const char* kAboutEdit = R"(These series of edits are measured:
  spheres    adds one sphere of each radius at a voxel of the surface
  copies     copies boxes of each side from one voxel of the surface to another; in sequence, drags many of them along
  small      adds small spheres at many voxels of the surface, in batches
  gc         collects garbage: of the scene as it was read, and of spheres that were undone

Spheres and copies have three orders. fresh: each edit is done on the scene as it was read, in a session of its own;
collected: the same, but after other edits that were undone and collected; sequence: one edit after the other, where
later ones meet the results of the first ones. A time is that of one edit, the median of the repetitions after a first
one that is not counted. Every row shows the work: the nodes and leaves that were made, and those of them that are new
to the scene. If a repetition makes others, the command fails. If several tables are measured, each does all edits,
and the command fails unless all give the same scenes; the slabs that a search looks at, and the items that it
compares in vain, are counted in a repetition of their own, for all tables but sector. With --profile, the kernels'
times come from a repetition of their own, and the page shows which share of each edit goes into which kernel.

SCENE.h5 is a scene file, or a mesh, which is voxelized; without it, the city of vox-scene is edited.
)";

OptionTopic edit_axes() {
  const EditBench preset;
  return {.name = "axes",
          .title = "what is measured",
          .options = {names_option("series", words_of(measure::kEditSeriesNames),
                                   joined(measure::kEditSeriesNames), "Measure these series of edits."),
                      names_option("orders", words_of(measure::kEditOrderNames),
                                   joined_names(preset.orders, measure::kEditOrderNames),
                                   "Do the edits in these orders: each on the scene as it was read, each "
                                   "after a garbage collection, or one after the other."),
                      {.name = "radii",
                       .argument = "N,...",
                       .usual = "12 that differ, from 1140 to 1820 at a resolution of 128K",
                       .unit = "voxels",
                       .rules = {{kSpheres, "it is for spheres"}},
                       .help = "Radii of spheres."},
                      {.name = "sides",
                       .argument = "N,...",
                       .usual = "12 that differ, from 254 to 586 at a resolution of 64K",
                       .unit = "voxels",
                       .rules = {{kCopies, "it is for copies"}},
                       .help = "Sides of the boxes that are copied."},
                      {.name = "small-radius",
                       .argument = "N",
                       .preset = std::to_string(preset.small_radius),
                       .unit = "voxels",
                       .rules = {kSmallRule},
                       .help = "Radius of small spheres."},
                      {.name = "batches",
                       .argument = "N,...",
                       .preset = joined(preset.batches),
                       .rules = {kSmallRule},
                       .help = "Largest numbers of small spheres in one pass."},
                      names_option("tables", with_all(hash::table_names()), joined(preset.tables),
                                   "Measure these hash tables, which hold the scene."),
                      {.name = "processor",
                       .help = "Do the same edits on the processor, too, and copy what is new to the device, "
                               "as the paper does with HashDAG."},
                      {.name = "duplicates",
                       .argument = "NAME",
                       .words = words_of(hash::kDuplicatesNames),
                       .preset = hash::kDuplicatesNames[static_cast<size_t>(preset.duplicates)],
                       .rules = {{kPaperTables, "the table sector finds duplicates in its own way"}},
                       .help = "Find duplicates among new nodes by open addressing, or by a table of slabs "
                               "as in the paper, §5.2."}}};
}

OptionTopic edit_size() {
  return {.name = "size",
          .title = "the size of the benchmark",
          .options = {
              resolution_option(counts_on_each(kGpuEditResolution, kCpuEditResolution) +
                                ", or the scene file's own"),
              {.name = "copies",
               .argument = "N",
               .usual = counts_on_each(EditBench::kGpuCopies, EditBench::kCpuCopies),
               .rules = {{kManyCopies, "it is for copies in sequence"}},
               .help = "Number of copies of each side in sequence."},
              {.name = "small",
               .argument = "N",
               .usual = counts_on_each(EditBench::kGpuSmall, EditBench::kCpuSmall),
               .rules = {kSmallRule},
               .help = "Number of small spheres."},
              {.name = "seed",
               .argument = "N",
               .preset = "1",
               .rules = {{kPlaces, "a garbage collection has no place"}},
               .help = "Another seed edits at other places."},
              repetitions_option({1, EditBench::kMostRepetitions},
                                 counts_on_each(EditBench::kGpuRepetitions, EditBench::kCpuRepetitions))}};
}

EditBench read_edit_bench(const CommandLine& arguments) {
  EditBench bench;
  bench.tables = arguments.text("tables") == "all" ? hash::table_names() : arguments.names("tables");
  bench.processor = arguments.has("processor");
  bench.duplicates = arguments.choices<hash::Duplicates>("duplicates").front();
  bench.series = arguments.choices<EditSeriesKind>("series");
  bench.orders = arguments.choices<measure::EditOrder>("orders");
  if (arguments.has("radii")) bench.radii = arguments.axis("radii");
  if (arguments.has("sides")) bench.sides = arguments.axis("sides");
  bench.small_radius = arguments.whole("small-radius");
  bench.batches = arguments.axis("batches");
  bench.copies = arguments.given_whole("copies");
  bench.small = arguments.given_whole("small");
  bench.repetitions = arguments.given_whole("repetitions");
  bench.seed = arguments.count("seed");
  measure::check(bench);
  return bench;
}

// Small spheres have one order, and a collection after spheres is one in sequence.
void check_given(const CommandLine& arguments, const EditBench& bench) {
  const bool sequence = is_asked_for(bench, measure::EditOrder::Sequence);
  const bool copies = is_asked_for(bench, EditSeriesKind::Copies);
  const bool spheres = is_asked_for(bench, EditSeriesKind::Spheres) ||
                       (is_asked_for(bench, EditSeriesKind::Collect) && sequence);
  const bool small = is_asked_for(bench, EditSeriesKind::Small);
  RunTraits run = {.bits = 0, .what = "what is measured"};
  if (spheres) run.bits |= kSpheres;
  if (copies) run.bits |= kCopies;
  if (copies && sequence) run.bits |= kManyCopies;
  if (small) run.bits |= kSmall;
  if (spheres || copies || small) run.bits |= kPlaces;
  if (bench.tables != std::vector<std::string>{"sector"}) run.bits |= kPaperTables;
  check_effects(arguments.given_options(), run);
}

EditCommand read_edit_command(const CommandLine& arguments) {
  return read_command_for_one(arguments, [](const CommandLine& given) {
    EditCommand command;
    command.input = given.given("file");
    command.resolution = given.given_whole("res");
    command.bench = read_edit_bench(given);
    check_given(given, command.bench);
    return command;
  });
}

dag::VoxelScene read_edit_scene(Engine& engine, const EditCommand& command) {
  return read_scene_input(engine, {.file = command.input,
                                   .resolution = command.resolution,
                                   .default_resolution =
                                       engine.device() == "cpu" ? kCpuEditResolution : kGpuEditResolution,
                                   .generate = [] { return scene::make_city({}); },
                                   .generated = "the city of vox-scene",
                                   .engine = command.engine})
      .scene;
}

}  // namespace

ToolDescription edit_bench_description() {
  return {
      .program = "vox-bench edit",
      .usage = "[SCENE.h5] [options]",
      .about =
          "Measures edits of a scene: milliseconds of series of edits, kernel by kernel (Molenaar & Eisemann "
          "2024, Figure 9).\n",
      .examples =
          {"vox-bench edit                                       edits the city",
           "vox-bench edit scene.h5 --profile --html edits.html  a scene, with charts of the kernels",
           "vox-bench edit scene.h5 --against before.json        what is slower than in an earlier run",
           "vox-bench edit --res 128K --series spheres           the spheres of the paper",
           "vox-bench edit --tables all --processor              every table, as in the paper's comparison",
           "vox-bench edit scene.h5 --json > before.json"},
      .basics = {"series", "orders", "tables", "res", "radii", "repetitions", "output", "html", "against",
                 "device"},
      .more = kAboutEdit,
      .topics = {edit_axes(), edit_size(), result_topic(), device_topic(), general_topic()},
      .operands = {{.name = "file", .argument = "SCENE.h5", .help = "A scene file or a mesh."}}};
}

void run_edit(const CommandLine& arguments, const ReportSink& sink) {
  const EditCommand command = read_edit_command(arguments);
  check_targets(command.files);
  EngineOptions without_profile = command.engine;
  without_profile.profile = false;
  std::unique_ptr<Engine> engine = make_engine(without_profile);
  const dag::VoxelScene scene = read_edit_scene(*engine, command);
  log_info("{}: {} voxels in {}³, {} nodes, on {}", scene.source, format_count(scene.dag.voxels),
           scene.dag.resolution, format_count(scene.dag.unique_nodes()), engine->device_text());
  // Voxelizing has left its memory in the pool: edits begin as in vox-edit.
  engine.reset();
  engine = make_engine(without_profile);
  EditBenchRun run = {run_on(*engine, command.command), scene.source,
                      measure::bench_edit(*engine, scene.dag, command.bench)};
  engine.reset();
  if (command.engine.profile)
    measure::add_kernels(run.result, *make_engine(command.engine), scene.dag, command.bench);
  report(command, run, kernels_of(run.result.rows), sink);
}

}  // namespace vox
