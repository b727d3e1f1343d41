#include "tools/vox-bench/reports.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/results/tables.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/columns.h"

namespace vox {
namespace {

using KeysRow = measure::KeysBenchRow;

// The columns that all rows have.
ResultTable points_table(const auto& rows) {
  using Row = std::ranges::range_value_t<decltype(rows)>;
  ResultTable table;
  table.column("table", "", rows, &Row::table, both({"table"}))
      .column("set", "", rows, &Row::set)
      .column("layout", "", rows, &Row::layout)
      .column("key_bits", "bits", rows, &Row::key_bits, both({"key bits"}))
      .column("value_bits", "bits", rows, &Row::value_bits)
      .column("cell_bits", "bits", rows, &Row::cell_bits)
      .column("keys", "keys", rows, &Row::keys)
      .column("load_factor", "1", rows, &Row::load_factor, both({"load factor"}));
  return table;
}

Headings counted(const char* title) {
  return both({title, Look::count()});
}

// Returns the share of `part` in `all`; none if `all` is 0.
std::optional<double> share_of(uint64_t part, uint64_t all) {
  if (all == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(all);
}

Headings percent(const char* title, int digits) {
  const Look look = Look::fixed(digits, 100);
  return {{title, look, "%"}, {title, look, "%"}};
}

ResultTable measured_table(const std::vector<KeysRow>& rows) {
  ResultTable table = points_table(rows);
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

ResultTable ages_table(const std::vector<measure::KeyAgesRow>& rows) {
  ResultTable table = points_table(rows);
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

ResultTable failures_table(const std::vector<measure::KeyFailuresRow>& rows) {
  using Failures = measure::KeyFailuresRow;
  ResultTable table = points_table(rows);
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

ResultTable ages_summary(const std::vector<measure::KeyAgesRow>& rows) {
  const std::vector<AgesSummary> summaries = summaries_of(rows);
  ResultTable table;
  table.column("table", "", summaries, &AgesSummary::table, both({"table"}))
      .column(
          "keys", "", summaries, [](const AgesSummary& row) { return set_text(row); },
          both({"keys", Look::words()}))
      .column("load_factor", "", summaries, &AgesSummary::load_factor, both({"load factor"}))
      .column("mean", "", summaries, &AgesSummary::mean, both({"mean age", Look::fixed(3)}))
      .column("most_of_99", "", summaries, &AgesSummary::most_of_99, counted("of 99 %"))
      .column("most", "", summaries, &AgesSummary::most, counted("of all"));
  return table;
}

ResultTable rows_table(const KeysBenchRun& run) {
  return run.result.rows.empty() ? ages_table(run.result.ages) : measured_table(run.result.rows);
}

ResultGroup results_of(const KeysBenchRun& run) {
  ResultGroup results;
  set_run(results, run);
  ResultGroup& keys = results.group({".", "keys"});
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

namespace {

// The tables that vox-bench keys prints.

using KeysRows = std::vector<const KeysRow*>;

// Cuts rows into runs of those for which same(row, the one before it) holds.
template <class Same>
std::vector<KeysRows> runs_of(const KeysRows& rows, const Same& same) {
  std::vector<KeysRows> runs;
  for (const KeysRow* row : rows) {
    if (runs.empty() || !same(*row, *runs.back().back())) runs.emplace_back();
    runs.back().push_back(row);
  }
  return runs;
}

// "512.3  1.24  0.31   45 %": millions of keys a second, sectors that a search reads, that it reads where those
// beside it share them, share of the ceiling; of a build its rate and how far the other times are from the
// median.
std::string rate_text(const KeysRow& row) {
  const auto rate = row.items_per_second();
  if (!rate) return "-";
  const std::string millions = fmt::format("{:.1f}", *rate * 1e-6);
  if (row.sectors)
    return fmt::format("{} {:5.2f}{} {:4.0f} %", millions, *row.sectors,
                       row.warp_sectors ? fmt::format(" {:5.2f}", *row.warp_sectors) : "",
                       row.ceiling_share.value_or(0) * 100);
  return fmt::format("{} ±{:3.0f} %", millions, row.time->spread() * 100);
}

// The headings of all that was measured with one set, in the order in which it comes first.
std::vector<std::string> ops_of(const KeysRows& rows) {
  std::vector<std::string> ops;
  for (const KeysRow* row : rows)
    if (row->time && std::ranges::find(ops, op_text(*row)) == ops.end()) ops.push_back(op_text(*row));
  return ops;
}

std::vector<std::string> cells_of(const KeysRows& line, const std::vector<std::string>& ops) {
  const KeysRow& first = *line.front();
  std::vector<std::string> cells = {first.table, fmt::format("{}", first.load_factor)};
  for (const std::string& op : ops) {
    const auto found = std::ranges::find_if(line, [&](const KeysRow* row) { return op_text(*row) == op; });
    cells.push_back(found == line.end() ? "-" : rate_text(**found));
  }
  cells.push_back(first.bytes ? format_mib(*first.bytes) : "-");
  for (const auto& count : {first.attempts, first.most_probes})
    cells.push_back(count ? std::to_string(*count) : "-");
  return cells;
}

// A line that says what is wrong, if anything is.
std::string error_text(const measure::KeyTablePoint& row) {
  return row.error.empty() ? "" : fmt::format("  {} at {}: {}\n", row.table, row.load_factor, row.error);
}

// The lines of one set, and then what kept tables from being measured.
std::string set_lines(const KeysRows& rows) {
  const std::vector<std::string> ops = ops_of(rows);
  std::vector<std::string> titles = {"table", "load"};
  titles.insert(titles.end(), ops.begin(), ops.end());
  titles.insert(titles.end(), {"MiB", "attempts", "probes"});
  TextTable table(std::move(titles));
  std::string errors;
  for (const KeysRows& line : runs_of(rows, [](const KeysRow&a, const KeysRow&b) {
         return a.table == b.table && a.load_factor == b.load_factor;
       })) {
    table.row(cells_of(line, ops));
    for (const KeysRow* row : line) errors += error_text(*row);
  }
  return fmt::format("\n{}\n{}{}", set_text(*rows.front()), table.text(), errors);
}

std::string ages_text(const std::vector<measure::KeyAgesRow>& rows) {
  return rows.empty() ? "" : "\nages of keys\n" + text_table(ages_summary(rows)).text();
}

std::string failures_text(const std::vector<measure::KeyFailuresRow>& rows) {
  if (rows.empty()) return "";
  std::string errors;
  for (const measure::KeyFailuresRow& row : rows) errors += error_text(row);
  return fmt::format("\nbuilds of {} random keys\n{}{}", format_count(rows.front().keys),
                     text_table(failures_table(rows)).text(), errors);
}

}  // namespace

std::string table_text(const KeysBenchRun& run) {
  KeysRows rows;
  for (const KeysRow& row : run.result.rows) rows.push_back(&row);
  std::string text = fmt::format(
      "{}\n{}"
      "millions of keys a second; of builds with how far other times are from the median; of searches with "
      "the\n"
      "sectors of 32 bytes that one reads; in the order of a picture also with those that 32 of them read "
      "together;\n"
      "and the share that all of them are of the first of these ceilings (above 100 % where a sector serves "
      "several)\n",
      run.device_text, ceilings_text(run.result.ceilings));
  for (const KeysRows& set :
       runs_of(rows, [](const KeysRow&a, const KeysRow&b) { return set_text(a) == set_text(b); }))
    text += set_lines(set);
  return text + ages_text(run.result.ages) + failures_text(run.result.failures);
}

}  // namespace vox
