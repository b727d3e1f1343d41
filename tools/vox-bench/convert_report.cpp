#include "tools/vox-bench/reports.h"

#include <fmt/format.h>

#include <functional>

#include "formats/results/views.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/columns.h"

namespace vox {
namespace {

using ConvertRow = measure::ConvertBenchRow;
using measure::Timing;

std::string coverage_of(const ConvertRow& row) {
  return measure::kCoverageNames[static_cast<size_t>(row.coverage)];
}

std::string materials_of(const ConvertRow& row) {
  return measure::kMaterialModeNames[static_cast<size_t>(row.materials)];
}

// Adds the columns that say what was measured; of(row) is the row of a row.
template <class Rows, class Of>
void add_axes(ResultTable& table, const Rows& rows, const Of& of) {
  table
      .column(
          "mesh", "", rows, [&](const auto& row) { return of(row).mesh; }, both({"mesh"}))
      .about("Name of the file, or `sphere`.")
      .column(
          "coverage", "", rows, [&](const auto& row) { return coverage_of(of(row)); }, both({"coverage"}))
      .about("`conservative` or `thin`, as for `vox-convert`.")
      .column(
          "materials", "", rows, [&](const auto& row) { return materials_of(of(row)); }, both({"materials"}))
      .about("`none`, `texture` or `mesh`, as for `vox-convert`.")
      .column(
          "resolution", "voxels", rows, [&](const auto& row) { return of(row).resolution; }, both({"res"}))
      .about("Number of voxels along the longest side.");
}

Headings counted_column(const char* title) {
  return both({title, Look::count()});
}

}  // namespace

ResultTable rows_table(const ConvertBenchRun& run) {
  const std::vector<ConvertRow>& rows = run.result.rows;
  const auto phase = [](auto measure::ConvertPhases::*which) {
    return [which](const ConvertRow& row) {
      const std::optional<Timing> time = row.phases.*which;
      return time ? std::optional(time->median * 1e3) : std::nullopt;
    };
  };
  const auto ms = [](const char* title) {
    return Headings{{title, Look::fixed(1)}, {title, Look::fixed(1), "ms"}};
  };
  ResultTable table;
  add_axes(table, rows, std::identity());
  add_times(table, rows);
  table
      .column(
          for_people(), "ms", rows, [](const ConvertRow& row) { return row.time.median * 1e3; }, ms("ms"))
      .column(
          for_people(), "percent", rows, [](const ConvertRow& row) { return row.time.spread() * 100; },
          Headings{{"± %", Look::fixed(0)}, {"spread", Look::fixed(1), "%"}});
  add_optional(table, "load_ms", "ms", rows, phase(&measure::ConvertPhases::load), ms("load"))
      .about("Time of reading the mesh, if it is a file.")
      .column("palette_ms", "ms", rows, phase(&measure::ConvertPhases::palette), ms("palette"))
      .about("Time of choosing the palette and turning textures into its entries.")
      .column("voxelize_ms", "ms", rows, phase(&measure::ConvertPhases::voxelize), ms("voxelize"))
      .about("Part of `ms`: from triangles to leaves.")
      .column("build_ms", "ms", rows, phase(&measure::ConvertPhases::build), ms("build"))
      .about("Part of `ms`: from leaves to the canonical SVDAG.")
      .column("freeze_ms", "ms", rows, phase(&measure::ConvertPhases::freeze), ms("(freeze)"))
      .about("The last part of `build_ms`.");
  add_optional(table, "write_ms", "ms", rows, phase(&measure::ConvertPhases::write), ms("write"))
      .about("Time of writing the scene file, with `--write`.")
      .column("triangles", "triangles", rows, &ConvertRow::triangles)
      .about("Number of the mesh's triangles.")
      .column("voxels", "voxels", rows, &ConvertRow::voxels, counted_column("voxels"))
      .about("Number of filled voxels.")
      .column("svo_nodes", "nodes", rows, &ConvertRow::svo_nodes)
      .about("Number of the octree's nodes, leaves included.")
      .column("nodes", "nodes", rows, &ConvertRow::nodes, counted_column("nodes"))
      .about("Number of the SVDAG's nodes, leaves included.")
      .column("bytes", "bytes", rows, &ConvertRow::bytes)
      .about("Size of the SVDAG's nodes.")
      .column("peak_device_bytes", "bytes", rows, &ConvertRow::peak_device_bytes,
              Headings{{"MiB", Look::mib()}, {"memory", Look::mib(), "MiB"}})
      .about("Greatest amount of device memory in use.")
      .column("file_bytes", "bytes", rows, &ConvertRow::file_bytes)
      .about("Size of the scene file; 0 without `--write`.");
  return table;
}

std::string table_text(const ConvertBenchRun& run) {
  return fmt::format(
      "{}: times in ms, median of {}; ms: from triangles to the SVDAG on the host, ±: how far the others are "
      "from "
      "it;\nMiB: of the device at most\n\n{}",
      run.device_text, format_count(run.result.repetitions, "repetition"),
      text_table(rows_table(run)).text());
}

ResultGroup results_of(const ConvertBenchRun& run) {
  ResultGroup results;
  set_run(results, run);
  ResultGroup& group = results.group({".", "convert"});
  group.set("repetitions", run.result.repetitions)
      .about("Number of repetitions, after one that does not count.");
  set_seconds(group, run.result.seconds);
  group.put("rows", rows_table(run));
  const std::vector<KernelOfRow<ConvertRow>> kernels = kernels_by_row(run.result.rows);
  if (kernels.empty()) return results;
  ResultTable& table = group.table("kernels");
  add_axes(table, kernels,
           [](const KernelOfRow<ConvertRow>& kernel) -> const ConvertRow& { return *kernel.row; });
  add_kernel_columns(table, kernels);
  return results;
}

namespace {

// The page that vox-bench convert writes with --html.

const FigureAxis kResolutions = {.column = "resolution", .title = "resolution", .scale = ChartScale::Log};
const FigureQuantity kConversionTimes = {.column = "ms",
                                         .unit = "ms",
                                         .caption =
                                             "From triangles to the SVDAG on the host; lower is faster. "
                                             "Median of the repetitions, with the fastest and "
                                             "the slowest.",
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
  add_parts_figure(
      page, "Kernels: " + series,
      "Of voxelizing and building, the kernels that take longest; times of kernels are those of a "
      "repetition in which every launch was timed.",
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
  set_run(page, run);
  return page;
}

}  // namespace vox
