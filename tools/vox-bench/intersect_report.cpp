#include "tools/vox-bench/reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "formats/results/views.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/results.h"

namespace vox {
namespace {

using FrameRow = measure::IntersectRow;
using FrameSummary = measure::IntersectSummary;

// The number of frames of each table that a screen shows.
constexpr size_t kShownFrames = 12;

Headings milliseconds(const std::string& title) {
  return {.screen = {title, Look::fixed(3)}, .page = {title, Look::fixed(3), "ms"}};
}

// Some frames of the first table, evenly among all.
std::vector<FrameRow> shown_frames(const IntersectRun& run) {
  std::vector<FrameRow> shown;
  const size_t frames = std::min<size_t>(run.result.rows.size(), run.options.frames);
  const size_t step = (frames + kShownFrames - 1) / kShownFrames;
  for (size_t i = 0; i < frames; i += step) shown.push_back(run.result.rows[i]);
  return shown;
}

// The heading of a column that only frames with or without a Boolean combination have.
Headings shown_if(bool shown, Headings headings) {
  return shown ? std::move(headings) : Headings();
}

std::string combination_name(const std::optional<voxelize::Combination>& combination) {
  return combination ? voxelize::kCombinationNames[static_cast<size_t>(*combination)] : "none";
}

// The phases of frames.
std::vector<size_t> phases_of(bool combines) {
  std::vector<size_t> phases;
  for (size_t phase = 0; phase < measure::kIntersectPhases; ++phase)
    if (has_phase(static_cast<measure::IntersectPhase>(phase), combines)) phases.push_back(phase);
  return phases;
}

ResultTable summaries_table(const measure::IntersectResult& result) {
  const std::vector<FrameSummary>& rows = result.summaries;
  const bool combines = !rows.empty() && rows.front().combines;
  ResultTable table;
  table.column("table", "", rows, &FrameSummary::table, both({"table"}), "Name of the table of voxel keys.");
  for (size_t phase = 0; phase < measure::kIntersectPhases; ++phase) {
    const std::string name = measure::kIntersectPhaseNames[phase];
    const bool has = has_phase(static_cast<measure::IntersectPhase>(phase), combines);
    table.column(
        "ms_" + name, "ms", rows,
        [&](const FrameSummary& row) {
          return has && row.frame ? std::optional(row.phases[phase].median * 1e3) : std::nullopt;
        },
        shown_if(has, milliseconds(name)),
        "Median time of this phase, if frames have it and the table could be measured.");
  }
  const auto frame = [](double measure::Timing::*which) {
    return [=](const FrameSummary& row) {
      return row.frame ? std::optional((*row.frame).*which * 1e3) : std::nullopt;
    };
  };
  table
      .column("ms", "ms", rows, frame(&measure::Timing::median), milliseconds("frame"),
              "Median time of a frame, if the table could be measured.")
      .column("ms_min", "ms", rows, frame(&measure::Timing::min), milliseconds("fastest"),
              "Time of the fastest frame.")
      .column("ms_max", "ms", rows, frame(&measure::Timing::max), milliseconds("slowest"),
              "Time of the slowest frame.")
      .column("frames_per_second", "1/s", rows, &FrameSummary::frames_per_second,
              both({"frames a second", Look::fixed(1)}), "Frames per second, by the median.")
      .column("bytes", "bytes", rows, &FrameSummary::bytes,
              {.screen = {"MiB", Look::mib()}, .page = {"tables", Look::mib(), "MiB"}},
              "Greatest size of all tables of a frame.")
      .column("error", "", rows, &FrameSummary::error, "The reason if there are no times; otherwise empty.");
  return table;
}

ResultTable frames_table(const std::vector<FrameRow>& rows) {
  using Counts = measure::IntersectCounts;
  const bool combines = !rows.empty() && rows.front().combines;
  ResultTable table;
  const auto count = [&](const char* name, const char* unit, const char* title, uint64_t Counts::*which,
                         const char* sentence) {
    table.column(
        name, unit, rows, [=](const FrameRow& row) { return row.counts.*which; },
        both({title, Look::count()}), sentence);
  };
  // A count that only frames with or without a combination have.
  const auto count_if = [&](bool has, const char* name, const char* unit, const char* title, auto count_of,
                            const char* sentence) {
    table.column(
        name, unit, rows,
        [=](const FrameRow& row) {
          return has ? std::optional<uint64_t>(count_of(row.counts)) : std::nullopt;
        },
        shown_if(has, both({title, Look::count()})), sentence);
  };
  table.column("table", "", rows, &FrameRow::table, "Name of the table of voxel keys.")
      .column("frame", "", rows, &FrameRow::frame, both({"frame"}), "Number of the frame.")
      .column("turn", "turns", rows, &FrameRow::turn, both({"turn", Look::fixed(0, 360), "°"}),
              "Rotation of the second mesh.")
      .column("shift", "voxels", rows, &FrameRow::shift, both({"shift", Look::fixed(1)}),
              "Distance of the second mesh from the middle, along x.");
  count("first_voxels", "voxels", "voxels of A", &Counts::first_voxels,
        "Number of voxels that the first mesh fills.");
  count("second_voxels", "voxels", "of B", &Counts::second_voxels,
        "Number of voxels that the second mesh fills.");
  count("common_voxels", "voxels", "of both", &Counts::common_voxels,
        "Number of voxels that both meshes fill.");
  count_if(
      !combines, "candidates", "pairs", "pairs", [](const Counts& counts) { return counts.candidates; },
      "Without `--boolean`: number of pairs of triangles, one of each mesh, that have a voxel in common.");
  count_if(
      !combines, "meeting", "pairs", "that meet", [](const Counts& counts) { return counts.meeting; },
      "Number of these pairs that have a point in common.");
  count_if(
      combines, "first_inside", "voxels", "A in B",
      [](const Counts& counts) { return counts.first_sides.inside; },
      "With `--boolean`: number of voxels of the first mesh inside the second.");
  count_if(
      combines, "second_inside", "voxels", "B in A",
      [](const Counts& counts) { return counts.second_sides.inside; },
      "Number of voxels of the second mesh inside the first.");
  count_if(
      combines, "kept_voxels", "voxels", "kept", [](const Counts& counts) { return counts.kept_voxels; },
      "Number of voxels of both meshes that the combination keeps; those that both fill count twice.");
  count_if(
      combines, "parts", "parts", "parts",
      [](const Counts& counts) { return counts.first_sides.parts + counts.second_sides.parts; },
      "Number of connected parts of both meshes without the voxels that both fill.");
  count_if(
      combines, "divided_parts", "parts", "divided",
      [](const Counts& counts) {
        return counts.first_sides.divided_parts + counts.second_sides.divided_parts;
      },
      "Number of parts with voxels on both sides, because they lead through a hole of the other mesh.");
  count_if(
      combines, "parts_by_rays", "parts", "by rays",
      [](const Counts& counts) {
        return counts.first_sides.parts_by_rays + counts.second_sides.parts_by_rays;
      },
      "Number of parts whose side rays have decided.");
  count_if(
      combines, "votes", "votes", "votes",
      [](const Counts& counts) { return counts.first_sides.votes + counts.second_sides.votes; },
      "Number of votes of normals on the sides of parts.");
  count_if(
      combines, "overruled", "votes", "overruled",
      [](const Counts& counts) { return counts.first_sides.overruled + counts.second_sides.overruled; },
      "Number of votes that the majority overrules.");
  for (size_t phase = 0; phase < measure::kIntersectPhases; ++phase) {
    const std::string name = measure::kIntersectPhaseNames[phase];
    const bool has = has_phase(static_cast<measure::IntersectPhase>(phase), combines);
    table.column(
        "ms_" + name, "ms", rows,
        [&](const FrameRow& row) { return has ? std::optional(row.seconds[phase] * 1e3) : std::nullopt; },
        shown_if(has, milliseconds(name)), "Time of this phase, if frames have it.");
  }
  table.column("ms", "ms", rows, in_ms(&FrameRow::total_seconds), milliseconds("frame"),
               "Time of the whole frame.");
  return table;
}

std::string paper_text() {
  return fmt::format(
      "Alcantara et al. 2009 have {:.0f} frames a second at 128³, of two clouds of about 160,000 points on a "
      "GeForce GTX 280, drawing included; the intersection and its flood fill took 15 to 19 ms of a frame",
      measure::IntersectOptions::kPaperFramesPerSecond);
}

}  // namespace

ResultTable rows_table(const IntersectRun& run) {
  return frames_table(run.result.rows);
}

void set_results(ResultGroup& group, const IntersectRun& run) {
  group.set("first", run.first, "Name of the first mesh.")
      .set("second", run.second, "Name of the second mesh.")
      .set("first_triangles", run.result.first_triangles, "triangles",
           "Number of triangles of the first mesh.")
      .set("second_triangles", run.result.second_triangles, "triangles",
           "Number of triangles of the second mesh.")
      .set("resolution", run.options.resolution, "voxels", "Number of voxels along a side of the grid.")
      .set("frames", run.options.frames, "", "Number of frames.")
      .set("boolean", combination_name(run.options.combination),
           "Name of the Boolean combination, or `none`.")
      .set("paper_frames_per_second", measure::IntersectOptions::kPaperFramesPerSecond, "1/s",
           "Frames per second in Alcantara et al. 2009, at 128³.")
      .set("seconds", run.result.seconds, "s", "Time of the whole benchmark.");
  group.put("tables", summaries_table(run.result));
  group.put("rows", rows_table(run));
}

std::string table_text(const IntersectRun& run) {
  const measure::IntersectResult& result = run.result;
  const ResultTable summaries = summaries_table(result);
  std::string text = fmt::format("{}\n\n{} ({}) and {} ({}) at {}³, {}, medians in ms\n{}", run.device_text,
                                 run.first, format_count(result.first_triangles, "triangle"), run.second,
                                 format_count(result.second_triangles, "triangle"), run.options.resolution,
                                 format_count(run.options.frames, "frame"), text_table(summaries).text());
  for (const ResultRow& row : rows_with_errors(rows_of(summaries)))
    text += fmt::format("  {}: {}\n", row.word("table"), row.word("error"));
  text += fmt::format("({})\n", paper_text());
  if (result.rows.empty()) return text;
  const std::vector<FrameRow> shown = shown_frames(run);
  return text + fmt::format("\n{} of the frames, with {}, times in ms\n{}", shown.size(), shown.front().table,
                            text_table(frames_table(shown)).text());
}

namespace {

// The page that vox-bench intersect writes with --html.

// Adds a line for each of these columns over the frames.
void add_lines(LineChart& chart, const ResultRows& rows,
               const std::vector<std::pair<std::string, std::string>>& names_and_columns) {
  for (const auto& [name, column] : names_and_columns) {
    LineChart::Series& line = chart.series.emplace_back(LineChart::Series{name, {}});
    for (const ResultRow& row : rows) {
      const double y = row.number(column);
      line.points.push_back({row.number("frame"), y, y, y});
    }
  }
}

LineChart frames_chart(const std::string& title, const std::string& description, const std::string& unit) {
  return {.title = title, .description = description, .x_title = "frame", .y_title = unit};
}

// The names of the phases and their columns.
std::vector<std::pair<std::string, std::string>> phase_columns(bool combines) {
  std::vector<std::pair<std::string, std::string>> columns;
  for (const size_t phase : phases_of(combines)) {
    const std::string name = measure::kIntersectPhaseNames[phase];
    columns.emplace_back(name, "ms_" + name);
  }
  return columns;
}

void add_phases(HtmlPage& page, const std::string& name, const ResultTable& table, bool combines) {
  const std::string caption =
      "Milliseconds of each phase, frame by frame, and of all together; the table has what was found.";
  LineChart chart = frames_chart("Frames with the table " + name, caption, "ms");
  add_lines(chart, rows_of(table), phase_columns(combines));
  add_lines(chart, rows_of(table), {{"frame", "ms"}});
  page.figure(chart.title, caption, draw(chart), page_table(table));
}

// Adds a chart of what one table finds; the others find the same.
void add_found(HtmlPage& page, const ResultRows& rows, bool combines) {
  const std::string caption =
      combines ? "Voxels that both fill, those of each mesh inside the other, and those that the combination "
                 "keeps."
               : "Voxels that both fill, pairs of triangles with such a voxel, and those that meet.";
  LineChart chart = frames_chart("What was found", caption,
                                 combines ? "voxels (logarithmic)" : "voxels, pairs (logarithmic)");
  chart.y_scale = ChartScale::Log;
  std::vector<PageColumn> columns = {{{"frame", "", HtmlTable::Kind::Words}, cell_in("frame")}};
  std::vector<std::pair<std::string, std::string>> found = {{"voxels of both", "common_voxels"}};
  if (combines)
    found.insert(found.end(),
                 {{"A in B", "first_inside"}, {"B in A", "second_inside"}, {"kept", "kept_voxels"}});
  else
    found.insert(found.end(), {{"pairs", "candidates"}, {"that meet", "meeting"}});
  add_lines(chart, rows, found);
  for (const auto& [name, column] : found) columns.push_back({{name}, cell_in(column, Look::count())});
  page.figure(chart.title, caption, draw(chart), page_table(rows, columns));
}

void add_summary(HtmlPage& page, const ResultTable& summaries, bool combines) {
  BarChart chart = {.title = "A frame with each table",
                    .description = "For each table the median milliseconds of each phase, end to end",
                    .unit = "ms",
                    .bars = BarChart::Bars::EndToEnd};
  std::vector<std::string> columns;
  for (const auto& [name, column] : phase_columns(combines)) {
    chart.series.push_back({name, {}});
    columns.push_back(column);
  }
  add_bars(chart, rows_with_value(rows_of(summaries), "ms"), text_in("table"), columns, 1,
           [](const ResultRow& row) { return row.text("frames_per_second", Look::fixed(1)) + " frames/s"; });
  if (chart.rows.empty()) return;
  page.figure(chart.title, "Medians over all frames. " + paper_text() + ".", draw(chart),
              page_table(summaries));
}

void add_unmeasured(HtmlPage& page, const ResultRows& rows) {
  if (rows.empty()) return;
  page.section("What could not be measured")
      .table("Tables without figures",
             page_table(rows, {{{"table", "", HtmlTable::Kind::Name}, cell_in("table")},
                               {{"why", "", HtmlTable::Kind::Words}, cell_in("error")}}));
}

// The rows of a table's frames.
ResultTable frames_of(const IntersectRun& run, const std::string& table) {
  std::vector<FrameRow> rows;
  std::ranges::copy_if(run.result.rows, std::back_inserter(rows),
                       [&](const FrameRow& row) { return row.table == table; });
  return frames_table(rows);
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
  const ResultTable summaries = summaries_table(result);
  const bool combines = run.options.combination.has_value();
  add_summary(page, summaries, combines);
  for (const ResultRow& row : rows_with_value(rows_of(summaries), "ms"))
    add_phases(page, row.word("table"), frames_of(run, row.word("table")), combines);
  if (!result.rows.empty()) {
    page.section(combines ? "Voxels" : "Voxels and pairs");
    const ResultTable frames = frames_of(run, result.rows.front().table);
    add_found(page, rows_of(frames), combines);
  }
  add_unmeasured(page, rows_with_errors(rows_of(summaries)));
  return page;
}

}  // namespace vox
