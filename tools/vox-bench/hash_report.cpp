#include "tools/vox-bench/hash_report.h"

#include "libvox/base/json.h"
#include "tools/vox-bench/columns.h"

namespace vox {
namespace {

void add_rows(ReportGroup& table, const std::vector<HashBenchRow>& rows) {
  using Row = HashBenchRow;
  table.column("table", values_of(rows, [](const Row& row) { return row.table; }))
      .column("item_words", values_of(rows, [](const Row& row) { return uint64_t{row.item_words}; }), "words")
      .column("load_factor", values_of(rows, [](const Row& row) { return uint64_t{row.load_factor}; }),
              "items per bucket")
      .column("op", values_of(rows, [](const Row& row) { return row.op; }))
      .column("hit_rate", values_of(rows, [](const Row& row) { return uint64_t{row.hit_rate}; }), "percent");
  add_times(table, rows);
  table.column("repetitions", values_of(rows, [](const Row& row) { return uint64_t{row.repetitions}; }))
      .column("items", values_of(rows, [](const Row& row) { return row.items; }), "items")
      .column("bytes", values_of(rows, [](const Row& row) { return row.bytes; }), "bytes")
      .column("allocated_bytes", values_of(rows, [](const Row& row) { return row.allocated_bytes; }), "bytes")
      .column("bytes_per_op", values_of(rows, [](const Row& row) { return row.bytes_per_op; }),
              "bytes per item")
      .column("ceiling_share", values_of(rows, [](const Row& row) { return row.ceiling_share; }), "1")
      .column("ceiling_share_128", values_of(rows, [](const Row& row) { return row.ceiling_share_128; }),
              "1");
}

void add_ceilings(ReportGroup& table, const std::vector<RandomReadCeiling>& rows) {
  using Row = RandomReadCeiling;
  table
      .column("bytes_each", values_of(rows, [](const Row& row) { return uint64_t{row.bytes_each}; }), "bytes")
      .column("buffer_bytes", values_of(rows, [](const Row& row) { return row.buffer_bytes; }), "bytes")
      .column("reads_per_second", values_of(rows, [](const Row& row) { return row.reads_per_second; }),
              "1/s");
  add_times(table, rows);
  table.column("repetitions", values_of(rows, [](const Row& row) { return uint64_t{row.repetitions}; }));
}

}  // namespace

ReportGroup rows_table(const HashBenchResult& result) {
  ReportGroup table;
  add_rows(table, result.rows);
  return table;
}

std::string json_text(const HashBenchRun& run) {
  ReportGroup ceilings;
  add_ceilings(ceilings, run.result.ceilings);
  Json json;
  json.set("device", run.device)
      .set("device_text", run.device_text)
      .set("fill", run.result.sizes.fill)
      .set("batch", run.result.sizes.batch)
      .set("seconds", run.result.seconds);
  append_rows(json.array("ceilings"), ceilings);
  append_rows(json.array("rows"), rows_table(run.result));
  return json.text();
}

Report hash_report(const HashBenchRun& run) {
  Report report;
  set_run(report, run);
  ReportGroup& hash = report.group("hash");
  hash.set("fill", run.result.sizes.fill, "items")
      .set("batch", run.result.sizes.batch, "items")
      .set("seconds", run.result.seconds, "s");
  add_ceilings(hash.group("ceilings"), run.result.ceilings);
  add_rows(hash.group("rows"), run.result.rows);
  return report;
}

}  // namespace vox
