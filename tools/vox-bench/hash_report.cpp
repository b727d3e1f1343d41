#include "tools/vox-bench/hash_report.h"

#include "tools/vox-bench/ceilings.h"
#include "tools/vox-bench/columns.h"

namespace vox {
measure::ResultTable rows_table(const HashBenchRun& run) {
  using Row = measure::HashBenchRow;
  const std::vector<Row>& rows = run.result.rows;
  measure::ResultTable table;
  table.column("table", "", rows, &Row::table)
      .column("item_words", "words", rows, &Row::item_words)
      .column("load_factor", "items per bucket", rows, &Row::load_factor)
      .column("op", "", rows, &Row::op)
      .column("hit_rate", "percent", rows, &Row::hit_rate);
  add_times(table, rows);
  table.column("repetitions", "", rows, &Row::repetitions)
      .column("items", "items", rows, &Row::items)
      .column("bytes", "bytes", rows, &Row::bytes)
      .column("allocated_bytes", "bytes", rows, &Row::allocated_bytes)
      .column("bytes_per_op", "bytes per item", rows, &Row::bytes_per_op)
      .column("ceiling_share", "1", rows, &Row::ceiling_share)
      .column("ceiling_share_128", "1", rows, &Row::ceiling_share_128);
  return table;
}

measure::ResultGroup results_of(const HashBenchRun& run) {
  measure::ResultGroup results;
  set_run(results, run);
  measure::ResultGroup& hash = results.group({".", "hash"});
  hash.set("fill", run.result.sizes.fill, "items")
      .set("batch", run.result.sizes.batch, "items")
      .set("seconds", run.result.seconds, "s");
  hash.put("ceilings", ceilings_table(run.result.ceilings));
  hash.put("rows", rows_table(run));
  return results;
}

}  // namespace vox
