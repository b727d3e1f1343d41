// The tables that vox-bench keys prints.
#include <fmt/format.h>

#include <algorithm>

#include "formats/results/text_table.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/ceilings.h"
#include "tools/vox-bench/keys_report.h"

namespace vox {
namespace {

using KeysRow = measure::KeysBenchRow;
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
