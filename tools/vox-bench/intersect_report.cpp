#include "tools/vox-bench/intersect_report.h"

#include <fmt/format.h>

#include "formats/results/text_table.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

using FrameRow = measure::IntersectRow;
using FrameSummary = measure::IntersectSummary;

// The number of frames of each table that a screen shows.
constexpr size_t kShownFrames = 12;

measure::Headings milliseconds(const std::string& title) {
  return {.screen = {title, measure::Look::fixed(3)}, .page = {title, measure::Look::fixed(3), "ms"}};
}

// Some frames of the first table, evenly among all.
std::vector<FrameRow> shown_frames(const IntersectRun& run) {
  std::vector<FrameRow> shown;
  const size_t frames = std::min<size_t>(run.result.rows.size(), run.options.frames);
  const size_t step = (frames + kShownFrames - 1) / kShownFrames;
  for (size_t i = 0; i < frames; i += step) shown.push_back(run.result.rows[i]);
  return shown;
}

}  // namespace

measure::ResultTable summaries_table(const measure::IntersectResult& result) {
  const std::vector<FrameSummary>& rows = result.summaries;
  measure::ResultTable table;
  table.column("table", "", rows, &FrameSummary::table, measure::both({"table"}));
  for (size_t phase = 0; phase < measure::kIntersectPhases; ++phase) {
    const std::string name = measure::kIntersectPhaseNames[phase];
    table.column(
        "ms_" + name, "ms", rows,
        [&](const FrameSummary& row) {
          return row.frame ? std::optional(row.phases[phase].median * 1e3) : std::nullopt;
        },
        milliseconds(name));
  }
  const auto frame = [](double measure::Timing::*which) {
    return [=](const FrameSummary& row) {
      return row.frame ? std::optional((*row.frame).*which * 1e3) : std::nullopt;
    };
  };
  table.column("ms", "ms", rows, frame(&measure::Timing::median), milliseconds("frame"))
      .column("ms_min", "ms", rows, frame(&measure::Timing::min), milliseconds("fastest"))
      .column("ms_max", "ms", rows, frame(&measure::Timing::max), milliseconds("slowest"))
      .column("frames_per_second", "1/s", rows, &FrameSummary::frames_per_second,
              measure::both({"frames a second", measure::Look::fixed(1)}))
      .column("bytes", "bytes", rows, &FrameSummary::bytes,
              {.screen = {"MiB", measure::Look::mib()}, .page = {"tables", measure::Look::mib(), "MiB"}})
      .column("error", "", rows, &FrameSummary::error);
  return table;
}

measure::ResultTable frames_table(const std::vector<FrameRow>& rows) {
  using Counts = measure::IntersectCounts;
  measure::ResultTable table;
  const auto count = [&](const char* name, const char* unit, const char* title, uint64_t Counts::*which) {
    table.column(
        name, unit, rows, [=](const FrameRow& row) { return row.counts.*which; },
        measure::both({title, measure::Look::count()}));
  };
  table.column("table", "", rows, &FrameRow::table)
      .column("frame", "", rows, &FrameRow::frame, measure::both({"frame"}))
      .column("turn", "turns", rows, &FrameRow::turn,
              measure::both({"turn", measure::Look::fixed(0, 360), "°"}))
      .column("shift", "voxels", rows, &FrameRow::shift, measure::both({"shift", measure::Look::fixed(1)}));
  count("first_voxels", "voxels", "voxels of A", &Counts::first_voxels);
  count("second_voxels", "voxels", "of B", &Counts::second_voxels);
  count("common_voxels", "voxels", "of both", &Counts::common_voxels);
  count("candidates", "pairs", "pairs", &Counts::candidates);
  count("meeting", "pairs", "that meet", &Counts::meeting);
  for (size_t phase = 0; phase < measure::kIntersectPhases; ++phase) {
    const std::string name = measure::kIntersectPhaseNames[phase];
    table.column(
        "ms_" + name, "ms", rows, [&](const FrameRow& row) { return row.seconds[phase] * 1e3; },
        milliseconds(name));
  }
  table.column(
      "ms", "ms", rows, [](const FrameRow& row) { return row.total_seconds() * 1e3; }, milliseconds("frame"));
  return table;
}

measure::ResultGroup results_of(const IntersectRun& run) {
  measure::ResultGroup results;
  set_run(results, run);
  measure::ResultGroup& group = results.group({".", "intersect"});
  group.set("first", run.first)
      .set("second", run.second)
      .set("first_triangles", run.result.first_triangles, "triangles")
      .set("second_triangles", run.result.second_triangles, "triangles")
      .set("resolution", run.options.resolution, "voxels")
      .set("frames", run.options.frames)
      .set("paper_frames_per_second", measure::IntersectOptions::kPaperFramesPerSecond, "1/s")
      .set("seconds", run.result.seconds, "s");
  group.put("tables", summaries_table(run.result));
  group.put("rows", rows_table(run));
  return results;
}

std::string paper_text() {
  return fmt::format(
      "Alcantara et al. 2009 have {:.0f} frames a second at 128³, of two clouds of about 160,000 points on a "
      "GeForce GTX 280, drawing included; the intersection and its flood fill took 15 to 19 ms of a frame",
      measure::IntersectOptions::kPaperFramesPerSecond);
}

std::string table_text(const IntersectRun& run) {
  const measure::IntersectResult& result = run.result;
  std::string text =
      fmt::format("{}\n\n{} ({}) and {} ({}) at {}³, {}, medians in ms\n{}", run.device_text, run.first,
                  format_count(result.first_triangles, "triangle"), run.second,
                  format_count(result.second_triangles, "triangle"), run.options.resolution,
                  format_count(run.options.frames, "frame"), text_table(summaries_table(result)).text());
  for (const FrameSummary& summary : result.summaries)
    if (!summary.error.empty()) text += fmt::format("  {}: {}\n", summary.table, summary.error);
  text += fmt::format("({})\n", paper_text());
  if (result.rows.empty()) return text;
  const std::vector<FrameRow> shown = shown_frames(run);
  return text + fmt::format("\n{} of the frames, with {}, times in ms\n{}", shown.size(), shown.front().table,
                            text_table(frames_table(shown)).text());
}

}  // namespace vox
