#include "tools/vox-bench/keys_report.h"

#include <fmt/format.h>

#include "libvox/base/units.h"
#include "tools/vox-bench/ceilings.h"

namespace vox {
namespace {

using Row = measure::KeysBenchRow;

// A column of a time of the rows, in ms.
void add_time(measure::ResultTable& table, const char* name, const std::vector<Row>& rows,
              double measure::Timing::*which) {
  table.column(name, "ms", rows, [&](const Row& row) {
    return row.time ? std::optional((*row.time).*which * 1e3) : std::nullopt;
  });
}

measure::ResultTable failures_table(const std::vector<measure::KeyFailuresRow>& rows) {
  using Failures = measure::KeyFailuresRow;
  measure::ResultTable table;
  table.column("table", "", rows, &Failures::table)
      .column("key_bits", "bits", rows, &Failures::key_bits)
      .column("load_factor", "1", rows, &Failures::load_factor)
      .column("keys", "keys", rows, &Failures::keys)
      .column("builds", "builds", rows, &Failures::builds)
      .column("retried", "builds", rows, &Failures::retried)
      .column("failed", "builds", rows, &Failures::failed)
      .column("most_attempts", "", rows, &Failures::most_attempts)
      .column("restarts", "", rows, &Failures::restarts)
      .column("most_probes", "", rows, &Failures::most_probes)
      .column("error", "", rows, &Failures::error);
  return table;
}

}  // namespace

measure::ResultTable rows_table(const measure::KeysBenchResult& result) {
  const std::vector<Row>& rows = result.rows;
  measure::ResultTable table;
  table.column("table", "", rows, &Row::table)
      .column("set", "", rows, &Row::set)
      .column("layout", "", rows, &Row::layout)
      .column("key_bits", "bits", rows, &Row::key_bits)
      .column("value_bits", "bits", rows, &Row::value_bits)
      .column("cell_bits", "bits", rows, &Row::cell_bits)
      .column("keys", "keys", rows, &Row::keys)
      .column("load_factor", "1", rows, &Row::load_factor)
      .column("op", "", rows, &Row::op)
      .column("hit_rate", "percent", rows, &Row::hit_rate)
      .column("items", "keys", rows, &Row::items);
  add_time(table, "ms", rows, &measure::Timing::median);
  add_time(table, "ms_min", rows, &measure::Timing::min);
  add_time(table, "ms_max", rows, &measure::Timing::max);
  table.column("repetitions", "", rows, &Row::repetitions)
      .column("per_second", "1/s", rows, &Row::items_per_second)
      .column("sectors", "sectors per key", rows, &Row::sectors)
      .column("ceiling_share", "1", rows, &Row::ceiling_share)
      .column("bytes", "bytes", rows, &Row::bytes)
      .column("attempts", "", rows, &Row::attempts)
      .column("restarts", "", rows, &Row::restarts)
      .column("most_probes", "", rows, &Row::most_probes)
      .column("wrong", "keys", rows, &Row::wrong)
      .column("error", "", rows, &Row::error);
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

std::string set_text(const Row& row) {
  const std::string layout = row.layout.empty() ? "" : ", " + row.layout;
  const std::string values = row.value_bits > 0 ? fmt::format(", values of {}", row.value_bits) : "";
  return fmt::format("{}{}, {} of {} bits{}", row.set, layout, format_count(row.keys, "key"), row.key_bits,
                     values);
}

std::string op_text(const Row& row) {
  return row.hit_rate ? fmt::format("{} {} %", row.op, *row.hit_rate) : row.op;
}

}  // namespace vox
