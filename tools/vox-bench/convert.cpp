// The command vox-bench convert, and its results.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/mesh/mesh.h"
#include "formats/results/views.h"
#include "formats/scene/scene_file.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/convert_bench.h"
#include "libvox/scene/procedural/procedural.h"
#include "libvox/voxelize/grid.h"
#include "tools/common/command_line.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/command_line.h"
#include "tools/vox-bench/reports.h"
#include "tools/vox-bench/results.h"

namespace vox {
namespace {

struct ConvertCommand : BenchCommand {
  static constexpr uint64_t kGpuTriangles = 1'000'000, kCpuTriangles = 100'000;

  std::vector<std::filesystem::path> meshes;   // if there are none, a sphere is measured
  std::optional<uint64_t> triangles;           // triangles of the sphere; none for the device's default
  std::optional<std::filesystem::path> write;  // a folder for the files whose writing is measured
  measure::ConvertBenchOptions bench;
};

using ConvertBench = measure::ConvertBenchOptions;

enum ConvertBenchTrait : uint32_t { kGeneratedSphere = 1 };

constexpr uint64_t kFewestTriangles = 12;

constexpr const char* kAboutConvert = R"(These phases are measured:
  load       reads the file, if there is one
  palette    chooses 16 colors of the surface, and turns its textures into them
  voxelize   turns triangles into leaves of 4 x 4 x 4 voxels
  build      turns leaves into the canonical SVDAG in the host's memory; freeze is its last part
  write      writes the scene file, with --write

Every time is the median of the repetitions after a first one that is not counted. Every repetition has an engine of
its own, as a run of vox-convert has, but CUDA has already started and loaded its kernels. All repetitions must give
the same scene, or the command fails. With --profile, the kernels' times come from a repetition of their own, and the
page shows which share of each conversion goes into which kernel.

MESH is any mesh that vox-convert reads; several are measured one after the other. Without a mesh, a displaced sphere is
measured.
)";

OptionTopic convert_axes() {
  return {.name = "axes",
          .title = "what is measured",
          .options = {
              {.name = "res",
               .argument = "N,...",
               .usual = on_each(joined(ConvertBench::kGpuResolutions), joined(ConvertBench::kCpuResolutions)),
               .range = OptionRange{voxelize::kMinResolution, voxelize::kMaxResolution},
               .setting = "resolution",
               .help = "Numbers of voxels along the longest side."},
              names_option("coverage", words_of(measure::kCoverageNames), "conservative",
                           "Rules for the voxels that a triangle fills; vox-convert explains them."),
              names_option(
                  "materials", words_of(measure::kMaterialModeNames), "none,texture",
                  "none: geometry alone; texture: the surface's colors in a palette of 16; mesh, object: the "
                  "mesh's own materials or objects; colors: 24-bit colors stored beside the geometry.")}};
}

OptionTopic convert_size() {
  return {
      .name = "size",
      .title = "the size of the benchmark",
      .options = {
          number_option("triangles", "N",
                        counts_on_each(ConvertCommand::kGpuTriangles, ConvertCommand::kCpuTriangles),
                        {kFewestTriangles, scene::kMaxSphereTriangles},
                        "Number of triangles of the sphere, if no file is named.",
                        {{kGeneratedSphere, "it is for the sphere that is generated"}}),
          repetitions_option({1, ConvertBench::kMostRepetitions},
                             counts_on_each(ConvertBench::kGpuRepetitions, ConvertBench::kCpuRepetitions)),
          plain_option("write", "DIR", "",
                       "Also write each scene, to a file in this folder that is removed again.")}};
}

std::optional<std::filesystem::path> read_folder(const CommandLine& arguments) {
  const auto folder = arguments.given("write");
  std::error_code failed;
  if (folder && !std::filesystem::is_directory(*folder, failed))
    throw UsageError(fmt::format("--write is '{}', which is not a folder", *folder));
  return folder;
}

ConvertBench read_convert_bench(const CommandLine& arguments) {
  ConvertBench bench;
  if (arguments.has("res")) bench.resolutions = arguments.axis("res");
  bench.coverages = arguments.choices<scene::Coverage>("coverage");
  bench.materials = arguments.choices<scene::MaterialMode>("materials");
  bench.repetitions = arguments.given_whole("repetitions");
  measure::check(bench);
  return bench;
}

ConvertCommand read_convert_command(const CommandLine& arguments) {
  return read_command(arguments, [](const CommandLine& given) {
    ConvertCommand command;
    command.meshes = given.paths("meshes");
    check_effects(given.given_options(), {command.meshes.empty() ? kGeneratedSphere : 0u, "meshes of files"});
    command.triangles = given.given_count("triangles");
    command.write = read_folder(given);
    command.bench = read_convert_bench(given);
    for (const std::filesystem::path& mesh : command.meshes) check_exists(mesh);
    return command;
  });
}

// Writes scenes to a file in a folder, one after the other.
std::function<measure::WrittenScene(const dag::VoxelScene&)> writer_to(const std::filesystem::path& folder) {
  return [file = folder / fmt::format("vox-bench-{}.h5", getpid())](const dag::VoxelScene& scene) {
    const Stopwatch watch;
    write_scene(scene, file);
    const double seconds = watch.seconds();
    const uint64_t bytes = std::filesystem::file_size(file);
    std::filesystem::remove(file);
    return measure::WrittenScene{bytes, seconds};
  };
}

scene::Scene make_sphere(uint64_t triangles) {
  scene::Scene scene = scene::make_bumpy_sphere({.triangles = triangles});
  scene::drop_bad_triangles(scene);
  return scene;
}

std::vector<measure::ConvertSource> sources_of(const ConvertCommand& command, const std::string& device) {
  measure::ConvertSource source;
  if (command.write) source.write = writer_to(*command.write);
  if (command.meshes.empty()) {
    const uint64_t triangles = command.triangles.value_or(device == "cpu" ? ConvertCommand::kCpuTriangles
                                                                          : ConvertCommand::kGpuTriangles);
    source.name = "sphere";
    source.load = [=] { return make_sphere(triangles); };
    return {source};
  }
  std::vector<measure::ConvertSource> sources;
  for (const std::filesystem::path& mesh : command.meshes) {
    source.name = mesh.filename().string();
    source.is_file = true;
    source.load = [=] { return read_meshes({&mesh, 1}).scene; };
    sources.push_back(source);
  }
  return sources;
}

using ConvertRow = measure::ConvertBenchRow;

std::string coverage_of(const ConvertRow& row) {
  return measure::kCoverageNames[static_cast<size_t>(row.coverage)];
}

std::string materials_of(const ConvertRow& row) {
  return measure::kMaterialModeNames[static_cast<size_t>(row.materials)];
}

// Adds the columns that say what was measured.
void add_axes(ResultTable& table, const std::vector<ConvertRow>& rows) {
  table.column("mesh", "", rows, &ConvertRow::mesh, both({"mesh"}), "Name of the file, or `sphere`.")
      .column("coverage", "", rows, coverage_of, both({"coverage"}),
              "`conservative` or `thin`, as for `vox-convert`.")
      .column("materials", "", rows, materials_of, both({"materials"}),
              "`none`, `texture` or `mesh`, as for `vox-convert`.")
      .column("resolution", "voxels", rows, &ConvertRow::resolution, both({"res"}),
              "Number of voxels along the longest side.");
}

Headings counted_column(const char* title) {
  return both({title, Look::count()});
}

}  // namespace

ResultTable rows_table(const ConvertBenchRun& run) {
  const std::vector<ConvertRow>& rows = run.result.rows;
  const auto phase = [](auto which) { return in_ms(member_of(&ConvertRow::phases, which)); };
  const auto ms = [](const char* title) {
    return Headings{{title, Look::fixed(1)}, {title, Look::fixed(1), "ms"}};
  };
  ResultTable table;
  add_axes(table, rows);
  add_times(table, rows);
  add_spread(table, rows, ms("ms"));
  add_optional(table, "load_ms", "ms", rows, phase(&measure::ConvertPhases::load), ms("load"),
               "Time of reading the mesh, if it is a file.")
      .column("palette_ms", "ms", rows, phase(&measure::ConvertPhases::palette), ms("palette"),
              "Time of choosing the palette and turning textures into its entries.")
      .column("voxelize_ms", "ms", rows, phase(&measure::ConvertPhases::voxelize), ms("voxelize"),
              "Part of `ms`: from triangles to leaves.")
      .column("build_ms", "ms", rows, phase(&measure::ConvertPhases::build), ms("build"),
              "Part of `ms`: from leaves to the canonical SVDAG.")
      .column("freeze_ms", "ms", rows, phase(&measure::ConvertPhases::freeze), ms("(freeze)"),
              "The last part of `build_ms`.");
  add_optional(table, "write_ms", "ms", rows, phase(&measure::ConvertPhases::write), ms("write"),
               "Time of writing the scene file, with `--write`.")
      .column("triangles", "triangles", rows, &ConvertRow::triangles, "Number of the mesh's triangles.")
      .column("voxels", "voxels", rows, &ConvertRow::voxels, counted_column("voxels"),
              "Number of filled voxels.")
      .column("svo_nodes", "nodes", rows, &ConvertRow::svo_nodes,
              "Number of the octree's nodes, leaves included.")
      .column("nodes", "nodes", rows, &ConvertRow::nodes, counted_column("nodes"),
              "Number of the SVDAG's nodes, leaves included.")
      .column("bytes", "bytes", rows, &ConvertRow::bytes, "Size of the SVDAG's nodes.")
      .column("peak_device_bytes", "bytes", rows, &ConvertRow::peak_device_bytes,
              Headings{{"MiB", Look::mib()}, {"memory", Look::mib(), "MiB"}},
              "Greatest amount of device memory in use.")
      .column("file_bytes", "bytes", rows, &ConvertRow::file_bytes,
              "Size of the scene file; 0 without `--write`.");
  return table;
}

std::string table_text(const ConvertBenchRun& run) {
  return fmt::format(
      "{}: times in ms, median of {}; ms: from triangles to the SVDAG on the host, ±: how far the others are "
      "from it;\nMiB: of the device at most\n\n{}",
      run.device_text, format_count(run.result.repetitions, "repetition"),
      text_table(rows_table(run)).text());
}

void set_results(ResultGroup& group, const ConvertBenchRun& run) {
  group.set("repetitions", run.result.repetitions, "",
            "Number of repetitions, after one that does not count.");
  set_seconds(group, run.result.seconds);
  group.put("rows", rows_table(run));
  const KernelRows<ConvertRow> kernels = kernels_by_row(run.result.rows);
  if (kernels.rows.empty()) return;
  ResultTable& table = group.table("kernels");
  add_axes(table, kernels.rows);
  add_kernel_columns(table, kernels.kernels);
}

namespace {

// The page that vox-bench convert writes with --html.

const FigureAxis kResolutions = {.column = "resolution", .title = "resolution", .scale = ChartScale::Log};
const FigureQuantity kConversionTimes = {.column = "ms",
                                         .unit = "ms",
                                         .caption =
                                             "From triangles to the SVDAG on the host; lower is faster. "
                                             "Median of the repetitions, with the fastest and the slowest.",
                                         .look = Look::fixed(2),
                                         .range = range_of_times};

// The mesh, coverage and materials of a row, by which charts group rows: "sphere, conservative, texture".
std::string series_text(const ResultRow& row) {
  return fmt::format("{}, {}, {}", row.word("mesh"), row.word("coverage"), row.word("materials"));
}

std::string resolution_text(const ResultRow& row) {
  return row.text("resolution") + "³";
}

// The times of a row's phases, in their order; a phase that is not measured has 0.
std::vector<std::pair<std::string, double>> phases_of(const ResultRow& row) {
  const auto ms = [&](const char* column) { return row.has(column) ? row.number(column) : 0; };
  return {{"load", ms("load_ms")},         {"palette", ms("palette_ms")},
          {"voxelize", ms("voxelize_ms")}, {"build", ms("build_ms") - ms("freeze_ms")},
          {"freeze", ms("freeze_ms")},     {"write", ms("write_ms")}};
}

void add_conversion_phases(HtmlPage& page, const std::string& series, const ResultRows& rows) {
  std::vector<std::string> labels;
  std::vector<BarPart> parts;
  for (const ResultRow& row : rows) {
    labels.push_back(resolution_text(row));
    const auto phases = phases_of(row);
    parts.resize(phases.size());
    for (size_t i = 0; i < phases.size(); ++i) {
      parts[i].name = phases[i].first;
      parts[i].ms.push_back(phases[i].second);
    }
  }
  std::erase_if(parts,
                [](const BarPart& part) { return std::ranges::count(part.ms, 0.0) == std::ssize(part.ms); });
  add_parts_figure(page, "Phases: " + series, "Medians; freezing is the end of building.", "resolution",
                   labels, parts, BarUnit::Percent);
}

std::vector<KernelBar> kernel_bars(const ConvertBenchRun& run, const ResultRows& rows) {
  std::vector<KernelBar> bars;
  for (const ResultRow& row : rows)
    bars.push_back({resolution_text(row), row.number("ms"), run.result.rows[row.index()].kernels});
  return bars;
}

void add_conversion_kernels(HtmlPage& page, const std::string& series, const std::vector<KernelBar>& bars,
                            const std::vector<std::string>& names) {
  std::vector<std::string> labels;
  for (const KernelBar& bar : bars) labels.push_back(bar.label);
  add_parts_figure(page, "Kernels: " + series,
                   "Of voxelizing and building, the kernels that take longest; times of kernels are those of "
                   "a repetition in which every launch was timed.",
                   "resolution", labels, kernel_parts(bars, names), BarUnit::Percent);
}

}  // namespace

HtmlPage page_of(const ConvertBenchRun& run) {
  HtmlPage page(
      "Conversions on " + run.device_text,
      fmt::format("Medians of {}. Measured in {}.", format_count(run.result.repetitions, "repetition"),
                  format_seconds(run.result.seconds)));
  const ResultTable table = rows_table(run);
  const ResultRows rows = rows_of(table);
  const std::vector<std::string> all_series = texts_of(rows, series_text);
  page.section("Times");
  add_line_figure(page, "Voxelize and build", rows, kResolutions, series_text, kConversionTimes);
  page.section("Phases");
  for (const std::string& series : all_series)
    add_conversion_phases(page, series, rows_with(rows, series_text, series));
  if (!kernels_of(run.result.rows).empty()) {
    page.section("Kernels");
    const std::vector<std::string> longest = longest_kernels(kernel_bars(run, rows));
    for (const std::string& series : all_series)
      add_conversion_kernels(page, series, kernel_bars(run, rows_with(rows, series_text, series)), longest);
  }
  page.section("All rows").table("What was measured", page_table(table));
  return page;
}

ToolDescription convert_bench_description() {
  return {
      .program = "vox-bench convert",
      .usage = "[MESH...] [options]",
      .about =
          "Measures how meshes become SVDAGs, phase by phase, over resolutions, rules of coverage and "
          "materials.\n",
      .examples =
          {"vox-bench convert                                          a sphere, with and without materials",
           "vox-bench convert house.glb --res 1K,4K,16K --html house.html",
           "vox-bench convert --materials none --against before.json   what is slower than in an earlier run",
           "vox-bench convert --coverage conservative,thin --materials none --json > before.json",
           "vox-bench convert --res 8K --write /tmp --profile          times of writing and of kernels"},
      .basics = {"res", "coverage", "materials", "triangles", "repetitions", "write", "output", "html",
                 "against", "device"},
      .more = kAboutConvert,
      .topics = {convert_axes(), convert_size(), result_topic(), device_topic(), general_topic()},
      .operands = {{.name = "meshes",
                    .argument = "MESH",
                    .repeats = Repeats::Yes,
                    .help = "Meshes of any format that vox-convert reads."}}};
}

void run_convert(const CommandLine& arguments, const ReportSink& sink) {
  const ConvertCommand command = read_convert_command(arguments);
  check_targets(command.files);
  std::unique_ptr<Engine> engine = make_engine(command.engine);
  ConvertBenchRun run = {run_on(*engine, command.command), {}};
  const std::vector<measure::ConvertSource> sources = sources_of(command, run.device);
  log_info("{}, on {}",
           sources.size() == 1 ? sources.front().name : format_count(sources.size(), "mesh file"),
           run.device_text);
  engine.reset();  // every repetition has one of its own
  run.result = measure::bench_convert(command.engine, sources, command.bench);
  report(command, run, kernels_of(run.result.rows), sink);
}

}  // namespace vox
