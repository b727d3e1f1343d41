#include <fmt/format.h>

#include <algorithm>

#include "formats/results/views.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/columns.h"
#include "tools/vox-bench/reports.h"

namespace vox {

ResultTable rows_table(const HashBenchRun& run) {
  using Row = measure::HashBenchRow;
  const std::vector<Row>& rows = run.result.rows;
  ResultTable table;
  table.column("table", "", rows, &Row::table)
      .about("Name of the hash table, or of the way in which duplicates are found.")
      .column("item_words", "words", rows, &Row::item_words)
      .about("Number of words of 4 bytes in an item.")
      .column("load_factor", "items per bucket", rows, &Row::load_factor)
      .about(
          "Number of items in a bucket after the insertion, as asked for. `cuckoo_buckets` fills at most 85 "
          "% of its "
          "slots. 0 for duplicates.")
      .column("op", "", rows, &Row::op)
      .about("The operation: `fill`, `search`, `insert` or `duplicates`.")
      .column("hit_rate", "percent", rows, &Row::hit_rate)
      .about("Share of the searched items that are stored, or of a batch's items that are copies.");
  add_times(table, rows);
  table.column("repetitions", "", rows, &Row::repetitions)
      .about("Number of repetitions.")
      .column("items", "items", rows, &Row::items)
      .about("Number of items that a repetition works on.")
      .column("bytes", "bytes", rows, &Row::bytes)
      .about("Size of the table afterwards; 0 if it is not counted.")
      .column("allocated_bytes", "bytes", rows, &Row::allocated_bytes)
      .about("Size of the table with its allocator; 0 if it is not counted.")
      .column("bytes_per_op", "bytes per item", rows, &Row::bytes_per_op)
      .about("Bytes in the sectors of 32 bytes that an item touches; 0 if they are not counted.")
      .column("ceiling_share", "1", rows, &Row::ceiling_share)
      .about("Share of the ceiling of random reads of 32 bytes.")
      .column("ceiling_share_128", "1", rows, &Row::ceiling_share_128)
      .about("Share of the ceiling of random reads of 128 bytes.")
      .column("slabs_per_search", "slabs", rows, &Row::slabs_per_search)
      .about(
          "Mean number of slabs, or of lines and overflow sectors, that a search looks at; 0 if not counted.")
      .column("false_candidates", "items", rows, &Row::false_candidates)
      .about("Mean number of items that a search compares in vain; 0 if not counted.");
  return table;
}

ResultGroup results_of(const HashBenchRun& run) {
  ResultGroup results;
  set_run(results, run);
  ResultGroup& hash = results.group({".", "hash"});
  hash.set("fill", run.result.sizes.fill, "items")
      .about("Number of items that a table is filled with.")
      .set("batch", run.result.sizes.batch, "items")
      .about("Number of items that are searched, and inserted, at once.");
  set_seconds(hash, run.result.seconds);
  hash.put("ceilings", ceilings_table(run.result.ceilings));
  hash.put("rows", rows_table(run));
  return results;
}

namespace {

// The lines that vox-bench hash prints: of each table with items of one size, as in Table 2 with the insertion first.

// "0.512 ±  2 %  45 %": the median in ms, how far the others are from it at most, the share of the ceiling.
std::string time_text(const ResultRow& row) {
  const double share = row.number("ceiling_share");
  return fmt::format("{} ±{:3.0f} %{}", row.text("ms", Look::fixed(3)), time_of(row).spread() * 100,
                     share > 0 ? fmt::format("{:5.0f} %", share * 100) : "");
}

bool is_of(const ResultRow& row, std::string_view op) {
  return row.word("op") == op;
}

std::vector<LinePart> parts_of(const ResultRow& row) {
  std::vector<LinePart> parts = {
      {0, "words, table", fmt::format("{:>2}  {}", row.text("item_words"), row.word("table"))}};
  if (!is_of(row, "duplicates")) parts.push_back({0, "load", row.text("load_factor")});
  if (is_of(row, "insert")) parts.push_back({1, "insert", time_text(row)});
  if (is_of(row, "search")) parts.push_back({2, "search " + row.text("hit_rate") + " %", time_text(row)});
  if (is_of(row, "duplicates")) parts.push_back({2, row.text("hit_rate") + " % copies", time_text(row)});
  if (is_of(row, "fill")) parts.push_back({3, "MiB filled", row.text("bytes", Look::mib())});
  if (is_of(row, "insert")) parts.push_back({3, "MiB inserted", row.text("bytes", Look::mib())});
  return parts;
}

std::string axes_of(const ResultRow& row) {
  return row.text("item_words") + " " + row.text("load_factor");
}

// There is a gap where the next item size or load factor begins, if there are several tables.
const LineView kHashLines = {
    .line = [](const ResultRow& row) { return row.word("table") + " " + axes_of(row); },
    .parts = parts_of,
    .gap =
        [](const ResultRow& before, const ResultRow& row) {
          return before.word("table") != row.word("table") && axes_of(before) != axes_of(row);
        }};

std::string lines_text(const ResultRows& rows) {
  return rows.empty() ? "" : "\n" + line_table(rows, kHashLines).text();
}

}  // namespace

std::string table_text(const HashBenchRun& run) {
  const auto& [fill, batch] = run.result.sizes;
  const ResultTable table = rows_table(run);
  ResultRows rows = rows_of(table);
  const ResultRows duplicates = rows_with(rows, text_in("op"), "duplicates");
  std::erase_if(rows, [](const ResultRow& row) { return is_of(row, "duplicates"); });
  return fmt::format(
      "{}: {} items, then {} searched and {} inserted\n"
      "{}"
      "times in ms: median, how far the others are from it, share of the first of these ceilings in sectors "
      "of\n"
      "32 bytes (above 100 % where sectors lie side by side or caches help); load: items per bucket at the "
      "end\n"
      "{}{}",
      run.device_text, format_count(fill), format_count(batch), format_count(batch),
      ceilings_text(run.result.ceilings), lines_text(rows), lines_text(duplicates));
}

namespace {

// The page that vox-bench hash writes with --html.

const FigureAxis kItemWords = {
    .column = "item_words", .title = "words in an item", .panel = [](const ResultRow& row) {
      // Finding duplicates has no load factor.
      return row.number("load_factor") == 0 ? "" : ", " + row.text("load_factor") + " items per bucket";
    }};
const FigureAxis kLoadFactors = {
    .column = "load_factor",
    .title = "items per bucket",
    .scale = ChartScale::Log,
    .panel = [](const ResultRow& row) { return ", " + row.text("item_words") + " words"; }};

FigureQuantity times_of(uint64_t items) {
  return {.column = "ms",
          .unit = "ms",
          .caption = fmt::format(
              "{} items; lower is faster. Median of the repetitions, with the fastest and the slowest: "
              "in the chart as area and strokes, which end at its upper edge where the slowest lies "
              "beyond it.",
              format_count(items)),
          .look = Look::fixed(3),
          .range = range_of_times};
}

const FigureQuantity kHashMemory = {.column = "bytes",
                                    .unit = "MiB",
                                    .caption = "Whole slabs and what leads to them; lower is smaller.",
                                    .look = Look::mib()};

// Adds the figures of an operation: for each text of `title` and each value of the other axis one, with a line for each
// table.
void add_figures(HtmlPage& page, const ResultRows& rows, const TextOfRow& title, const FigureAxis& axis,
                 const FigureQuantity& quantity) {
  for (const std::string& text : texts_of(rows, title)) {
    const ResultRows titled = rows_with(rows, title, text);
    for (const std::string& panel : texts_of(titled, axis.panel))
      add_line_figure(page, text + panel, rows_with(titled, axis.panel, panel), axis, text_in("table"),
                      quantity);
  }
}

const FigureAxis& axis_of(const ResultRows& rows) {
  std::vector<std::string> load_factors = texts_of(rows, text_in("load_factor"));
  std::erase(load_factors, "0");
  const bool one_size = texts_of(rows, text_in("item_words")).size() <= 1;
  return one_size && load_factors.size() > 1 ? kLoadFactors : kItemWords;
}

TextOfRow words(const std::string& text) {
  return [text](const ResultRow&) { return text; };
}

}  // namespace

HtmlPage page_of(const HashBenchRun& run) {
  const auto& [fill, batch] = run.result.sizes;
  const ResultTable table = rows_table(run);
  const ResultRows rows = rows_of(table);
  const auto of = [&](const char* op) { return rows_with(rows, text_in("op"), op); };
  const FigureAxis& axis = axis_of(rows);
  const FigureQuantity times = times_of(batch);
  HtmlPage page(
      "Hash tables on " + run.device_text,
      fmt::format("Tables of {} items, then {} searched and {} inserted. Measured in {}.", format_count(fill),
                  format_count(batch), format_count(batch), format_seconds(run.result.seconds)));
  page.section("Insertion");
  add_figures(page, of("insert"), words("New items"), axis, times);
  page.section("Search");
  add_figures(
      page, of("search"),
      [](const ResultRow& row) { return row.text("hit_rate") + " % of the items are stored"; }, axis, times);
  page.section("Memory");
  add_figures(page, of("insert"), words("After the insertion"), axis, kHashMemory);
  page.section("Duplicates");
  add_figures(
      page, of("duplicates"),
      [](const ResultRow& row) { return row.text("hit_rate") + " % of a batch are copies"; }, kItemWords,
      times);
  add_ceilings(page, run.result.ceilings);
  set_run(page, run);
  return page;
}

}  // namespace vox
