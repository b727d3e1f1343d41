#include "tools/vox-bench/reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "formats/results/tables.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/columns.h"

namespace vox {
ResultTable rows_table(const HashBenchRun& run) {
  using Row = measure::HashBenchRow;
  const std::vector<Row>& rows = run.result.rows;
  ResultTable table;
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

ResultGroup results_of(const HashBenchRun& run) {
  ResultGroup results;
  set_run(results, run);
  ResultGroup& hash = results.group({".", "hash"});
  hash.set("fill", run.result.sizes.fill, "items")
      .set("batch", run.result.sizes.batch, "items")
      .set("seconds", run.result.seconds, "s");
  hash.put("ceilings", ceilings_table(run.result.ceilings));
  hash.put("rows", rows_table(run));
  return results;
}

namespace {

// The tables that vox-bench hash prints.

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

namespace {

// The page that vox-bench hash writes with --html.

using HashRows = RowPointers<HashRow>;
using HashAxis = FigureAxis<HashRow>;
using HashQuantity = FigureQuantity<HashRow>;

std::string whole_text(double value) {
  return fmt::format("{}", value);
}

const HashAxis kItemWords = {
    "words in an item", ChartScale::Linear, [](const HashRow& row) { return row.item_words; }, whole_text,
    [](const HashRow& row) {
      // Finding duplicates has no load factor.
      return row.load_factor == 0 ? std::string() : fmt::format(", {} items per bucket", row.load_factor);
    }};
const HashAxis kLoadFactors = {"items per bucket", ChartScale::Log,
                               [](const HashRow& row) { return row.load_factor; }, whole_text,
                               [](const HashRow& row) { return fmt::format(", {} words", row.item_words); }};

HashQuantity times_of(uint64_t items) {
  const std::string caption = fmt::format(
      "{} items; lower is faster. Median of the repetitions, with the fastest and the slowest: in the chart "
      "as "
      "area and strokes, which end at its upper edge where the slowest lies beyond it.",
      format_count(items));
  return {"ms", caption,
          [](const HashRow& row) {
            const auto& [median, min, max] = row.time;
            return LineChart::Point{0, median * 1e3, min * 1e3, max * 1e3};
          },
          [](const HashRow& row) {
            HtmlCell cell = number_cell(row.time.median * 1e3, 3);
            cell.note = fmt::format("{:.3f} to {:.3f}", row.time.min * 1e3, row.time.max * 1e3);
            return cell;
          }};
}

const HashQuantity kMemory = {
    "MiB", "Whole slabs and what leads to them; lower is smaller.",
    [](const HashRow& row) { return exact_point(static_cast<double>(row.bytes) / (1024 * 1024)); },
    [](const HashRow& row) { return mib_cell(row.bytes); }};

// Adds a figure for each value of the other axis, with a line for each table.
void add_figures(HtmlPage& page, const std::string& title, const HashRows& rows, const HashAxis& axis,
                 const HashQuantity& quantity) {
  for (const std::string& panel : texts_of(rows, axis.panel))
    add_line_figure(
        page, title + panel, rows_with(rows, axis.panel, panel), axis,
        [](const HashRow& row) { return row.table; }, quantity);
}

HashRows rows_of(const HashBenchRun& run, const std::string& op) {
  HashRows rows;
  for (const HashRow& row : run.result.rows)
    if (row.op == op) rows.push_back(&row);
  return rows;
}

// Adds the figures of an operation, for each of its hit rates.
void add_hit_rates(HtmlPage& page, const HashRows& rows, const TextOfRow<HashRow>& title,
                   const HashAxis& axis, const HashQuantity& times) {
  for (const std::string& text : texts_of(rows, title))
    add_figures(page, text, rows_with(rows, title, text), axis, times);
}

const HashAxis& axis_of(const HashBenchRun& run) {
  const auto& rows = run.result.rows;
  const bool one_size = std::ranges::all_of(
      rows, [&](const HashRow& row) { return row.item_words == rows.front().item_words; });
  std::set<uint32_t> load_factors;
  for (const HashRow& row : rows)
    if (row.load_factor > 0) load_factors.insert(row.load_factor);
  return one_size && load_factors.size() > 1 ? kLoadFactors : kItemWords;
}

}  // namespace

HtmlPage page_of(const HashBenchRun& run) {
  const auto& [fill, batch] = run.result.sizes;
  const HashAxis& axis = axis_of(run);
  const HashQuantity times = times_of(batch);
  HtmlPage page(
      "Hash tables on " + run.device_text,
      fmt::format("Tables of {} items, then {} searched and {} inserted. Measured in {}.", format_count(fill),
                  format_count(batch), format_count(batch), format_seconds(run.result.seconds)));
  page.section("Insertion");
  add_figures(page, "New items", rows_of(run, "insert"), axis, times);
  page.section("Search");
  add_hit_rates(
      page, rows_of(run, "search"),
      [](const HashRow& row) { return fmt::format("{} % of the items are stored", row.hit_rate); }, axis,
      times);
  page.section("Memory");
  add_figures(page, "After the insertion", rows_of(run, "insert"), axis, kMemory);
  page.section("Duplicates");
  add_hit_rates(
      page, rows_of(run, "duplicates"),
      [](const HashRow& row) { return fmt::format("{} % of a batch are copies", row.hit_rate); }, kItemWords,
      times);
  add_ceilings(page, run.result.ceilings);
  set_run(page, run);
  return page;
}

}  // namespace vox
