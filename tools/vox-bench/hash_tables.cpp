// The tables that vox-bench hash prints.
#include <fmt/format.h>

#include <algorithm>

#include "formats/results/text_table.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/ceilings.h"
#include "tools/vox-bench/hash_report.h"

namespace vox {
namespace {

using HashRow = measure::HashBenchRow;

// The rows of one table with items of one size: a line to print, as in Table 2 with the insertion first.
struct Line {
  const HashRow* filled = nullptr;  // null in a line of the duplicates
  std::vector<const HashRow*> timed = {};
  const HashRow& first() const { return *timed.front(); }
};

bool share_axes(const HashRow& a, const HashRow& b) {
  return a.item_words == b.item_words && a.load_factor == b.load_factor;
}

bool share_a_line(const HashRow& a, const HashRow& b) {
  return share_axes(a, b) && a.table == b.table && (a.op == "duplicates") == (b.op == "duplicates");
}

std::vector<Line> lines_of(const std::vector<HashRow>& rows) {
  std::vector<Line> lines;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i == 0 || !share_a_line(rows[i - 1], rows[i])) lines.emplace_back();
    Line& line = lines.back();
    if (rows[i].op == "fill") {
      line.filled = &rows[i];
    } else {
      line.timed.insert(rows[i].op == "insert" ? line.timed.begin() : line.timed.end(), &rows[i]);
    }
  }
  return lines;
}

// "0.512 ±  2 %  45 %": the median in ms, how far the others are from it at most, the share of the ceiling.
std::string time_text(const HashRow& row) {
  const std::string share = row.ceiling_share > 0 ? fmt::format("{:5.0f} %", row.ceiling_share * 100) : "";
  return fmt::format("{:.3f} ±{:3.0f} %{}", row.time.median * 1e3, row.time.spread() * 100, share);
}

std::string heading(const HashRow& row) {
  if (row.op == "search") return fmt::format("search {} %", row.hit_rate);
  if (row.op == "duplicates") return fmt::format("{} % copies", row.hit_rate);
  return row.op;
}

std::vector<std::string> headings(const Line& line) {
  std::vector<std::string> cells = {"words, table"};
  if (line.filled) cells.emplace_back("load");
  for (const HashRow* row : line.timed) cells.push_back(heading(*row));
  if (line.filled) cells.insert(cells.end(), {"MiB filled", "MiB inserted"});
  return cells;
}

std::vector<std::string> cells_of(const Line& line) {
  const HashRow& row = line.first();
  std::vector<std::string> cells = {fmt::format("{:>2}  {}", row.item_words, row.table)};
  if (line.filled) cells.push_back(std::to_string(row.load_factor));
  for (const HashRow* timed : line.timed) cells.push_back(time_text(*timed));
  if (line.filled) cells.insert(cells.end(), {format_mib(line.filled->bytes), format_mib(row.bytes)});
  return cells;
}

// The lines under one heading. There is a gap where the next item size or load factor begins, if there are
// several tables.
std::string lines_text(const std::vector<Line>& lines) {
  if (lines.empty()) return "";
  TextTable table(headings(lines.front()));
  for (size_t i = 0; i < lines.size(); ++i) {
    const HashRow &row = lines[i].first(), &before = lines[i > 0 ? i - 1 : 0].first();
    if (before.table != row.table && !share_axes(before, row)) table.row({});
    table.row(cells_of(lines[i]));
  }
  return "\n" + table.text();
}

}  // namespace

std::string table_text(const HashBenchRun& run) {
  const auto& [fill, batch] = run.result.sizes;
  std::vector<Line> tables = lines_of(run.result.rows), duplicates;
  std::ranges::copy_if(tables, std::back_inserter(duplicates), [](const Line& line) { return !line.filled; });
  std::erase_if(tables, [](const Line& line) { return !line.filled; });
  return fmt::format(
      "{}: {} items, then {} searched and {} inserted\n"
      "{}"
      "times in ms: median, how far the others are from it, share of the first of these ceilings in sectors "
      "of\n"
      "32 bytes (above 100 % where sectors lie side by side or caches help); load: items per bucket at the "
      "end\n"
      "{}{}",
      run.device_text, format_count(fill), format_count(batch), format_count(batch),
      ceilings_text(run.result.ceilings), lines_text(tables), lines_text(duplicates));
}

}  // namespace vox
