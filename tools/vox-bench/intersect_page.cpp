// The page that vox-bench intersect writes with --html.
#include <fmt/format.h>

#include <functional>

#include "formats/results/page_table.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/intersect_report.h"

namespace vox {
namespace {

using FrameRow = measure::IntersectRow;
using FrameRows = std::vector<FrameRow>;

FrameRows rows_of_table(const IntersectRun& run, const std::string& table) {
  FrameRows rows;
  for (const FrameRow& row : run.result.rows)
    if (row.table == table) rows.push_back(row);
  return rows;
}

LineChart::Series line_over_frames(const std::string& name, const FrameRows& rows,
                                   const std::function<double(const FrameRow&)>& value) {
  LineChart::Series line = {name, {}};
  for (const FrameRow& row : rows) {
    const double y = value(row);
    line.points.push_back({static_cast<double>(row.frame), y, y, y});
  }
  return line;
}

LineChart frames_chart(const std::string& title, const std::string& description, const std::string& unit) {
  return {.title = title, .description = description, .x_title = "frame", .y_title = unit};
}

void add_phases(HtmlPage& page, const std::string& table, const FrameRows& rows) {
  const std::string caption =
      "Milliseconds of each phase, frame by frame, and of all together; the table has what was found.";
  LineChart chart = frames_chart("Frames with the table " + table, caption, "ms");
  for (size_t phase = 0; phase < measure::kIntersectPhases; ++phase)
    chart.series.push_back(line_over_frames(measure::kIntersectPhaseNames[phase], rows,
                                            [=](const FrameRow& row) { return row.seconds[phase] * 1e3; }));
  chart.series.push_back(
      line_over_frames("frame", rows, [](const FrameRow& row) { return row.total_seconds() * 1e3; }));
  page.figure(chart.title, caption, draw(chart), page_table(frames_table(rows)));
}

// Adds a chart of what one table finds; the others find the same.
void add_found(HtmlPage& page, const FrameRows& rows) {
  const std::string caption =
      "Voxels that both fill, pairs of triangles with such a voxel, and those that meet.";
  LineChart chart = frames_chart("What was found", caption, "voxels, pairs (logarithmic)");
  chart.y_scale = ChartScale::Log;
  const auto add = [&](const char* name, uint64_t measure::IntersectCounts::*which) {
    chart.series.push_back(line_over_frames(
        name, rows, [=](const FrameRow& row) { return static_cast<double>(row.counts.*which); }));
  };
  add("voxels of both", &measure::IntersectCounts::common_voxels);
  add("pairs", &measure::IntersectCounts::candidates);
  add("that meet", &measure::IntersectCounts::meeting);
  HtmlTable table({{"frame", "", HtmlTable::Kind::Words}, {"voxels of both"}, {"pairs"}, {"that meet"}});
  for (const FrameRow& row : rows)
    table.row({HtmlCell(std::to_string(row.frame)), count_cell(row.counts.common_voxels),
               count_cell(row.counts.candidates), count_cell(row.counts.meeting)});
  page.figure(chart.title, caption, draw(chart), table);
}

void add_summary(HtmlPage& page, const IntersectRun& run) {
  BarChart chart = {.title = "A frame with each table",
                    .description = "For each table the median milliseconds of each phase, end to end",
                    .unit = "ms",
                    .bars = BarChart::Bars::EndToEnd};
  for (size_t phase = 0; phase < measure::kIntersectPhases; ++phase)
    chart.series.push_back({measure::kIntersectPhaseNames[phase], {}});
  for (const measure::IntersectSummary& summary : run.result.summaries) {
    if (!summary.frame) continue;
    chart.rows.push_back(summary.table);
    chart.notes.push_back(fmt::format("{:.1f} frames/s", summary.frames_per_second().value_or(0)));
    for (size_t phase = 0; phase < measure::kIntersectPhases; ++phase)
      chart.series[phase].values.push_back(summary.phases[phase].median * 1e3);
  }
  if (chart.rows.empty()) return;
  page.figure(chart.title, "Medians over all frames. " + paper_text() + ".", draw(chart),
              page_table(summaries_table(run.result)));
}

void add_errors(HtmlPage& page, const IntersectRun& run) {
  HtmlTable table({{"table", "", HtmlTable::Kind::Name}, {"why", "", HtmlTable::Kind::Words}});
  bool any = false;
  for (const measure::IntersectSummary& summary : run.result.summaries)
    if (!summary.error.empty()) {
      any = true;
      table.row({summary.table, summary.error});
    }
  if (any) page.section("What could not be measured").table("Tables without figures", table);
}

}  // namespace

HtmlPage page_of(const IntersectRun& run) {
  const measure::IntersectResult& result = run.result;
  HtmlPage page("Intersecting moving surfaces on " + run.device_text,
                fmt::format("{} ({}) and {} ({}) at {}³, {}. Measured in {}.", run.first,
                            format_count(result.first_triangles, "triangle"), run.second,
                            format_count(result.second_triangles, "triangle"), run.options.resolution,
                            format_count(run.options.frames, "frame"), format_seconds(result.seconds)));
  page.section("Time");
  add_summary(page, run);
  for (const measure::IntersectSummary& summary : result.summaries)
    if (summary.frame) add_phases(page, summary.table, rows_of_table(run, summary.table));
  if (!result.rows.empty()) {
    page.section("Voxels and pairs");
    add_found(page, rows_of_table(run, result.rows.front().table));
  }
  add_errors(page, run);
  set_run(page, run);
  return page;
}

}  // namespace vox
