#include <fmt/format.h>

#include <algorithm>

#include "formats/results/views.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/reports.h"
#include "tools/vox-bench/results.h"

namespace vox {
namespace {

using KeysRow = measure::KeysBenchRow;
using AgesRow = measure::KeyAgesRow;
using FailuresRow = measure::KeyFailuresRow;

// The columns that all rows have.
ResultTable points_table(const auto& rows) {
  using Row = std::ranges::range_value_t<decltype(rows)>;
  ResultTable table;
  table
      .column("table", "", rows, &Row::table, both({"table"}),
              "Name of the table of voxel keys, as for `--tables`.")
      .column("set", "", rows, &Row::set,
              "The set of keys: `random`, `pixels`, `image`, `surface` or `painted`.")
      .column("layout", "", rows, &Row::layout,
              "The order of the keys: `row-major`, `morton` or `bit-reversed`; empty for random keys.")
      .column("key_bits", "bits", rows, &Row::key_bits, both({"key bits"}),
              "Number of bits of a key at most.")
      .column("value_bits", "bits", rows, &Row::value_bits, "Number of bits of a key's value.")
      .column("cell_bits", "bits", rows, &Row::cell_bits,
              "Number of bits of the word that holds key and value.")
      .column("keys", "keys", rows, &Row::keys, "Number of keys that the table holds.")
      .column("load_factor", "1", rows, &Row::load_factor, both({"load factor"}),
              "Number of keys for each cell, as far as the table can choose.");
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

}  // namespace

ResultTable keys_rows_table(const std::vector<KeysRow>& rows) {
  ResultTable table = points_table(rows);
  table
      .column("multiplicity", "values", rows, &KeysRow::multiplicity,
              "Mean number of values of a key, if keys have several.")
      .column("op", "", rows, &KeysRow::op,
              "The operation: `build`, `build-ordered`, `find-stored`, `find`, `build-and-find`, `find-all`, "
              "`find-view`, `change`, `find-changed`, `build-multi`, `find-multi`, `build-index` or "
              "`find-index`.")
      .column("hit_rate", "percent", rows, &KeysRow::hit_rate,
              "Share of the searched keys that are stored, for `find` and `find-changed`.")
      .column("items", "keys", rows, &KeysRow::items,
              "Number of keys that a repetition builds a table from, searches, or erases and adds.");
  add_times(table, rows);
  table.column("repetitions", "", rows, &KeysRow::repetitions, "Number of repetitions.")
      .column("per_second", "1/s", rows, &KeysRow::items_per_second, "Keys per second, by the median.")
      .column("frames_per_second", "1/s", rows, &KeysRow::frames_per_second,
              "Pictures per second, by the median, for `find-view`.")
      .column("sectors", "sectors per key", rows, &KeysRow::sectors,
              "Mean number of sectors of 32 bytes that a search reads.")
      .column("warp_sectors", "sectors per key", rows, &KeysRow::warp_sectors,
              "The same if 32 searches share the sectors that they read at one step; for `find-all` and "
              "`find-view`, unless 32 lanes search a table together.")
      .column("ceiling_share", "1", rows, &KeysRow::ceiling_share,
              "Share of the ceiling of random reads of 32 bytes.")
      .column("bytes", "bytes", rows, &KeysRow::bytes, "Size of the table, if it could be built.")
      .column("bytes_per_key", "bytes per key", rows, &KeysRow::bytes_per_key,
              "Size of the table for each key, or for each value if keys have several.")
      .column("key_density", "1", rows, &KeysRow::key_density,
              "Bits of all keys, divided by those of the table without values.")
      .column("attempts", "", rows, &KeysRow::attempts,
              "Number of attempts of the build, each with other hash functions.")
      .column("restarts", "", rows, &KeysRow::restarts, "Number of restarts of parts of the table.")
      .column("iterations", "", rows, &KeysRow::iterations,
              "Mean number of iterations in which a bucket of `cuckoo2009` is built, each through all "
              "sub-tables.")
      .column("most_probes", "", rows, &KeysRow::most_probes, "Number of places that a search may look at.")
      .column("wrong", "keys", rows, &KeysRow::wrong,
              "Number of wrong results of searches, in all repetitions.")
      .column("error", "", rows, &KeysRow::error,
              "The reason if there are no times or the results are wrong; otherwise empty.");
  return table;
}

namespace {

// The kernels of all builds, one after the other.
ResultTable kernels_table(const KernelRows<KeysRow>& of) {
  ResultTable table = points_table(of.rows);
  table.column("op", "", of.rows, &KeysRow::op, "The operation: `build` or `build-ordered`.");
  add_kernel_columns(table, of.kernels);
  return table;
}

// A line for each build, with the milliseconds of its steps.
std::string steps_text(const std::vector<KeysRow>& rows) {
  const Kernels all = kernels_of(rows);
  if (all.empty()) return "";
  std::vector<std::string> titles = {"table", "keys", "load"};
  for (const device::KernelTime& kernel : all) titles.push_back(kernel.name);
  TextTable table(std::move(titles));
  for (const KeysRow& row : rows) {
    if (row.kernels.empty()) continue;
    std::vector<std::string> cells = {row.table, format_count(row.keys), fmt::format("{}", row.load_factor)};
    for (const device::KernelTime& kernel : all)
      cells.push_back(fmt::format("{:.3f}", device::seconds_of(row.kernels, kernel.name) * 1e3));
    table.row(std::move(cells));
  }
  return "\nsteps of one build, ms\n" + table.text();
}

}  // namespace

ResultTable ages_table(const std::vector<AgesRow>& rows) {
  ResultTable table = points_table(rows);
  table
      .column(
          "age", "", rows, &AgesRow::age,
          "The place, counted from 1, of those that a search looks at. 255 stands for all later places, too.")
      .column("count", "keys", rows, &AgesRow::count, "Number of keys that are found there.")
      .column("share", "1", rows, &AgesRow::share, "Share of all keys.");
  return table;
}

ResultTable failures_table(const std::vector<FailuresRow>& rows) {
  ResultTable table = points_table(rows);
  table
      .column("builds", "builds", rows, &FailuresRow::builds, counted("builds"),
              "Number of builds; 0 if the table does not offer the load factor.")
      .column("retried", "builds", rows, &FailuresRow::retried, counted("retried"),
              "Number of builds that needed more than one attempt.")
      .column(
          "retried_share", "1", rows,
          [](const FailuresRow& row) { return share_of(row.retried, row.builds); }, percent("of builds", 3),
          "Share of these builds in all, if there are any.")
      .column("failed", "builds", rows, &FailuresRow::failed, counted("failed"),
              "Number of builds without success.")
      .column("most_attempts", "", rows, &FailuresRow::most_attempts, counted("most attempts"),
              "Greatest number of attempts of a build.")
      .column("restarts", "", rows, &FailuresRow::restarts, counted("restarts"),
              "Number of restarts of parts of tables, in all builds.")
      .column("parts", "", rows, &FailuresRow::parts,
              "Number of these parts, such as the buckets of `cuckoo2009`.")
      .column(
          "restarts_share", "1", rows,
          [](const FailuresRow& row) { return share_of(row.restarts, row.parts); }, percent("of parts", 3),
          "Restarts for each part, if tables have parts.")
      .column("most_probes", "", rows, &FailuresRow::most_probes, counted("probes"),
              "Greatest number of places that a search may look at.")
      .column("error", "", rows, &FailuresRow::error,
              "The error of the first build that failed; otherwise empty.");
  return table;
}

std::string set_text(const ResultRow& row) {
  const std::string layout = row.word("layout").empty() ? "" : ", " + row.word("layout");
  const std::string values = row.number("value_bits") > 0 ? ", values of " + row.text("value_bits") : "";
  const std::string each =
      row.has("multiplicity")
          ? fmt::format(", {} of each",
                        format_count(static_cast<uint64_t>(row.number("multiplicity")), "value"))
          : "";
  return fmt::format("{}{}, {} of {} bits{}{}", row.word("set"), layout, counted_text(row, "keys", "key"),
                     row.text("key_bits"), values, each);
}

std::string set_text(const measure::KeyTablePoint& point) {
  const ResultTable table = points_table(std::vector{point});
  return set_text(ResultRow(table, 0));
}

std::string op_text(const ResultRow& row) {
  return row.has("hit_rate") ? row.word("op") + " " + row.text("hit_rate") + " %" : row.word("op");
}

namespace {

// The ages of the keys of one table.
struct AgesSummary : measure::KeyTablePoint {
  double mean = 0;
  uint32_t most_of_99 = 0, most = 0;  // of 99 in a hundred; of all
};

std::vector<AgesSummary> summaries_of(const std::vector<AgesRow>& rows) {
  std::vector<AgesSummary> summaries;
  std::vector<uint64_t> counted;  // keys, for each summary
  for (const AgesRow& row : rows) {
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

ResultTable ages_summary(const std::vector<AgesRow>& rows) {
  const std::vector<AgesSummary> summaries = summaries_of(rows);
  const ResultTable points = points_table(summaries);
  ResultTable table;
  table.column("table", "", summaries, &AgesSummary::table, both({"table"}))
      .column(
          "keys", "", rows_of(points), [](const ResultRow& row) { return set_text(row); },
          both({"keys", Look::words()}))
      .column("load_factor", "", summaries, &AgesSummary::load_factor, both({"load factor"}))
      .column("mean", "", summaries, &AgesSummary::mean, both({"mean age", Look::fixed(3)}))
      .column("most_of_99", "", summaries, &AgesSummary::most_of_99, counted("of 99 %"))
      .column("most", "", summaries, &AgesSummary::most, counted("of all"));
  return table;
}

ResultTable rows_table(const KeysBenchRun& run) {
  return run.result.rows.empty() ? ages_table(run.result.ages) : keys_rows_table(run.result.rows);
}

namespace {

std::string measure_name(const auto& names, auto value) {
  return names[static_cast<size_t>(value)];
}

}  // namespace

void set_results(ResultGroup& keys, const KeysBenchRun& run) {
  keys.set("keys", run.result.sizes.keys, "keys",
           "Numbers of keys that tables are built from. A set with a shape has about as many.")
      .set("searches", run.result.sizes.searches, "keys",
           "Number of keys that are searched at once, except for `find-all`, `find-view` and keys with "
           "several values.")
      .set("age_bits", run.result.age_bits, "bits",
           "Number of bits of a maximum age of `robin` and `robin-random`.")
      .set("maximum_ages", measure_name(hash::kMaximumAgesNames, run.result.maximum_ages),
           "How these tables get their maximum ages: `gathered`, `atomic` or `none`.")
      .set("first_age", measure_name(hash::kFirstAgeNames, run.result.first_age),
           "The age at which searches in these tables begin: `one` or `mean`.");
  set_seconds(keys, run.result.seconds);
  keys.put("ceilings", ceilings_table(run.result.ceilings));
  keys.put("rows", keys_rows_table(run.result.rows));
  if (const auto kernels = kernels_by_row(run.result.rows); !kernels.rows.empty())
    keys.put("kernels", kernels_table(kernels));
  if (!run.result.ages.empty()) keys.put("ages", ages_table(run.result.ages));
  if (!run.result.failures.empty()) keys.put("failures", failures_table(run.result.failures));
}

namespace {

// The lines that vox-bench keys prints, a table for each set of keys.

// "512.3  1.24  0.31   45 %": millions of keys a second, sectors that a search reads, that it reads where those
// beside it share them, share of the ceiling; of a build its rate and how far the other times are from the
// median.
std::string rate_text(const ResultRow& row) {
  const std::string millions = row.text("per_second", Look::fixed(1, 1e-6));
  if (!row.has("sectors")) return fmt::format("{} ±{:3.0f} %", millions, time_of(row).spread() * 100);
  const std::string warp = row.has("warp_sectors") ? fmt::format(" {:5.2f}", row.number("warp_sectors")) : "";
  return fmt::format("{} {:5.2f}{} {:4.0f} %", millions, row.number("sectors"), warp,
                     row.number("ceiling_share") * 100);
}

std::string text_or_dash(const ResultRow& row, std::string_view column, const Look& look = {}) {
  return row.has(column) ? row.text(column, look) : "-";
}

std::vector<LinePart> parts_of_keys(const ResultRow& row) {
  std::vector<LinePart> parts = {{0, "table", row.word("table")}, {0, "load", row.text("load_factor")}};
  if (row.has("ms")) parts.push_back({1, op_text(row), rate_text(row)});
  parts.push_back({2, "MiB", text_or_dash(row, "bytes", Look::mib())});
  parts.push_back({2, "attempts", text_or_dash(row, "attempts")});
  parts.push_back({2, "probes", text_or_dash(row, "most_probes")});
  return parts;
}

const LineView kKeysLines = {
    .line = [](const ResultRow& row) { return row.word("table") + " " + row.text("load_factor"); },
    .parts = parts_of_keys,
    .missing = "-"};

// Lines that say what is wrong, if anything is.
std::string errors_text(const ResultRows& rows) {
  std::string text;
  for (const ResultRow& row : rows_with_errors(rows))
    text += fmt::format("  {} at {}: {}\n", row.word("table"), row.text("load_factor"), row.word("error"));
  return text;
}

std::string ages_text(const std::vector<AgesRow>& rows) {
  return rows.empty() ? "" : "\nages of keys\n" + text_table(ages_summary(rows)).text();
}

std::string failures_text(const std::vector<FailuresRow>& rows) {
  if (rows.empty()) return "";
  const ResultTable table = failures_table(rows);
  return fmt::format("\nbuilds of {} random keys\n{}{}", format_count(rows.front().keys),
                     text_table(table).text(), errors_text(rows_of(table)));
}

}  // namespace

std::string table_text(const KeysBenchRun& run) {
  const ResultTable table = keys_rows_table(run.result.rows);
  std::string text = fmt::format(
      "{}\n{}millions of keys a second; of builds with how far other times are from the median; of searches "
      "with the\n"
      "sectors of 32 bytes that one reads; in the order of a picture also with those that 32 of them read "
      "together;\n"
      "and the share that all of them are of the first of these ceilings (above 100 % where a sector serves "
      "several)\n",
      run.device_text, ceilings_text(run.result.ceilings));
  for (const ResultRows& set : runs_of(rows_of(table), [](const ResultRow& row) { return set_text(row); }))
    text += fmt::format("\n{}\n{}{}", set_text(set.front()), line_table(set, kKeysLines).text(),
                        errors_text(set));
  return text + steps_text(run.result.rows) + ages_text(run.result.ages) + failures_text(run.result.failures);
}

}  // namespace vox
