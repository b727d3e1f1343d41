#include "tools/vox-edit/edit_log.h"

#include "formats/csv.h"

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

}  // namespace

Report report_of(const EditLog& log) {
  using U = uint64_t;
  using P = PassRecord;
  using C = CollectRecord;
  Report report;
  ReportGroup& edits = report.group("edits");
  const auto& passes = log.passes;
  edits.column("line", column<U>(passes, [](const P& p) { return p.line; }))
      .column("frame", column<U>(passes, [](const P& p) { return p.frame; }))
      .column("tool", column<std::string>(passes, [](const P& p) { return p.tool; }))
      .column("edits", column<U>(passes, [](const P& p) { return p.edits; }))
      .column("changed", column<U>(passes, [](const P& p) { return p.changed_voxels; }), "voxels");
  add_counts(edits, passes, "nodes", [](const P& p) { return p.work.nodes; });
  add_counts(edits, passes, "leaves", [](const P& p) { return p.work.leaves; });
  edits.column("octree", column<U>(passes, [](const P& p) { return p.work.octree_bytes; }), "bytes")
      .column("store_items", column<U>(passes, [](const P& p) { return p.store.items; }))
      .column("store_item_bytes", column<U>(passes, [](const P& p) { return p.store.item_bytes; }), "bytes")
      .column("store_allocated", column<U>(passes, [](const P& p) { return p.store.allocated_bytes; }),
              "bytes")
      .column("octree_time", column<double>(passes, [](const P& p) { return p.work.octree_seconds; }), "s")
      .column("merge_time", column<double>(passes, [](const P& p) { return p.work.merge_seconds; }), "s")
      .column("time", column<double>(passes, [](const P& p) { return p.seconds; }), "s");
  const auto& collections = log.collections;
  report.group("collections")
      .column("line", column<U>(collections, [](const C& c) { return c.line; }))
      .column("items_before", column<U>(collections, [](const C& c) { return c.work.items_before; }))
      .column("items_after", column<U>(collections, [](const C& c) { return c.work.items_after; }))
      .column("returned", column<U>(collections, [](const C& c) { return c.work.bytes_returned; }), "bytes")
      .column("mark_time", column<double>(collections, [](const C& c) { return c.work.mark_seconds; }), "s")
      .column("sweep_time", column<double>(collections, [](const C& c) { return c.work.sweep_seconds; }),
              "s");
  return report;
}

void write_log(const Report& report, const std::filesystem::path& path) {
  if (path.extension() != ".csv") return write_report(report, path);
  for (const ReportGroup& group : report.groups())
    if (group.name() == "edits") write_csv(group, path);
}

}  // namespace vox
