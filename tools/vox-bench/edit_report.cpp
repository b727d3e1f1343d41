#include "tools/vox-bench/reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "formats/results/views.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/results.h"

namespace vox {
namespace {

using EditRow = measure::EditBenchRow;
using measure::Timing;

// The value of what edits have done, where a row is of edits; the same of collections.
auto of_edits(auto get) {
  return [get](const EditRow& row) {
    return row.edited ? std::optional(std::invoke(get, *row.edited)) : std::nullopt;
  };
}
auto of_collections(auto get) {
  return [get](const EditRow& row) {
    return row.collected ? std::optional(std::invoke(get, *row.collected)) : std::nullopt;
  };
}

Headings counted_nodes(const char* title) {
  return both({title, Look::count()});
}

// Adds the columns that say what was done.
void add_edit_axes(ResultTable& table, const std::vector<EditRow>& rows) {
  const auto series = [](const EditRow& row) {
    return measure::kEditSeriesNames[static_cast<size_t>(row.kind)];
  };
  const auto order = [](const EditRow& row) {
    return measure::kEditOrderNames[static_cast<size_t>(row.order)];
  };
  table
      .column("series", "", rows, series, both({"series"}),
              "The series: `spheres`, `copies`, `small` (spheres in batches) or `gc` (garbage collections).")
      .column("order", "", rows, order, both({"order"}),
              "`fresh`: on the scene as it was read; `collected`: the same, after a garbage collection; "
              "`sequence`: after the rows before.");
  add_optional(table, "size", "voxels", rows, of_edits(&EditRow::Edited::size), both({"size"}),
               "Radius of a sphere, or side of a box.");
  add_optional(table, "batch", "edits", rows, of_edits(&EditRow::Edited::batch), both({"batch"}),
               "Greatest number of edits in one pass.");
  table
      .column("edits", "edits", rows, &EditRow::edits, both({"edits", Look::count()}),
              "Number of edits of the row.")
      .column("table", "", rows, &EditRow::table, both({"table"}),
              "Name of the hash table that holds the scene, or `processor`.");
}

void add_counts(ResultTable& table, const std::vector<EditRow>& rows, const std::string& name,
                edit::EditCounts edit::EditWork::*counts) {
  const auto count = [&](const char* which, uint64_t edit::EditCounts::*value, const std::string& sentence) {
    table.column(name + which, "nodes", rows,
                 of_edits([=](const EditRow::Edited& edited) { return edited.work.*counts.*value; }),
                 sentence);
  };
  count("_made", &edit::EditCounts::made,
        fmt::format("Number of {} in the temporary octrees of all edits of the row.", name));
  count("_new", &edit::EditCounts::inserted,
        fmt::format("Number of these {} that the store did not have.", name));
}

// Both kinds of nodes, for people.
void add_nodes(ResultTable& table, const std::vector<EditRow>& rows) {
  const auto add = [&](const char* title, uint64_t edit::EditCounts::*value) {
    const auto both_kinds = [=](const EditRow::Edited& edited) {
      return edited.work.nodes.*value + edited.work.leaves.*value;
    };
    add_optional(table, for_people(), "nodes", rows, of_edits(both_kinds), counted_nodes(title));
  };
  add("made", &edit::EditCounts::made);
  add("new", &edit::EditCounts::inserted);
}

Headings milliseconds_of(const char* title) {
  return {{title, Look::fixed(3)}, {title, Look::fixed(3), "ms"}};
}

// Adds the means of what the searches of edits do, where they are counted.
void add_searches(ResultTable& table, const std::vector<EditRow>& rows) {
  const auto mean = [](uint64_t hash::SearchCounts::*sum) {
    return [sum](const EditRow& row) -> std::optional<double> {
      if (!row.edited || row.edited->searches.searches == 0) return std::nullopt;
      const hash::SearchCounts& counts = row.edited->searches;
      return static_cast<double>(counts.*sum) / static_cast<double>(counts.searches);
    };
  };
  add_optional(table, "slabs_per_search", "slabs", rows, mean(&hash::SearchCounts::slabs),
               both({"slabs", Look::fixed(2)}),
               "Mean number of slabs that a search of an edit looks at. Not counted for `sector`.");
  add_optional(table, "false_candidates", "nodes", rows, mean(&hash::SearchCounts::false_candidates),
               both({"in vain", Look::fixed(3)}),
               "Mean number of nodes that a search compares in vain. Not counted for `sector`.");
}

void add_parts_of_edits(ResultTable& table, const std::vector<EditRow>& rows) {
  using Edited = EditRow::Edited;
  const auto add_ms = [&](const char* name, const char* title, Timing Edited::*which, const char* sentence) {
    add_optional(table, name, "ms", rows, of_edits(in_ms(which)), milliseconds_of(title), sentence);
  };
  add_ms("down_ms", "down", &Edited::down, "Part of `ms`: from the root down.");
  add_ms("up_ms", "up", &Edited::up, "Part of `ms`: up to the new root.");
  const auto upload_ms = [](const EditRow& row) {
    return row.edited ? ms_of(row.edited->upload) : std::nullopt;
  };
  add_optional(table, "upload_ms", "ms", rows, upload_ms, milliseconds_of("upload"),
               "Part of `ms`: of copying what is new to the device, if `table` is `processor`.");
  add_counts(table, rows, "nodes", &edit::EditWork::nodes);
  add_counts(table, rows, "leaves", &edit::EditWork::leaves);
  add_nodes(table, rows);
  table
      .column("changed_voxels", "voxels", rows, of_edits(&Edited::changed_voxels),
              "Number of voxels that differ before and after the row.")
      .column("octree_bytes", "bytes", rows,
              of_edits(member_of(&Edited::work, &edit::EditWork::octree_bytes)),
              "Size of the temporary octrees.")
      .column("new_bytes", "bytes", rows, of_edits(&Edited::new_bytes), "Size of what is new in the store.");
  add_searches(table, rows);
}

void add_parts_of_collections(ResultTable& table, const std::vector<EditRow>& rows) {
  using Collected = EditRow::Collected;
  const auto add_ms = [&](const char* name, Timing Collected::*which, const char* sentence) {
    table.column(name, "ms", rows, of_collections(in_ms(which)), sentence);
  };
  const auto add_items = [&](const char* name, const char* title, uint64_t dag::CollectWork::*which,
                             const char* sentence) {
    add_optional(table, name, "nodes", rows, of_collections(member_of(&Collected::work, which)),
                 counted_nodes(title), sentence);
  };
  add_ms("mark_ms", &Collected::mark, "Part of `ms` of a collection: marking what is needed.");
  add_ms("sweep_ms", &Collected::sweep, "Part of `ms` of a collection: removing the rest.");
  add_items("items_before", "before", &dag::CollectWork::items_before,
            "Number of nodes in the store before a collection, leaves included.");
  add_items("items_after", "after", &dag::CollectWork::items_after, "The same after the collection.");
}

std::string edited_scene_text(const measure::EditBenchResult& result) {
  return fmt::format("{} in {}³, {}", format_count(result.voxels, "voxel"), result.resolution,
                     format_count(result.nodes, "node"));
}

ResultTable edit_rows_table(const std::vector<EditRow>& rows) {
  ResultTable table;
  add_edit_axes(table, rows);
  add_times(table, rows);
  add_spread(table, rows, Headings{{"ms each", Look::fixed(3)}, {"each", Look::fixed(3), "ms"}});
  add_parts_of_edits(table, rows);
  add_parts_of_collections(table, rows);
  return table;
}

}  // namespace

ResultTable rows_table(const EditBenchRun& run) {
  return edit_rows_table(run.result.rows);
}

std::string table_text(const EditBenchRun& run) {
  return fmt::format(
      "{}, {}, on {}\ntimes in ms of one edit: median of {}, how far the others are from it; from the root "
      "down to the leaves, and\nup to the new root; nodes, leaves included, that all edits of the row have "
      "made, and those that were new\n\n{}",
      run.source, edited_scene_text(run.result), run.device_text,
      format_count(run.result.sizes.repetitions, "repetition"), text_table(rows_table(run)).text());
}

void set_results(ResultGroup& group, const EditBenchRun& run) {
  group.set("source", run.source, "The file that was read, or the city.")
      .set("resolution", run.result.resolution, "voxels",
           "Number of voxels along the longest side of the scene.")
      .set("voxels", run.result.voxels, "voxels", "Number of filled voxels.")
      .set("nodes", run.result.nodes, "nodes", "Number of nodes of the SVDAG, leaves included.")
      .set("bytes", run.result.bytes, "bytes", "Size of these nodes.")
      .set("repetitions", run.result.sizes.repetitions, "",
           "Number of repetitions, after one that does not count.")
      .set("seconds", run.result.seconds, "s", "Time of the whole benchmark.");
  group.put("rows", rows_table(run));
  const KernelRows<EditRow> kernels = kernels_by_row(run.result.rows);
  if (kernels.rows.empty()) return;
  ResultTable& table = group.table("kernels");
  add_edit_axes(table, kernels.rows);
  add_kernel_columns(table, kernels.kernels);
}

namespace {

// The page that vox-bench edit writes with --html.

using measure::EditOrder;
using measure::EditSeriesKind;

// Rows that stand in one chart.
struct EditChart {
  std::string table;  // empty if all charts are of one
  EditSeriesKind kind;
  EditOrder order;
  std::vector<EditRow> rows;
};

std::vector<EditChart> charts_of(const std::vector<EditRow>& rows) {
  const bool one_table =
      std::ranges::all_of(rows, [&](const EditRow& row) { return row.table == rows.front().table; });
  std::vector<EditChart> charts;
  for (const EditRow& row : rows) {
    const std::string table = one_table ? "" : row.table;
    if (charts.empty() || charts.back().table != table || charts.back().kind != row.kind ||
        charts.back().order != row.order)
      charts.push_back({table, row.kind, row.order, {}});
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

constexpr std::array kSeriesHeads = {"radius", "side", "batch", "what"};  // of the labels, by EditSeriesKind

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
  const std::string title = title_of(chart) + (chart.table.empty() ? "" : ", " + chart.table);
  const std::string head = kSeriesHeads[static_cast<size_t>(chart.kind)];
  page.section(title);
  add_parts_figure(page, title, "Milliseconds of one edit, medians; shorter is faster.", head, labels,
                   edit_phases_of(chart.rows), BarUnit::Milliseconds);
  if (profiled)
    add_parts_figure(page, title + ", by kernel",
                     "The same, the kernels that take longest; times of kernels are those of a repetition in "
                     "which every launch was timed.",
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
  return page;
}

}  // namespace vox
