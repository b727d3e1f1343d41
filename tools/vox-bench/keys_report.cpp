#include "tools/vox-bench/keys_report.h"

#include <fmt/format.h>

#include "libvox/base/units.h"
#include "tools/vox-bench/ceilings.h"
#include "tools/vox-bench/columns.h"

namespace vox {
namespace {

using KeysRow = measure::KeysBenchRow;

// The columns that all rows have.
measure::ResultTable points_table(const auto& rows) {
  using Row = std::ranges::range_value_t<decltype(rows)>;
  measure::ResultTable table;
  table.column("table", "", rows, &Row::table, measure::both({"table"}))
      .column("set", "", rows, &Row::set)
      .column("layout", "", rows, &Row::layout)
      .column("key_bits", "bits", rows, &Row::key_bits, measure::both({"key bits"}))
      .column("value_bits", "bits", rows, &Row::value_bits)
      .column("cell_bits", "bits", rows, &Row::cell_bits)
      .column("keys", "keys", rows, &Row::keys)
      .column("load_factor", "1", rows, &Row::load_factor, measure::both({"load factor"}));
  return table;
}

measure::Headings counted(const char* title) {
  return measure::both({title, measure::Look::count()});
}

}  // namespace

measure::ResultTable failures_table(const std::vector<measure::KeyFailuresRow>& rows) {
  using Failures = measure::KeyFailuresRow;
  measure::ResultTable table = points_table(rows);
  table.column("builds", "builds", rows, &Failures::builds, counted("builds"))
      .column("retried", "builds", rows, &Failures::retried, counted("retried"))
      .column("failed", "builds", rows, &Failures::failed, counted("failed"))
      .column("most_attempts", "", rows, &Failures::most_attempts, counted("most attempts"))
      .column("restarts", "", rows, &Failures::restarts, counted("restarts"))
      .column("most_probes", "", rows, &Failures::most_probes, counted("probes"))
      .column("error", "", rows, &Failures::error);
  return table;
}

measure::ResultTable rows_table(const measure::KeysBenchResult& result) {
  const std::vector<KeysRow>& rows = result.rows;
  measure::ResultTable table = points_table(rows);
  table.column("op", "", rows, &KeysRow::op)
      .column("hit_rate", "percent", rows, &KeysRow::hit_rate)
      .column("items", "keys", rows, &KeysRow::items);
  add_times(table, rows);
  table.column("repetitions", "", rows, &KeysRow::repetitions)
      .column("per_second", "1/s", rows, &KeysRow::items_per_second)
      .column("sectors", "sectors per key", rows, &KeysRow::sectors)
      .column("ceiling_share", "1", rows, &KeysRow::ceiling_share)
      .column("bytes", "bytes", rows, &KeysRow::bytes)
      .column("attempts", "", rows, &KeysRow::attempts)
      .column("restarts", "", rows, &KeysRow::restarts)
      .column("most_probes", "", rows, &KeysRow::most_probes)
      .column("wrong", "keys", rows, &KeysRow::wrong)
      .column("error", "", rows, &KeysRow::error);
  return table;
}

measure::ResultGroup results_of(const KeysBenchRun& run) {
  measure::ResultGroup results;
  set_run(results, run);
  measure::ResultGroup& keys = results.group({".", "keys"});
  keys.set("keys", run.result.sizes.keys, "keys")
      .set("searches", run.result.sizes.searches, "keys")
      .set("seconds", run.result.seconds, "s");
  keys.put("ceilings", ceilings_table(run.result.ceilings));
  keys.put("rows", rows_table(run.result));
  if (!run.result.failures.empty()) keys.put("failures", failures_table(run.result.failures));
  return results;
}

std::string set_text(const KeysRow& row) {
  const std::string layout = row.layout.empty() ? "" : ", " + row.layout;
  const std::string values = row.value_bits > 0 ? fmt::format(", values of {}", row.value_bits) : "";
  return fmt::format("{}{}, {} of {} bits{}", row.set, layout, format_count(row.keys, "key"), row.key_bits,
                     values);
}

std::string op_text(const KeysRow& row) {
  return row.hit_rate ? fmt::format("{} {} %", row.op, *row.hit_rate) : row.op;
}

}  // namespace vox
