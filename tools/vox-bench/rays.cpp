// The command vox-bench rays, and its results.

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>

#include "formats/results/views.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/engine/engine.h"
#include "libvox/hash/table_options.h"
#include "libvox/measure/rays_bench.h"
#include "libvox/scene/procedural/procedural.h"
#include "tools/common/command_line.h"
#include "tools/vox-bench/command_line.h"
#include "tools/vox-bench/reports.h"
#include "tools/vox-bench/results.h"

namespace vox {
namespace {

struct RaysCommand : BenchCommand {
  std::optional<std::filesystem::path> input;  // a scene file or a mesh; without one, the bumpy sphere
  // The resolution of a mesh, or none for the device's default; a coarser level of a scene file, or none for its own.
  std::optional<uint32_t> resolution;
  measure::RaysBenchOptions bench;
};

using RaysBench = measure::RaysBenchOptions;
using RaysRow = measure::RaysBenchRow;
using measure::RaysState;

constexpr uint32_t kGpuRaysResolution = 8192, kCpuRaysResolution = 512;
constexpr OptionRule kEditsRule = {1, "no scene is edited"};

constexpr const char* kAboutRays =
    R"(Rays read the nodes where a hash table keeps them, and from the words of a scene file in their canonical order
("frozen"). One loop follows the path of each pixel: from the root to the first voxel, and from there on in a random
direction that leaves the voxel's face, as often as --bounces says, until the path leaves the scene.
  ms         the median of the repetitions after a first one that is not counted
  sectors    reads of 32 bytes for each ray, counted in a run of its own; a sector that is read twice in a row counts
             once. Reads of the table's list of superblocks, which is small, do not count.
All memories must lead to the same hits: if a checksum differs from that of the frozen words, the command fails when
everything is written. The edits add spheres of --radius voxels at places on the surface, one after the other.

FILE is a scene file, or a mesh, which is voxelized; without it, the bumpy sphere of vox-scene is measured. The view
inside stands for the paper's, whose camera is in a closed bunny.
)";

OptionTopic rays_axes() {
  const RaysBench preset;
  return {
      .name = "axes",
      .title = "what is measured",
      .options = {names_option("tables", with_all(hash::table_names()), "all",
                               "Let rays read the memory of these hash tables."),
                  names_option("states", words_of(measure::kRaysStateNames), joined(measure::kRaysStateNames),
                               "Look at the scene as it was read, or after the edits."),
                  names_option("views", words_of(measure::kRaysViewNames), joined(measure::kRaysViewNames),
                               "Look at the scene from outside, or from its middle."),
                  {.name = "bounces",
                   .argument = "N,...",
                   .preset = joined(preset.bounces),
                   .range = OptionRange{0, RaysBench::kMostBounces},
                   .help = "Numbers of bounces of a path; 0 stands for primary rays alone."}}};
}

OptionTopic rays_size() {
  constexpr measure::RaysBenchSizes kGpu = RaysBench::kGpuSizes, kCpu = RaysBench::kCpuSizes;
  return {.name = "size",
          .title = "the size of the benchmark",
          .options = {resolution_option(counts_on_each(kGpuRaysResolution, kCpuRaysResolution) +
                                        ", or the scene file's own"),
                      plain_option("picture", "N", counts_on_each(kGpu.picture, kCpu.picture),
                                   "Side of the picture in pixels."),
                      {.name = "edits",
                       .argument = "N",
                       .usual = counts_on_each(kGpu.edits, kCpu.edits),
                       .rules = {kEditsRule},
                       .help = "Number of edits."},
                      {.name = "radius",
                       .argument = "N",
                       .preset = std::to_string(RaysBench().radius),
                       .unit = "voxels",
                       .rules = {kEditsRule},
                       .help = "Radius of the spheres that edits add."},
                      {.name = "seed",
                       .argument = "N",
                       .preset = "1",
                       .rules = {kEditsRule},
                       .help = "Another seed edits at other places."},
                      repetitions_option({1, RaysBench::kMostRepetitions},
                                         counts_on_each(kGpu.repetitions, kCpu.repetitions))}};
}

const char* name_of(RaysState state) {
  return measure::kRaysStateNames[static_cast<size_t>(state)];
}
const char* name_of(measure::RaysView view) {
  return measure::kRaysViewNames[static_cast<size_t>(view)];
}

std::string looked_at_text(const measure::RaysBenchResult& result) {
  return fmt::format("{} in {}³, {}", format_count(result.voxels, "voxel"), result.resolution,
                     format_count(result.nodes, "node"));
}

// "read, outside".
std::string scene_of(const ResultRow& row) {
  return row.word("state") + ", " + row.word("view");
}

void throw_if_different(const measure::RaysBenchResult& result) {
  for (const RaysRow& row : result.rows)
    if (!row.error.empty())
      throw Error(fmt::format("{}, {}, {}, {} bounces: {}", row.table, name_of(row.state), name_of(row.view),
                              row.bounces, row.error));
}

RaysCommand read_rays_command(const CommandLine& arguments) {
  return read_command_for_one(arguments, [](const CommandLine& given) {
    RaysCommand command;
    command.input = given.given("file");
    command.resolution = given.given_whole("res");
    RaysBench& bench = command.bench;
    if (given.text("tables") != "all") bench.tables = given.names("tables");
    bench.states = given.choices<RaysState>("states");
    bench.views = given.choices<measure::RaysView>("views");
    bench.bounces = given.axis("bounces");
    bench.radius = given.whole("radius");
    bench.picture = given.given_whole("picture");
    bench.edits = given.given_whole("edits");
    bench.repetitions = given.given_whole("repetitions");
    bench.seed = given.count("seed");
    measure::check(bench);
    const bool edits = std::ranges::find(bench.states, RaysState::Edited) != bench.states.end();
    check_effects(given.given_options(), {.bits = edits ? 1u : 0u, .what = "what is measured"});
    return command;
  });
}

}  // namespace

ResultTable rows_table(const RaysBenchRun& run) {
  const std::vector<RaysRow>& rows = run.result.rows;
  const auto work = [](auto value) { return member_of(&RaysRow::work, value); };
  ResultTable table;
  table.column("table", "", rows, &RaysRow::table, "The hash table whose memory is read, or `frozen`.")
      .column(
          "state", "", rows, [](const RaysRow& row) { return name_of(row.state); },
          "The scene: `read` or `edited`.")
      .column(
          "view", "", rows, [](const RaysRow& row) { return name_of(row.view); },
          "The view: `outside` or `inside`.")
      .column("bounces", "", rows, &RaysRow::bounces, "Greatest number of bounces of a path.");
  add_times(table, rows);
  table.column("rays", "rays", rows, work(&measure::RayWork::rays), "Number of rays of all paths.")
      .column("rays_per_second", "1/s", rows, &RaysRow::rays_per_second, "Rays per second, by the median.")
      .column(
          "of_frozen", "1", rows, [&](const RaysRow& row) { return run.result.of_frozen(row); },
          "Rays per second, divided by those of the frozen words.")
      .column("nodes", "nodes", rows, work(&measure::RayWork::nodes),
              "Number of times that a ray went into a node or a leaf, or came back to it.")
      .column("sectors", "sectors", rows, work(&measure::RayWork::sectors), "Number of reads of 32 bytes.")
      .column("sectors_per_ray", "sectors per ray", rows, &RaysRow::sectors_per_ray,
              "Number of these reads for each ray.")
      .column(
          "checksum", "", rows, [](const RaysRow& row) { return fmt::format("{:016x}", row.checksum); },
          "Checksum of all hits, which is the same for all tables.")
      .column("error", "", rows, &RaysRow::error,
              "The reason if the checksum differs from that of the frozen words; otherwise empty.");
  return table;
}

std::string table_text(const RaysBenchRun& run) {
  const ResultTable table = rows_table(run);
  const ResultRows rows = rows_of(table);
  std::string text = fmt::format("{}, {}, on {}\n", run.source, looked_at_text(run.result), run.device_text);
  const auto add = [&](const ResultRows& of_scene, const std::string& title, const char* column, Look look) {
    const auto parts = [&](const ResultRow& row) {
      const std::string bounces = fmt::format("{} bounces", row.text("bounces"));
      return std::vector<LinePart>{{0, "table", row.word("table")}, {1, bounces, row.text(column, look)}};
    };
    text += fmt::format("\n{}\n{}", title,
                        line_table(of_scene, {.line = text_in("table"), .parts = parts}).text());
  };
  for (const std::string& scene : texts_of(rows, scene_of)) {
    const ResultRows of_scene = rows_with(rows, scene_of, scene);
    add(of_scene, scene + ": M rays/s", "rays_per_second", Look::fixed(2, 1e-6));
    add(of_scene, scene + ": sectors for each ray", "sectors_per_ray", Look::fixed(1));
  }
  for (const ResultRow& row : rows_with_errors(rows))
    text += fmt::format("  {}, {}: {}\n", row.word("table"), scene_of(row), row.word("error"));
  return text;
}

void set_results(ResultGroup& rays, const RaysBenchRun& run) {
  const measure::RaysBenchResult& result = run.result;
  rays.set("source", run.source, "The file that was read, or the bumpy sphere.")
      .set("resolution", result.resolution, "voxels", "Number of voxels along the longest side of the scene.")
      .set("voxels", result.voxels, "voxels", "Number of filled voxels before the edits.")
      .set("scene_nodes", result.nodes, "nodes", "Number of nodes and leaves before the edits.")
      .set("picture", result.sizes.picture, "pixels", "Number of paths along a side of the picture.")
      .set("edits", result.sizes.edits, "edits", "Number of edits that lead to the state `edited`.");
  set_seconds(rays, result.seconds);
  rays.put("rows", rows_table(run));
}

HtmlPage page_of(const RaysBenchRun& run) {
  HtmlPage page("Rays through hash tables: " + run.source,
                fmt::format("{}, on {}. Measured in {}.", looked_at_text(run.result), run.device_text,
                            format_seconds(run.result.seconds)));
  const ResultTable table = rows_table(run);
  const ResultRows rows = rows_of(table);
  const FigureAxis axis = {.column = "bounces", .title = "bounces"};
  for (const std::string& scene : texts_of(rows, scene_of)) {
    const ResultRows of_scene = rows_with(rows, scene_of, scene);
    page.section("The scene: " + scene);
    add_line_figure(page, "Rays per second", of_scene, axis, text_in("table"),
                    {.column = "rays_per_second",
                     .unit = "M/s",
                     .caption = "Rays of all paths with up to so many bounces. Higher is faster.",
                     .look = Look::fixed(2, 1e-6)});
    add_line_figure(page, "Sectors for each ray", of_scene, axis, text_in("table"),
                    {.column = "sectors_per_ray",
                     .unit = "sectors",
                     .caption = "Reads of 32 bytes. Lower is better.",
                     .look = Look::fixed(2)});
  }
  return page;
}

ToolDescription rays_bench_description() {
  return {
      .program = "vox-bench rays",
      .usage = "[FILE] [options]",
      .about =
          "Measures rays and paths that read a scene in the memory of each hash table (Molenaar & Eisemann "
          "2024, §4.2).\n",
      .examples =
          {"vox-bench rays                                     looks at the bumpy sphere",
           "vox-bench rays bunny.obj --res 4K --views inside   a camera in a closed mesh, as in the paper",
           "vox-bench rays scene.h5 --tables atomic64,ticket --bounces 0,1,6 --html rays.html"},
      .basics = {"tables", "states", "views", "bounces", "res", "picture", "edits", "output", "html",
                 "device"},
      .more = kAboutRays,
      .topics = {rays_axes(), rays_size(), result_topic(), device_topic(), general_topic()},
      .operands = {{.name = "file", .argument = "FILE", .help = "A scene file or a mesh."}}};
}

void run_rays(const CommandLine& arguments, const ReportSink& sink) {
  const RaysCommand command = read_rays_command(arguments);
  check_targets(command.files);
  std::unique_ptr<Engine> engine = make_engine(command.engine);
  const dag::VoxelScene scene =
      read_scene_input(
          *engine, {.file = command.input,
                    .resolution = command.resolution,
                    .default_resolution = engine->device() == "cpu" ? kCpuRaysResolution : kGpuRaysResolution,
                    .generate = [] { return scene::make_bumpy_sphere({}); },
                    .generated = "the bumpy sphere of vox-scene",
                    .engine = command.engine})
          .scene;
  log_info("{}: {} voxels in {}³, on {}", scene.source, format_count(scene.dag.voxels), scene.dag.resolution,
           engine->device_text());
  const RaysBenchRun run = {run_on(*engine, command.command), scene.source,
                            measure::bench_rays(*engine, scene.dag, command.bench)};
  report(command, run, engine->profile(), sink);
  throw_if_different(run.result);
}

}  // namespace vox
