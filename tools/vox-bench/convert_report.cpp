#include "tools/vox-bench/reports.h"

#include <fmt/format.h>

#include <functional>

#include "formats/results/tables.h"
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
      .column(
          "coverage", "", rows, [&](const auto& row) { return coverage_of(of(row)); }, both({"coverage"}))
      .column(
          "materials", "", rows, [&](const auto& row) { return materials_of(of(row)); }, both({"materials"}))
      .column(
          "resolution", "voxels", rows, [&](const auto& row) { return of(row).resolution; }, both({"res"}));
}

Headings counted_column(const char* title) {
  return both({title, Look::count()});
}

}  // namespace

std::string series_text(const ConvertRow& row) {
  return fmt::format("{}, {}, {}", row.mesh, coverage_of(row), materials_of(row));
}

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
      .column("palette_ms", "ms", rows, phase(&measure::ConvertPhases::palette), ms("palette"))
      .column("voxelize_ms", "ms", rows, phase(&measure::ConvertPhases::voxelize), ms("voxelize"))
      .column("build_ms", "ms", rows, phase(&measure::ConvertPhases::build), ms("build"))
      .column("freeze_ms", "ms", rows, phase(&measure::ConvertPhases::freeze), ms("(freeze)"));
  add_optional(table, "write_ms", "ms", rows, phase(&measure::ConvertPhases::write), ms("write"))
      .column("triangles", "triangles", rows, &ConvertRow::triangles)
      .column("voxels", "voxels", rows, &ConvertRow::voxels, counted_column("voxels"))
      .column("svo_nodes", "nodes", rows, &ConvertRow::svo_nodes)
      .column("nodes", "nodes", rows, &ConvertRow::nodes, counted_column("nodes"))
      .column("bytes", "bytes", rows, &ConvertRow::bytes)
      .column("peak_device_bytes", "bytes", rows, &ConvertRow::peak_device_bytes,
              Headings{{"MiB", Look::mib()}, {"memory", Look::mib(), "MiB"}})
      .column("file_bytes", "bytes", rows, &ConvertRow::file_bytes);
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
  group.set("repetitions", run.result.repetitions).set("seconds", run.result.seconds, "s");
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

using ConvertRows = RowPointers<ConvertRow>;

std::string resolution_text(double value) {
  return fmt::format("{}", value);
}

void add_conversion_times(HtmlPage& page, const ConvertRows& rows) {
  const FigureAxis<ConvertRow> axis = {"resolution", ChartScale::Log,
                                       [](const ConvertRow& row) { return row.resolution; }, resolution_text,
                                       [](const ConvertRow&) { return std::string(); }};
  const FigureQuantity<ConvertRow> quantity = {
      "ms",
      "From triangles to the SVDAG on the host; lower is faster. Median of the repetitions, with the fastest "
      "and the "
      "slowest.",
      [](const ConvertRow& row) {
        return LineChart::Point{0, row.time.median * 1e3, row.time.min * 1e3, row.time.max * 1e3};
      },
      [](const ConvertRow& row) {
        HtmlCell cell = number_cell(row.time.median * 1e3, 2);
        cell.note = fmt::format("{:.2f} to {:.2f}", row.time.min * 1e3, row.time.max * 1e3);
        return cell;
      }};
  page.section("Times");
  add_line_figure(page, "Voxelize and build", rows, axis, series_text, quantity);
}

// The times of a row's phases, in their order; a phase that is not measured has 0.
std::vector<std::pair<std::string, double>> phases_of(const ConvertRow& row) {
  const measure::ConvertPhases& phases = row.phases;
  const auto seconds = [](const std::optional<measure::Timing>& time) { return time ? time->median : 0; };
  return {{"load", seconds(phases.load)},       {"palette", phases.palette.median},
          {"voxelize", phases.voxelize.median}, {"build", phases.build.median - phases.freeze.median},
          {"freeze", phases.freeze.median},     {"write", seconds(phases.write)}};
}

void add_conversion_phases(HtmlPage& page, const std::string& series, const ConvertRows& rows) {
  std::vector<std::string> labels;
  std::vector<BarPart> parts;
  for (const ConvertRow* row : rows) {
    labels.push_back(fmt::format("{}³", row->resolution));
    const auto phases = phases_of(*row);
    parts.resize(phases.size());
    for (size_t i = 0; i < phases.size(); ++i) {
      parts[i].name = phases[i].first;
      parts[i].ms.push_back(phases[i].second * 1e3);
    }
  }
  std::erase_if(parts,
                [](const BarPart& part) { return std::ranges::count(part.ms, 0.0) == std::ssize(part.ms); });
  add_parts_figure(page, "Phases: " + series, "Medians; freezing is the end of building.", "resolution",
                   labels, parts, BarUnit::Percent);
}

KernelBar kernel_bar(const ConvertRow& row) {
  return {fmt::format("{}³", row.resolution), row.time.median * 1e3, row.kernels};
}

void add_conversion_kernels(HtmlPage& page, const std::string& series, const ConvertRows& rows,
                            const std::vector<std::string>& names) {
  std::vector<std::string> labels;
  std::vector<KernelBar> bars;
  for (const ConvertRow* row : rows) {
    bars.push_back(kernel_bar(*row));
    labels.push_back(bars.back().label);
  }
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
  ConvertRows rows;
  for (const ConvertRow& row : run.result.rows) rows.push_back(&row);
  add_conversion_times(page, rows);
  const std::vector<std::string> all_series = texts_of(rows, series_text);
  page.section("Phases");
  for (const std::string& series : all_series)
    add_conversion_phases(page, series, rows_with(rows, series_text, series));
  if (!kernels_of(run.result.rows).empty()) {
    page.section("Kernels");
    std::vector<KernelBar> bars;
    for (const ConvertRow& row : run.result.rows) bars.push_back(kernel_bar(row));
    for (const std::string& series : all_series)
      add_conversion_kernels(page, series, rows_with(rows, series_text, series), longest_kernels(bars));
  }
  page.section("All rows").table("What was measured", page_table(rows_table(run)));
  set_run(page, run);
  return page;
}

}  // namespace vox
