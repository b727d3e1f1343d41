// The command vox-bench compression, and its results.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/io/compression.h"
#include "formats/results/views.h"
#include "libvox/base/log.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/dag/derived.h"
#include "libvox/engine/engine.h"
#include "libvox/scene/procedural/procedural.h"
#include "libvox/voxelize/grid.h"
#include "tools/common/command_line.h"
#include "tools/vox-bench/command_line.h"
#include "tools/vox-bench/reports.h"
#include "tools/vox-bench/results.h"

namespace vox {
namespace {

struct CompressionCommand : BenchCommand {
  std::optional<std::filesystem::path> input;  // a scene file or a mesh; without one, the village
  std::vector<uint32_t> resolutions;           // the device's defaults if empty
};

const std::vector<uint32_t> kGpuResolutions = {1024, 2048, 4096, 8192, 16384, 32768, 65536},
                            kCpuResolutions = {512, 1024, 2048, 4096};

constexpr const char* kAboutCompression =
    R"(The geometry of a scene, without materials, is counted at each resolution in every form of an octree or a DAG
that 'vox-stats --only compression' shows; docs/compression.md says what is counted. Most papers show the number of
bits for each filled voxel over the resolution.

FILE is a mesh, which is voxelized, or a scene file, whose coarser levels are counted; without it, the village of
vox-scene is counted.
)";

OptionTopic compression_axes() {
  return {
      .name = "axes",
      .title = "what is measured",
      .options = {
          {.name = "res",
           .argument = "N,...",
           .usual = on_each(joined(kGpuResolutions), joined(kCpuResolutions)),
           .range = OptionRange{voxelize::kMinResolution, voxelize::kMaxResolution},
           .setting = "resolution",
           .help =
               "Numbers of voxels along the longest side of a mesh; for a scene file, its coarser levels."}}};
}

using Row = CompressionRow;

std::string form_of(const ResultRow& row) {
  return row.word("form");
}

// The charts that show a form: a chart has as many lines as there are colors.
std::string kind_of(const ResultRow& row) {
  const std::string form = form_of(row);
  if (form.starts_with("octree")) return "Octrees";
  return form.starts_with("stream") || form.starts_with("entropy") ? "Streams and bounds" : "DAGs";
}

CompressionResult counted(Engine& engine, const CompressionCommand& command) {
  CompressionResult result;
  const Stopwatch watch;
  std::vector<uint32_t> resolutions = command.resolutions;
  if (resolutions.empty()) resolutions = engine.device() == "cpu" ? kCpuResolutions : kGpuResolutions;
  const measure::CompressedSize zstd = zstd_size_or_none();
  Progress progress("counting", resolutions.size());
  for (size_t i = 0; i < resolutions.size(); ++i) {
    const dag::VoxelScene scene =
        read_scene_input(engine, {.file = command.input,
                                  .resolution = resolutions[i],
                                  .default_resolution = resolutions[i],
                                  .generate = [] { return scene::make_village({}); },
                                  .generated = "the village of vox-scene",
                                  .engine = command.engine})
            .scene;
    result.source = scene.source;
    const Stopwatch counting;
    dag::FrozenDag geometry;
    if (scene.dag.materials) geometry = dag::without_materials(scene.dag);
    const measure::CompressionStats stats =
        measure::measure_compression(engine, scene.dag.materials ? geometry : scene.dag, deflated_size, zstd);
    if (!stats.is_complete)
      throw Error("out of memory").hint("allow more memory or lower the resolution").about("memory_limit");
    const double seconds = counting.seconds();
    // All resolutions of a form stand together, as lines of tables and charts want them.
    const size_t each = i + 1;
    for (size_t form = 0; form < stats.forms.size(); ++form)
      result.rows.insert(result.rows.begin() + static_cast<ptrdiff_t>(form * each + i),
                         {scene.dag.resolution, stats.voxels, stats.forms[form], seconds});
    progress.update(i + 1, fmt::format("{}³", scene.dag.resolution));
  }
  result.seconds = watch.seconds();
  return result;
}

CompressionCommand read_compression_command(const CommandLine& arguments) {
  return read_command_for_one(arguments, [](const CommandLine& given) {
    CompressionCommand command;
    command.input = given.given("file");
    if (given.has("res")) command.resolutions = given.axis("res");
    return command;
  });
}

}  // namespace

ResultTable rows_table(const CompressionRun& run) {
  const std::vector<Row>& rows = run.result.rows;
  const auto size = [](auto value) {
    return member_of(member_of(&Row::form, &measure::CompressionForm::size), value);
  };
  ResultTable table;
  table.column("resolution", "voxels", rows, &Row::resolution, "Number of voxels along the longest side.")
      .column("form", "", rows, size(&measure::SceneSize::name), "Name of a form of the geometry.")
      .column("voxels", "voxels", rows, &Row::voxels, "Number of filled voxels.")
      .column("nodes", "nodes", rows, member_of(&Row::form, &measure::CompressionForm::nodes),
              "Number of nodes and leaves that the form stores.")
      .column("bytes", "bytes", rows, size(&measure::SceneSize::bytes), "Size of the geometry in this form.")
      .column(
          "bits_per_voxel", "bits per filled voxel", rows,
          [](const Row& row) { return measure::bits_per_voxel(row.form.size, row.voxels); },
          "The same for each filled voxel.")
      .column("ms", "ms", rows, in_ms(&Row::seconds), "Time of counting all forms at this resolution.");
  return table;
}

std::string table_text(const CompressionRun& run) {
  const ResultTable table = rows_table(run);
  const ResultRows rows = rows_of(table);
  std::string text = fmt::format("{}, without materials, on {}\n", run.result.source, run.device_text);
  const auto add = [&](const std::string& title, const char* column, Look look) {
    const auto parts = [&](const ResultRow& row) {
      return std::vector<LinePart>{{0, "form", row.word("form")},
                                   {1, row.text("resolution") + "³", row.text(column, look)}};
    };
    text += fmt::format("\n{}\n{}", title, line_table(rows, {.line = form_of, .parts = parts}).text());
  };
  add("Bits for each filled voxel", "bits_per_voxel", Look::fixed(3));
  add("MiB", "bytes", Look::mib());
  add("Nodes and leaves", "nodes", Look::count());
  return text;
}

void set_results(ResultGroup& group, const CompressionRun& run) {
  group.set("source", run.result.source, "The file that was read, or the village.");
  set_seconds(group, run.result.seconds);
  group.put("rows", rows_table(run));
}

HtmlPage page_of(const CompressionRun& run) {
  HtmlPage page("Compression: " + run.result.source,
                fmt::format("Geometry without materials, on {}. Counted in {}.", run.device_text,
                            format_seconds(run.result.seconds)));
  const ResultTable table = rows_table(run);
  const ResultRows rows = rows_of(table);
  const FigureAxis axis = {.column = "resolution", .title = "resolution", .scale = ChartScale::Log};
  for (const std::string& kind : texts_of(rows, kind_of)) {
    const ResultRows of_kind = rows_with(rows, kind_of, kind);
    page.section(kind);
    add_line_figure(
        page, kind + ": bits for each filled voxel", of_kind, axis, form_of,
        {.column = "bits_per_voxel", .unit = "bits", .caption = "Lower is smaller.", .look = Look::fixed(3)});
    add_line_figure(
        page, kind + ": nodes and leaves", of_kind, axis, form_of,
        {.column = "nodes", .unit = "nodes", .caption = "Lower is smaller.", .look = Look::count()});
  }
  return page;
}

ToolDescription compression_bench_description() {
  return {
      .program = "vox-bench compression",
      .usage = "[FILE] [options]",
      .about =
          "Counts how small a scene's geometry is in every form of an octree or a DAG, over resolutions.\n",
      .examples = {"vox-bench compression                                  the village",
                   "vox-bench compression bunny.ply --res 1K,4K,16K,64K    a mesh",
                   "vox-bench compression city.h5 --res 16K,64K --html city.html"},
      .basics = {"res", "output", "csv", "html", "against", "json", "device"},
      .more = kAboutCompression,
      .topics = {compression_axes(), result_topic(), device_topic(), general_topic()},
      .operands = {{.name = "file", .argument = "FILE", .help = "A mesh or a scene file."}}};
}

void run_compression(const CommandLine& arguments, const ReportSink& sink) {
  const CompressionCommand command = read_compression_command(arguments);
  check_targets(command.files);
  const std::unique_ptr<Engine> engine = make_engine(command.engine);
  CompressionRun run = {run_on(*engine, command.command), {}};
  run.result = counted(*engine, command);
  report(command, run, engine->profile(), sink);
}

}  // namespace vox
