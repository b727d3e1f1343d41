// The page that vox-bench convert writes with --html.
#include <fmt/format.h>

#include "formats/results/page_table.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/convert_report.h"
#include "tools/vox-bench/kernel_report.h"
#include "tools/vox-bench/line_figure.h"

namespace vox {
namespace {

using ConvertRow = measure::ConvertBenchRow;
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
