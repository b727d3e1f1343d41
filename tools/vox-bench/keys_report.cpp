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

// Returns the share of `part` in `all`; none if `all` is 0.
std::optional<double> share_of(uint64_t part, uint64_t all) {
  if (all == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(all);
}

measure::Headings percent(const char* title, int digits) {
  const measure::Look look = measure::Look::fixed(digits, 100);
  return {{title, look, "%"}, {title, look, "%"}};
}

measure::ResultTable measured_table(const std::vector<KeysRow>& rows) {
  measure::ResultTable table = points_table(rows);
  table.column("multiplicity", "values", rows, &KeysRow::multiplicity)
      .column("op", "", rows, &KeysRow::op)
      .column("hit_rate", "percent", rows, &KeysRow::hit_rate)
      .column("items", "keys", rows, &KeysRow::items);
  add_times(table, rows);
  table.column("repetitions", "", rows, &KeysRow::repetitions)
      .column("per_second", "1/s", rows, &KeysRow::items_per_second)
      .column("sectors", "sectors per key", rows, &KeysRow::sectors)
      .column("warp_sectors", "sectors per key", rows, &KeysRow::warp_sectors)
      .column("ceiling_share", "1", rows, &KeysRow::ceiling_share)
      .column("bytes", "bytes", rows, &KeysRow::bytes)
      .column("bytes_per_key", "bytes per key", rows, &KeysRow::bytes_per_key)
      .column("attempts", "", rows, &KeysRow::attempts)
      .column("restarts", "", rows, &KeysRow::restarts)
      .column("most_probes", "", rows, &KeysRow::most_probes)
      .column("wrong", "keys", rows, &KeysRow::wrong)
      .column("error", "", rows, &KeysRow::error);
  return table;
}

measure::ResultTable ages_table(const std::vector<measure::KeyAgesRow>& rows) {
  measure::ResultTable table = points_table(rows);
  table.column("age", "", rows, &measure::KeyAgesRow::age)
      .column("count", "keys", rows, &measure::KeyAgesRow::count)
      .column("share", "1", rows, &measure::KeyAgesRow::share);
  return table;
}

// The ages of the keys of one table.
struct AgesSummary : measure::KeyTablePoint {
  double mean = 0;
  uint32_t most_of_99 = 0, most = 0;  // of 99 in a hundred; of all
};

std::vector<AgesSummary> summaries_of(const std::vector<measure::KeyAgesRow>& rows) {
  std::vector<AgesSummary> summaries;
  std::vector<uint64_t> counted;  // keys, for each summary
  for (const measure::KeyAgesRow& row : rows) {
    if (row.age == 1) {
      summaries.push_back({row.point()});
      counted.push_back(0);
    }
    AgesSummary& summary = summaries.back();
    summary.mean += row.share() * row.age;
    if (100 * counted.back() < 99 * row.keys) summary.most_of_99 = row.age;
    counted.back() += row.count;
    summary.most = row.age;
  }
  return summaries;
}

}  // namespace

measure::ResultTable failures_table(const std::vector<measure::KeyFailuresRow>& rows) {
  using Failures = measure::KeyFailuresRow;
  measure::ResultTable table = points_table(rows);
  table.column("builds", "builds", rows, &Failures::builds, counted("builds"))
      .column("retried", "builds", rows, &Failures::retried, counted("retried"))
      .column(
          "retried_share", "1", rows, [](const Failures& row) { return share_of(row.retried, row.builds); },
          percent("of builds", 3))
      .column("failed", "builds", rows, &Failures::failed, counted("failed"))
      .column("most_attempts", "", rows, &Failures::most_attempts, counted("most attempts"))
      .column("restarts", "", rows, &Failures::restarts, counted("restarts"))
      .column("parts", "", rows, &Failures::parts)
      .column(
          "restarts_share", "1", rows, [](const Failures& row) { return share_of(row.restarts, row.parts); },
          percent("of parts", 3))
      .column("most_probes", "", rows, &Failures::most_probes, counted("probes"))
      .column("error", "", rows, &Failures::error);
  return table;
}

measure::ResultTable ages_summary(const std::vector<measure::KeyAgesRow>& rows) {
  const std::vector<AgesSummary> summaries = summaries_of(rows);
  measure::ResultTable table;
  table.column("table", "", summaries, &AgesSummary::table, measure::both({"table"}))
      .column(
          "keys", "", summaries, [](const AgesSummary& row) { return set_text(row); },
          measure::both({"keys", measure::Look::words()}))
      .column("load_factor", "", summaries, &AgesSummary::load_factor, measure::both({"load factor"}))
      .column("mean", "", summaries, &AgesSummary::mean, measure::both({"mean age", measure::Look::fixed(3)}))
      .column("most_of_99", "", summaries, &AgesSummary::most_of_99, counted("of 99 %"))
      .column("most", "", summaries, &AgesSummary::most, counted("of all"));
  return table;
}

measure::ResultTable rows_table(const KeysBenchRun& run) {
  return run.result.rows.empty() ? ages_table(run.result.ages) : measured_table(run.result.rows);
}

measure::ResultGroup results_of(const KeysBenchRun& run) {
  measure::ResultGroup results;
  set_run(results, run);
  measure::ResultGroup& keys = results.group({".", "keys"});
  keys.set("keys", run.result.sizes.keys, "keys")
      .set("searches", run.result.sizes.searches, "keys")
      .set("seconds", run.result.seconds, "s");
  keys.put("ceilings", ceilings_table(run.result.ceilings));
  keys.put("rows", measured_table(run.result.rows));
  if (!run.result.ages.empty()) keys.put("ages", ages_table(run.result.ages));
  if (!run.result.failures.empty()) keys.put("failures", failures_table(run.result.failures));
  return results;
}

std::string set_text(const measure::KeyTablePoint& row) {
  const std::string layout = row.layout.empty() ? "" : ", " + row.layout;
  const std::string values = row.value_bits > 0 ? fmt::format(", values of {}", row.value_bits) : "";
  return fmt::format("{}{}, {} of {} bits{}", row.set, layout, format_count(row.keys, "key"), row.key_bits,
                     values);
}

std::string set_text(const KeysRow& row) {
  return set_text(row.point()) +
         (row.multiplicity ? fmt::format(", {} of each", format_count(*row.multiplicity, "value")) : "");
}

std::string op_text(const KeysRow& row) {
  return row.hit_rate ? fmt::format("{} {} %", row.op, *row.hit_rate) : row.op;
}

}  // namespace vox
