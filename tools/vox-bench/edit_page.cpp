// The page that vox-bench edit writes with --html.
#include <fmt/format.h>

#include <algorithm>

#include "formats/results/page_table.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/edit_report.h"
#include "tools/vox-bench/kernel_report.h"

namespace vox {
namespace {

using EditRow = measure::EditBenchRow;
using measure::EditOrder;
using measure::EditSeriesKind;

// Rows that stand in one chart.
struct EditChart {
  EditSeriesKind kind;
  EditOrder order;
  std::vector<EditRow> rows;
};

std::vector<EditChart> charts_of(const std::vector<EditRow>& rows) {
  std::vector<EditChart> charts;
  for (const EditRow& row : rows) {
    if (charts.empty() || charts.back().kind != row.kind || charts.back().order != row.order)
      charts.push_back({row.kind, row.order, {}});
    charts.back().rows.push_back(row);
  }
  return charts;
}

std::string title_of(const EditChart& chart) {
  const char* orders[] = {"each on the scene as it was read", "each after a garbage collection",
                          "one after the other"};
  const std::string order = orders[static_cast<size_t>(chart.order)];
  switch (chart.kind) {
    case EditSeriesKind::Spheres:
      return "Spheres, " + order;
    case EditSeriesKind::Copies:
      return "Copies, " + order;
    case EditSeriesKind::Small:
      return "Small spheres, in batches";
    case EditSeriesKind::Collect:
      return chart.order == EditOrder::Fresh ? "Garbage collection, nothing to collect"
                                             : "Garbage collection, after spheres that were undone";
  }
  return "";
}

std::string label_of(const EditRow& row) {
  if (row.collected) return "gc";
  if (row.kind == EditSeriesKind::Small) return fmt::format("batch {}", row.edited->batch);
  return std::to_string(row.edited->size);
}

std::string head_of(EditSeriesKind kind) {
  switch (kind) {
    case EditSeriesKind::Spheres:
      return "radius";
    case EditSeriesKind::Copies:
      return "side";
    case EditSeriesKind::Small:
      return "batch";
    case EditSeriesKind::Collect:
      return "what";
  }
  return "";
}

// The ways of edits, or the halves of collections, and what is left of the time.
std::vector<BarPart> edit_phases_of(const std::vector<EditRow>& rows) {
  const bool edits = rows.front().edited.has_value();
  std::vector<BarPart> parts = {
      {edits ? "down" : "mark", {}}, {edits ? "up" : "sweep", {}}, {"the rest", {}}};
  for (const EditRow& row : rows) {
    const double first = edits ? row.edited->down.median : row.collected->mark.median;
    const double second = edits ? row.edited->up.median : row.collected->sweep.median;
    parts[0].ms.push_back(first * 1e3);
    parts[1].ms.push_back(second * 1e3);
    parts[2].ms.push_back(std::max(row.time.median - first - second, 0.0) * 1e3);
  }
  return parts;
}

// The kernels of one edit of the row.
KernelBar bar_of(const EditRow& row) {
  KernelBar bar = {label_of(row), row.time.median * 1e3, row.kernels};
  for (device::KernelTime& kernel : bar.kernels) kernel.seconds /= static_cast<double>(row.edits);
  return bar;
}

void add_edit_chart(HtmlPage& page, const EditChart& chart, const std::vector<std::string>& names) {
  std::vector<std::string> labels;
  std::vector<KernelBar> bars;
  bool profiled = false;
  for (const EditRow& row : chart.rows) {
    labels.push_back(label_of(row));
    bars.push_back(bar_of(row));
    profiled |= !row.kernels.empty();
  }
  const std::string title = title_of(chart), head = head_of(chart.kind);
  page.section(title);
  add_parts_figure(page, title, "Milliseconds of one edit, medians; shorter is faster.", head, labels,
                   edit_phases_of(chart.rows), BarUnit::Milliseconds);
  if (profiled)
    add_parts_figure(
        page, title + ", by kernel",
        "The same, the kernels that take longest; times of kernels are those of a repetition in which "
        "every launch was timed.",
        head, labels, kernel_parts(bars, names), BarUnit::Milliseconds);
  page.table(title + ": what was done", page_table(edit_rows_table(chart.rows)));
}

}  // namespace

HtmlPage page_of(const EditBenchRun& run) {
  HtmlPage page("Edits of " + run.source,
                fmt::format("{}, on {}. Measured in {}.", edited_scene_text(run.result), run.device_text,
                            format_seconds(run.result.seconds)));
  std::vector<KernelBar> edits, collections;
  for (const EditRow& row : run.result.rows) (row.edited ? edits : collections).push_back(bar_of(row));
  for (const EditChart& chart : charts_of(run.result.rows))
    add_edit_chart(page, chart, longest_kernels(chart.kind == EditSeriesKind::Collect ? collections : edits));
  set_run(page, run);
  return page;
}

}  // namespace vox
