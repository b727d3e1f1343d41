// The charts of vox-edit over the passes of a run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formats/results/page_table.h"
#include "libvox/base/units.h"
#include "tools/vox-edit/edit_log.h"

namespace vox {
namespace {

constexpr size_t kMostBars = 24;     // more passes are drawn as lines
constexpr size_t kMostPoints = 200;  // of more passes, several are drawn as one point

size_t passes_a_point(size_t passes) {
  return (passes + kMostPoints - 1) / kMostPoints;
}

// Points with the median, the least and the most of successive passes: of all passes, or of those of one
// tool.
template <class Value>
LineChart::Series series(const std::string& name, const std::deque<edit::PassRecord>& passes,
                         const Value& value, const std::string& tool = "") {
  LineChart::Series line = {name, {}};
  const size_t step = passes_a_point(passes.size());
  for (size_t begin = 0; begin < passes.size(); begin += step) {
    const size_t end = std::min(begin + step, passes.size());
    std::vector<double> values;
    for (size_t i = begin; i < end; ++i)
      if (tool.empty() || passes[i].tool == tool) values.push_back(static_cast<double>(value(passes[i])));
    if (values.empty()) continue;
    std::ranges::sort(values);
    line.points.push_back(
        {static_cast<double>(begin + 1 + end) / 2, values[values.size() / 2], values.front(), values.back()});
  }
  return line;
}

// The scale is logarithmic where a linear one would show only the largest values.
ChartScale scale_of(const std::vector<LineChart::Series>& lines) {
  constexpr double kMostLinear = 30;
  double low = HUGE_VAL, high = 0;
  for (const LineChart::Series& line : lines)
    for (const LineChart::Point& point : line.points) {
      if (point.y > 0) low = std::min(low, point.y);
      high = std::max(high, point.y);
    }
  return high > kMostLinear * low ? ChartScale::Log : ChartScale::Linear;
}

Chart lines_of(const std::string& title, const std::string& unit, std::vector<LineChart::Series> lines) {
  LineChart chart = {.title = title,
                     .description = "One pass after the other, in " + unit,
                     .x_title = "pass",
                     .y_title = unit,
                     .series = std::move(lines)};
  chart.y_scale = scale_of(chart.series);
  if (chart.y_scale == ChartScale::Log) chart.y_title += " (logarithmic)";
  return draw(chart);
}

// A bar for each pass, with its number and tool: "3 sphere add". `lines` have a point for each pass.
Chart bars_of(const std::string& title, const std::string& unit, const std::deque<edit::PassRecord>& passes,
              const std::vector<LineChart::Series>& lines) {
  BarChart chart = {.title = title,
                    .description = "A bar for each pass, in " + unit,
                    .unit = unit,
                    .scale = scale_of(lines)};
  if (chart.scale == ChartScale::Log) chart.unit += " (logarithmic)";
  for (const edit::PassRecord& pass : passes)
    chart.rows.push_back(fmt::format("{} {}", chart.rows.size() + 1, pass.tool));
  for (const LineChart::Series& line : lines) {
    chart.series.push_back({line.name, {}});
    for (const LineChart::Point& point : line.points) chart.series.back().values.push_back(point.y);
  }
  return draw(chart);
}

// "By kind of edit at the right", and what a point is where it is several passes.
std::string caption(const std::string& what, size_t passes) {
  const size_t step = passes_a_point(passes);
  if (step <= 1) return what;
  return fmt::format(
      "{} Each point is the median of {} passes, the area reaches from the least to the most, at most to the "
      "chart's edge.",
      what, step);
}

}  // namespace

void EditLog::show(HtmlPage& page) const {
  page.section("Passes");
  if (passes_.empty()) {
    page.paragraph("The script has no edits.");
    return;
  }
  using Pass = edit::PassRecord;
  const size_t count = passes_.size();
  const auto chart_of = [&](const std::string& title, const std::string& unit,
                            std::vector<LineChart::Series> lines) {
    return count <= kMostBars ? bars_of(title, unit, passes_, lines)
                              : lines_of(title, unit, std::move(lines));
  };
  const auto table_of_tools = [&](ToolColumns columns) {
    return tools_.size() > 1 ? page_table(tools_table(columns), "all", total_table(columns))
                             : page_table(tools_table(columns));
  };
  const auto milliseconds = [](const Pass& p) { return p.seconds * 1e3; };
  std::vector<LineChart::Series> times;
  if (count <= kMostBars || tools_.size() > kSeriesColors)
    times.push_back(series("time", passes_, milliseconds));
  else
    for (const auto& [name, tool] : tools_) times.push_back(series(name, passes_, milliseconds, name));
  page.figure("Time of a pass", caption("Wall time in the order of the script; less is faster.", count),
              chart_of("Time of a pass", "ms", std::move(times)), table_of_tools(ToolColumns::Times));
  std::vector<LineChart::Series> nodes = {
      series("made", passes_, [](const Pass& p) { return p.work.nodes.made + p.work.leaves.made; }),
      series("new", passes_, [](const Pass& p) { return p.work.nodes.inserted + p.work.leaves.inserted; })};
  page.figure(
      "Nodes of a pass",
      caption("Made in the temporary octree, leaves included, and those of them that the store did not have.",
              count),
      chart_of("Nodes of a pass", "nodes", std::move(nodes)), table_of_tools(ToolColumns::Nodes));
  if (garbage_.collections > 0) page.paragraph(garbage_text());
}

}  // namespace vox
