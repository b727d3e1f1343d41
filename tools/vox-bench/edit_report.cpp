#include "tools/vox-bench/reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "formats/results/views.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/columns.h"

namespace vox {
namespace {

using EditRow = measure::EditBenchRow;
using measure::Timing;

// The value of what edits have done, where a row is of edits; the same of collections.
template <class Get>
auto of_edits(const Get& get) {
  return [get](const EditRow& row) { return row.edited ? std::optional(get(*row.edited)) : std::nullopt; };
}
template <class Get>
auto of_collections(const Get& get) {
  return
      [get](const EditRow& row) { return row.collected ? std::optional(get(*row.collected)) : std::nullopt; };
}

Headings counted_nodes(const char* title) {
  return both({title, Look::count()});
}

// Adds the columns that say what was done; of(row) is the row of a row.
template <class Rows, class Of>
void add_edit_axes(ResultTable& table, const Rows& rows, const Of& of) {
  const auto add_size = [&](const char* name, const char* unit, uint32_t EditRow::Edited::*value,
                            const char* sentence) {
    const auto get = [&](const auto& row) {
      const EditRow& edit_row = of(row);
      return edit_row.edited ? std::optional((*edit_row.edited).*value) : std::nullopt;
    };
    add_optional(table, name, unit, rows, get, both({name})).about(sentence);
  };
  table
      .column(
          "series", "", rows,
          [&](const auto& row) { return measure::kEditSeriesNames[static_cast<size_t>(of(row).kind)]; },
          both({"series"}))
      .about("The series: `spheres`, `copies`, `small` (spheres in batches) or `gc` (garbage collections).")
      .column(
          "order", "", rows,
          [&](const auto& row) { return measure::kEditOrderNames[static_cast<size_t>(of(row).order)]; },
          both({"order"}))
      .about(
          "`fresh`: on the scene as it was read; `collected`: the same, after a garbage collection; "
          "`sequence`: after the rows before.");
  add_size("size", "voxels", &EditRow::Edited::size, "Radius of a sphere, or side of a box.");
  add_size("batch", "edits", &EditRow::Edited::batch, "Greatest number of edits in one pass.");
  table
      .column(
          "edits", "edits", rows, [&](const auto& row) { return of(row).edits; },
          both({"edits", Look::count()}))
      .about("Number of edits of the row.")
      .column(
          "table", "", rows, [&](const auto& row) { return of(row).table; }, both({"table"}))
      .about("Name of the hash table that holds the scene, or `processor`.");
}

void add_counts(ResultTable& table, const std::vector<EditRow>& rows, const std::string& name,
                edit::EditCounts edit::EditWork::*counts) {
  const auto count = [&](const char* which, uint64_t edit::EditCounts::*value, const std::string& sentence) {
    table
        .column(name + which, "nodes", rows,
                of_edits([=](const EditRow::Edited& edited) { return edited.work.*counts.*value; }))
        .about(sentence);
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
               both({"slabs", Look::fixed(2)}))
      .about("Mean number of slabs that a search of an edit looks at. Not counted for `sector`.");
  add_optional(table, "false_candidates", "nodes", rows, mean(&hash::SearchCounts::false_candidates),
               both({"in vain", Look::fixed(3)}))
      .about("Mean number of nodes that a search compares in vain. Not counted for `sector`.");
}

void add_parts_of_edits(ResultTable& table, const std::vector<EditRow>& rows) {
  using Edited = EditRow::Edited;
  const auto add_ms = [&](const char* name, const char* title, Timing Edited::*which, const char* sentence) {
    add_optional(table, name, "ms", rows,
                 of_edits([which](const Edited& edited) { return (edited.*which).median * 1e3; }),
                 milliseconds_of(title))
        .about(sentence);
  };
  add_ms("down_ms", "down", &Edited::down, "Part of `ms`: from the root down.");
  add_ms("up_ms", "up", &Edited::up, "Part of `ms`: up to the new root.");
  const auto upload_ms = [](const EditRow& row) -> std::optional<double> {
    if (!row.edited || !row.edited->upload) return std::nullopt;
    return row.edited->upload->median * 1e3;
  };
  add_optional(table, "upload_ms", "ms", rows, upload_ms, milliseconds_of("upload"))
      .about("Part of `ms`: of copying what is new to the device, if `table` is `processor`.");
  add_counts(table, rows, "nodes", &edit::EditWork::nodes);
  add_counts(table, rows, "leaves", &edit::EditWork::leaves);
  add_nodes(table, rows);
  table
      .column("changed_voxels", "voxels", rows,
              of_edits([](const Edited& edited) { return edited.changed_voxels; }))
      .about("Number of voxels that differ before and after the row.")
      .column("octree_bytes", "bytes", rows,
              of_edits([](const Edited& edited) { return edited.work.octree_bytes; }))
      .about("Size of the temporary octrees.")
      .column("new_bytes", "bytes", rows, of_edits([](const Edited& edited) { return edited.new_bytes; }))
      .about("Size of what is new in the store.");
  add_searches(table, rows);
}

void add_parts_of_collections(ResultTable& table, const std::vector<EditRow>& rows) {
  using Collected = EditRow::Collected;
  const auto add_ms = [&](const char* name, Timing Collected::*which, const char* sentence) {
    table
        .column(name, "ms", rows, of_collections([which](const Collected& collected) {
                  return (collected.*which).median * 1e3;
                }))
        .about(sentence);
  };
  const auto add_items = [&](const char* name, const char* title, uint64_t dag::CollectWork::*which,
                             const char* sentence) {
    add_optional(table, name, "nodes", rows,
                 of_collections([which](const Collected& collected) { return collected.work.*which; }),
                 counted_nodes(title))
        .about(sentence);
  };
  add_ms("mark_ms", &Collected::mark, "Part of `ms` of a collection: marking what is needed.");
  add_ms("sweep_ms", &Collected::sweep, "Part of `ms` of a collection: removing the rest.");
  add_items("items_before", "before", &dag::CollectWork::items_before,
            "Number of nodes in the store before a collection, leaves included.");
  add_items("items_after", "after", &dag::CollectWork::items_after, "The same after the collection.");
}

}  // namespace

std::string edited_scene_text(const measure::EditBenchResult& result) {
  return fmt::format("{} in {}³, {}", format_count(result.voxels, "voxel"), result.resolution,
                     format_count(result.nodes, "node"));
}

ResultTable edit_rows_table(const std::vector<EditRow>& rows) {
  ResultTable table;
  add_edit_axes(table, rows, std::identity());
  add_times(table, rows);
  table
      .column(
          for_people(), "ms", rows, [](const EditRow& row) { return row.time.median * 1e3; },
          Headings{{"ms each", Look::fixed(3)}, {"each", Look::fixed(3), "ms"}})
      .column(
          for_people(), "percent", rows, [](const EditRow& row) { return row.time.spread() * 100; },
          Headings{{"± %", Look::fixed(0)}, {"spread", Look::fixed(1), "%"}});
  add_parts_of_edits(table, rows);
  add_parts_of_collections(table, rows);
  return table;
}

ResultTable rows_table(const EditBenchRun& run) {
  return edit_rows_table(run.result.rows);
}

std::string table_text(const EditBenchRun& run) {
  return fmt::format(
      "{}, {}, on {}\ntimes in ms of one edit: median of {}, how far the others are from it; from the root "
      "down to the "
      "leaves, and\nup to the new root; nodes, leaves included, that all edits of the row have made, and "
      "those that were "
      "new\n\n{}",
      run.source, edited_scene_text(run.result), run.device_text,
      format_count(run.result.sizes.repetitions, "repetition"), text_table(rows_table(run)).text());
}

ResultGroup results_of(const EditBenchRun& run) {
  ResultGroup results;
  set_run(results, run);
  ResultGroup& group = results.group({".", "edit"});
  group.set("source", run.source)
      .about("The file that was read, or the city.")
      .set("resolution", run.result.resolution, "voxels")
      .about("Number of voxels along the longest side of the scene.")
      .set("voxels", run.result.voxels, "voxels")
      .about("Number of filled voxels.")
      .set("nodes", run.result.nodes, "nodes")
      .about("Number of nodes of the SVDAG, leaves included.")
      .set("bytes", run.result.bytes, "bytes")
      .about("Size of these nodes.")
      .set("repetitions", run.result.sizes.repetitions)
      .about("Number of repetitions, after one that does not count.")
      .set("seconds", run.result.seconds, "s")
      .about("Time of the whole benchmark.");
  group.put("rows", rows_table(run));
  const std::vector<KernelOfRow<EditRow>> kernels = kernels_by_row(run.result.rows);
  if (kernels.empty()) return results;
  ResultTable& table = group.table("kernels");
  add_edit_axes(table, kernels,
                [](const KernelOfRow<EditRow>& kernel) -> const EditRow& { return *kernel.row; });
  add_kernel_columns(table, kernels);
  return results;
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
  const std::string title = title_of(chart) + (chart.table.empty() ? "" : ", " + chart.table);
  const std::string head = head_of(chart.kind);
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
