#include "tools/vox-edit/edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "formats/file_types.h"
#include "formats/io/output_file.h"
#include "formats/results/files.h"
#include "formats/results/views.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "tools/common/reports.h"

namespace vox {
namespace {

// Adds the columns made, distinct and new of nodes or leaves, under names that begin with `name`.
template <class Row, class Rows, class Counts>
void add_counts(ResultTable& table, const Rows& rows, const std::string& name, const Counts& counts) {
  const std::string kind = name.substr(0, name.size() - 1);
  table
      .column(
          name + "made", "", rows, [&](const Row& row) { return counts(row).made; },
          "Number of " + kind + " in the temporary octree.")
      .column(
          name + "distinct", "", rows, [&](const Row& row) { return counts(row).distinct; },
          "Number of these " + kind + " that differ from their predecessors and from each other.")
      .column(
          name + "new", "", rows, [&](const Row& row) { return counts(row).inserted; },
          "Number of these " + kind + " that the store did not have.");
}

}  // namespace

double EditLog::Tool::mean() const {
  return ms.empty() ? 0 : std::accumulate(ms.begin(), ms.end(), 0.0) / static_cast<double>(ms.size());
}

double EditLog::Tool::median() const {
  if (ms.empty()) return 0;
  std::vector<float> values = ms;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double EditLog::Tool::longest() const {
  return ms.empty() ? 0 : *std::max_element(ms.begin(), ms.end());
}

void EditLog::add(const edit::PassRecord& pass) {
  Tool& tool = tools_[pass.tool];
  tool.edits += pass.edits;
  tool.changed_voxels += pass.changed_voxels;
  tool.work += pass.work;
  tool.ms.push_back(static_cast<float>(pass.seconds * 1e3));
  if (keep_rows_ == KeepRows::Yes) passes_.push_back(pass);
}

void EditLog::add(const edit::CollectRecord& collection) {
  const dag::CollectWork& work = collection.work;
  ++garbage_.collections;
  garbage_.items += work.items_before - work.items_after;
  garbage_.bytes_returned += work.bytes_returned;
  garbage_.seconds += work.mark_seconds + work.sweep_seconds;
  if (keep_rows_ == KeepRows::Yes) collections_.push_back(collection);
}

uint64_t EditLog::edits() const {
  uint64_t edits = 0;
  for (const auto& [name, tool] : tools_) edits += tool.edits;
  return edits;
}

EditLog::Tool EditLog::all_tools() const {
  Tool all;
  for (const auto& [name, tool] : tools_) {
    all.edits += tool.edits;
    all.changed_voxels += tool.changed_voxels;
    all.work += tool.work;
    all.ms.insert(all.ms.end(), tool.ms.begin(), tool.ms.end());
  }
  return all;
}

// A table with a row for each tool. JSON shows all columns, a page those of times or of nodes.
ResultTable EditLog::table_of(const std::vector<NamedTool>& tools, ToolColumns columns) {
  using Row = NamedTool;
  const auto of = [](const auto& get) {
    return [=](const Row& row) { return std::invoke(get, row.second); };
  };
  const auto shown = [&](ToolColumns which, const Heading& screen, const Heading& page) {
    return which == columns ? Headings{screen, page} : Headings{screen, {}};
  };
  const auto times = [&](const char* screen, const char* page) {
    return shown(ToolColumns::Times, {screen, Look::fixed(2)}, {page, Look::fixed(2), "ms"});
  };
  ResultTable table;
  table.column(for_people(), "", tools, &Row::first, both({""}))
      .column("edits", "edits", tools, of(&Tool::edits),
              shown(ToolColumns::Times, {"edits", Look::count()}, {"edits", Look::count()}),
              "Number of edits.")
      .column("passes", "passes", tools, of([](const Tool& tool) { return tool.ms.size(); }),
              shown(ToolColumns::Times, {"passes", Look::count()}, {"passes", Look::count()}),
              "Number of passes over the scene, which may do several edits.")
      .column("changed_voxels", "voxels", tools, of(&Tool::changed_voxels),
              "Number of voxels that differ from before.")
      .column("pass_ms/mean", "ms", tools, of(&Tool::mean), times("ms a pass", "mean"),
              "Mean wall time of a pass.")
      .column("pass_ms/median", "ms", tools, of(&Tool::median), times("median", "median"),
              "Median of these times.")
      .column("pass_ms/longest", "ms", tools, of(&Tool::longest), times("longest", "longest"),
              "Time of the longest pass.");
  add_counts<Row>(table, tools, "nodes/", of([](const Tool& tool) { return tool.work.nodes; }));
  add_counts<Row>(table, tools, "leaves/", of([](const Tool& tool) { return tool.work.leaves; }));
  const auto sum = [&](auto edit::EditCounts::*count) {
    return of([=](const Tool& tool) { return tool.work.nodes.*count + tool.work.leaves.*count; });
  };
  const bool measured =
      std::ranges::any_of(tools, [](const Row& row) { return row.second.changed_voxels > 0; });
  const Heading changed = measured ? Heading{"voxels changed", Look::count()} : Heading();
  table
      .column(for_people(), "nodes", tools, sum(&edit::EditCounts::made),
              shown(ToolColumns::Nodes, {"nodes made", Look::count()}, {"made", Look::count(), "nodes"}))
      .column(for_people(), "nodes", tools, sum(&edit::EditCounts::inserted),
              shown(ToolColumns::Nodes, {"new", Look::count()}, {"new", Look::count(), "nodes"}))
      .column(for_people(), "voxels", tools, of(&Tool::changed_voxels),
              shown(ToolColumns::Nodes, changed, {"changed", Look::count(), "voxels"}));
  return table;
}

ResultTable EditLog::tools_table(ToolColumns columns) const {
  return table_of({tools_.begin(), tools_.end()}, columns);
}

ResultTable EditLog::total_table(ToolColumns columns) const {
  return table_of({{"all", all_tools()}}, columns);
}

std::string EditLog::garbage_text() const {
  return fmt::format("garbage: {} removed in {}, {:.2f} ms each, {} returned to the system",
                     format_count(garbage_.items, "node"), format_count(garbage_.collections, "collection"),
                     1e3 * garbage_.seconds / static_cast<double>(garbage_.collections),
                     format_bytes(garbage_.bytes_returned));
}

std::string EditLog::text() const {
  std::string text = "no edits\n";
  if (tools_.size() == 1) text = text_table(tools_table(ToolColumns::Times)).text();
  if (tools_.size() > 1)
    text = text_table(tools_table(ToolColumns::Times), "all", total_table(ToolColumns::Times)).text();
  if (garbage_.collections > 0) text += garbage_text() + "\n";
  return text;
}

ResultTable EditLog::passes_table() const {
  using P = edit::PassRecord;
  ResultTable table;
  table.column("line", "", passes_, &P::line, "Line of the script, of a pass. CSV has these columns, too.")
      .column("frame", "", passes_, &P::frame, "Frame of a recording.")
      .column("tool", "", passes_, &P::tool, "What the edits did: `sphere add`, `copy`, …, or `several`.")
      .column("edits", "", passes_, &P::edits, "Number of edits.")
      .column("changed_voxels", "voxels", passes_, &P::changed_voxels,
              "Number of voxels that differ from before.");
  add_counts<P>(table, passes_, "nodes_", [](const P& pass) { return pass.work.nodes; });
  add_counts<P>(table, passes_, "leaves_", [](const P& pass) { return pass.work.leaves; });
  const auto seconds = [&](const char* name, double edit::EditWork::*value, const char* sentence) {
    table.column(
        name, "s", passes_, [=](const P& pass) { return pass.work.*value; }, sentence);
  };
  table
      .column(
          "octree_bytes", "bytes", passes_, [](const P& pass) { return pass.work.octree_bytes; },
          "Size of the temporary octree.")
      .column(
          "store_items", "", passes_, [](const P& pass) { return pass.store.items; },
          "Number of nodes and leaves in the hash tables after the pass, garbage included.")
      .column(
          "store_item_bytes", "bytes", passes_, [](const P& pass) { return pass.store.item_bytes; },
          "Size of these.")
      .column(
          "store_allocated_bytes", "bytes", passes_, [](const P& pass) { return pass.store.allocated_bytes; },
          "Size of the tables with all that belongs to them.");
  seconds("octree_seconds", &edit::EditWork::octree_seconds, "Wall time from the root down.");
  seconds("octree_device_seconds", &edit::EditWork::octree_device_seconds, "The same on the device's clock.");
  seconds("merge_seconds", &edit::EditWork::merge_seconds, "Wall time from the leaves up.");
  seconds("merge_device_seconds", &edit::EditWork::merge_device_seconds, "The same on the device's clock.");
  table.column("seconds", "s", passes_, &P::seconds,
               "Wall time of the pass, with the collection of garbage to make room.");
  return table;
}

void EditLog::set(ResultGroup& results) const {
  results.put(in_json("."), total_table(ToolColumns::Times), TableShape::Record);
  results.put(listed_as("TOOL", in_json("tools")), tools_table(ToolColumns::Times), TableShape::ByName);
  results.group(in_json("garbage"))
      .set("collections", garbage_.collections, "collections",
           "Number of collections of nodes that nothing needs.")
      .set("items", garbage_.items, "items", "Number of nodes and leaves that were removed.")
      .set("bytes_returned", garbage_.bytes_returned, "bytes", "Number of bytes returned to the system.")
      .set("seconds", garbage_.seconds, "s", "Time of all collections.");
  results.put(in_report("edits"), passes_table());
  using C = edit::CollectRecord;
  results.table(in_report("collections"))
      .column("line", "", collections_, &C::line, "Line of the script, of a garbage collection.")
      .column(
          "items_before", "", collections_, [](const C& c) { return c.work.items_before; },
          "Number of nodes and leaves before it.")
      .column(
          "items_after", "", collections_, [](const C& c) { return c.work.items_after; },
          "Number of nodes and leaves after it.")
      .column(
          "bytes_returned", "bytes", collections_, [](const C& c) { return c.work.bytes_returned; },
          "Number of bytes returned to the system.")
      .column(
          "mark_seconds", "s", collections_, [](const C& c) { return c.work.mark_seconds; },
          "Time for marking what is needed.")
      .column(
          "sweep_seconds", "s", collections_, [](const C& c) { return c.work.sweep_seconds; },
          "Time for removing the rest.");
}

namespace {

// The charts of vox-edit over the passes of a run.

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

std::vector<NamedSeconds> edit_seconds(double load, double edit, double write) {
  return {{"load", load, "Time for reading, and for bringing the scene to the device."},
          {"edit", edit, "Time of the edits."},
          {"write", write, "Time for writing."}};
}

void write_edit_log(const EditOptions& options, const ResultTable& rows,
                    const std::function<ResultGroup()>& results) {
  if (!options.log) return;
  if (has_role(*options.log, FileRole::Rows))
    write_csv(rows, *options.log);
  else
    write_report_of(results(), {options.scene, options.script}, *options.log);
  log_info("{}: {}", options.log->string(), format_bytes(size_of_written(*options.log)));
}

ResultGroup results_on(const EditOptions& options, const std::string& device) {
  ResultGroup results;
  set_origin(results, origin_of(options.command));
  results.set(in_report("tool"), "vox-edit", "Name of the program.")
      .set(in_report("device"), device, "Name of the device.");
  return results;
}

ResultGroup results_of(const EditResults& run) {
  const EditOptions& options = run.options;
  ResultGroup results = results_on(options, run.device);
  results.set(in_report("table"), options.engine.table, "Name of the hash table, as for `--table`.")
      .set("file", options.scene.string(), "The scene file that was read.")
      .set("script", options.script.string(), "The script that was read.")
      .set(in_report("resolution"), run.scene.dag.resolution, "", "Number of voxels along the longest side.")
      .set(in_report("batch"), options.batch, "", "Number of edits that may go into one pass.");
  set_scene(results, run.scene);
  if (run.bricks != nullptr) set_bricks(results.group(in_json(".")), *run.bricks);
  run.log.set(results);
  results.group(in_json("store"))
      .set("items", run.store.items, "items",
           "Number of nodes and leaves in the hash tables at the end, garbage included.")
      .set("item_bytes", run.store.item_bytes, "bytes", "Size of these.")
      .set("allocated_bytes", run.store.allocated_bytes, "bytes",
           "Size of the tables with all that belongs to them.");
  set_seconds(results, run.seconds);
  set_peak_memory(results);
  set_device(results, run.device);
  set_profile(results, run.kernels);
  return results;
}

ResultGroup check_results(const EditOptions& options, uint64_t commands, const edit::ScriptFindings& found) {
  ResultGroup results;
  results.set("script", options.script.string(), "The script that was read.")
      .set("commands", commands, "", "Number of its commands, if nothing is wrong.")
      .set("edits", found.edits, "", "Number of edits among them.")
      .set("outside", found.outside, "edits", "Number of edits that change nothing inside the grid.");
  ResultGroup& counts = results.group("tools");
  for (const auto& [tool, count] : found.tools)
    counts.set(listed_as("TOOL", tool), count, "edits", "Number of edits of the tool.");
  return results;
}

ResultGroup check_results(const EditOptions& options, uint64_t errors,
                          const std::vector<std::string>& messages) {
  ResultGroup results;
  results.set("script", options.script.string(), "The script that was read.")
      .set("errors", errors, "", "Number of errors, if something is wrong.");
  results.table("messages").column("error", "", messages, "One of the first 50 errors.");
  return results;
}

}  // namespace vox
