#include "tools/vox-edit/edit_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "formats/results/csv.h"
#include "libvox/base/units.h"
#include "tools/common/text_table.h"

namespace vox {
namespace {

// A column of a field of every record.
template <class T, class Record, class Field>
std::vector<T> column(const std::deque<Record>& records, const Field& field) {
  std::vector<T> values;
  for (const Record& record : records) values.push_back(static_cast<T>(field(record)));
  return values;
}

template <class Counts>
void add_counts(ReportGroup& group, const std::deque<PassRecord>& passes, const std::string& what,
                const Counts& counts) {
  using U = uint64_t;
  group.column(what + "_made", column<U>(passes, [&](const PassRecord& p) { return counts(p).made; }))
      .column(what + "_distinct", column<U>(passes, [&](const PassRecord& p) { return counts(p).distinct; }))
      .column(what + "_new", column<U>(passes, [&](const PassRecord& p) { return counts(p).inserted; }));
}

void set(Json& json, const EditCounts& counts) {
  json.set("made", counts.made).set("distinct", counts.distinct).set("new", counts.inserted);
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

void EditLog::add(const PassRecord& pass) {
  Tool& tool = tools_[pass.tool];
  tool.edits += pass.edits;
  tool.changed_voxels += pass.changed_voxels;
  tool.work += pass.work;
  tool.ms.push_back(static_cast<float>(pass.seconds * 1e3));
  if (keep_rows_ == KeepRows::Yes) passes_.push_back(pass);
}

void EditLog::add(const CollectRecord& collection) {
  const CollectWork& work = collection.work;
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

std::string EditLog::table() const {
  const bool measured = all_tools().changed_voxels > 0;
  const auto cells = [&](const std::string& name, const Tool& tool) {
    const EditWork& work = tool.work;
    std::vector<std::string> row = {name,
                                    format_count(tool.edits),
                                    format_count(tool.ms.size()),
                                    fmt::format("{:.2f}", tool.mean()),
                                    fmt::format("{:.2f}", tool.median()),
                                    fmt::format("{:.2f}", tool.longest()),
                                    format_count(work.nodes.made + work.leaves.made),
                                    format_count(work.nodes.inserted + work.leaves.inserted)};
    if (measured) row.push_back(format_count(tool.changed_voxels));
    return row;
  };
  std::vector<std::string> head = {"",       "edits",   "passes",     "ms a pass",
                                   "median", "longest", "nodes made", "new"};
  if (measured) head.emplace_back("voxels changed");
  TextTable table(std::move(head));
  for (const auto& [name, tool] : tools_) table.row(cells(name, tool));
  if (tools_.size() > 1) table.row(cells("all", all_tools()));
  return table.text();
}

std::string EditLog::garbage_text() const {
  return fmt::format("garbage: {} removed in {}, {:.2f} ms each, {} returned to the system",
                     format_count(garbage_.items, "node"), format_count(garbage_.collections, "collection"),
                     1e3 * garbage_.seconds / static_cast<double>(garbage_.collections),
                     format_bytes(garbage_.bytes_returned));
}

std::string EditLog::text() const {
  std::string text = tools_.empty() ? "no edits\n" : table();
  if (garbage_.collections > 0) text += garbage_text() + "\n";
  return text;
}

void EditLog::set(Json& json, const Tool& tool) {
  json.set("edits", tool.edits).set("passes", tool.ms.size()).set("changed_voxels", tool.changed_voxels);
  json.object("pass_ms").set("mean", tool.mean()).set("median", tool.median()).set("longest", tool.longest());
  vox::set(json.object("nodes"), tool.work.nodes);
  vox::set(json.object("leaves"), tool.work.leaves);
}

void EditLog::set(Json& json) const {
  set(json, all_tools());
  Json& tools = json.object("tools");
  for (const auto& [name, tool] : tools_) set(tools.object(name), tool);
  json.object("garbage")
      .set("collections", garbage_.collections)
      .set("items", garbage_.items)
      .set("bytes_returned", garbage_.bytes_returned)
      .set("seconds", garbage_.seconds);
}

Report EditLog::report() const {
  using U = uint64_t;
  using P = PassRecord;
  using C = CollectRecord;
  Report report;
  ReportGroup& edits = report.group("edits");
  edits.column("line", column<U>(passes_, [](const P& p) { return p.line; }))
      .column("frame", column<U>(passes_, [](const P& p) { return p.frame; }))
      .column("tool", column<std::string>(passes_, [](const P& p) { return p.tool; }))
      .column("edits", column<U>(passes_, [](const P& p) { return p.edits; }))
      .column("changed_voxels", column<U>(passes_, [](const P& p) { return p.changed_voxels; }), "voxels");
  add_counts(edits, passes_, "nodes", [](const P& p) { return p.work.nodes; });
  add_counts(edits, passes_, "leaves", [](const P& p) { return p.work.leaves; });
  edits.column("octree_bytes", column<U>(passes_, [](const P& p) { return p.work.octree_bytes; }), "bytes")
      .column("store_items", column<U>(passes_, [](const P& p) { return p.store.items; }))
      .column("store_item_bytes", column<U>(passes_, [](const P& p) { return p.store.item_bytes; }), "bytes")
      .column("store_allocated_bytes", column<U>(passes_, [](const P& p) { return p.store.allocated_bytes; }),
              "bytes")
      .column("octree_seconds", column<double>(passes_, [](const P& p) { return p.work.octree_seconds; }),
              "s")
      .column("octree_device_seconds",
              column<double>(passes_, [](const P& p) { return p.work.octree_device_seconds; }), "s")
      .column("merge_seconds", column<double>(passes_, [](const P& p) { return p.work.merge_seconds; }), "s")
      .column("merge_device_seconds",
              column<double>(passes_, [](const P& p) { return p.work.merge_device_seconds; }), "s")
      .column("seconds", column<double>(passes_, [](const P& p) { return p.seconds; }), "s");
  report.group("collections")
      .column("line", column<U>(collections_, [](const C& c) { return c.line; }))
      .column("items_before", column<U>(collections_, [](const C& c) { return c.work.items_before; }))
      .column("items_after", column<U>(collections_, [](const C& c) { return c.work.items_after; }))
      .column("bytes_returned", column<U>(collections_, [](const C& c) { return c.work.bytes_returned; }),
              "bytes")
      .column("mark_seconds", column<double>(collections_, [](const C& c) { return c.work.mark_seconds; }),
              "s")
      .column("sweep_seconds", column<double>(collections_, [](const C& c) { return c.work.sweep_seconds; }),
              "s");
  return report;
}

void write_log(const Report& report, const std::filesystem::path& path) {
  if (path.extension() != ".csv") return write_report(report, path);
  for (const ReportGroup& group : report.groups())
    if (group.name() == "edits") write_csv(group, path);
}

}  // namespace vox
