// The page that vox-bench hash writes with --html.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "formats/results/page_table.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/ceilings.h"
#include "tools/vox-bench/hash_report.h"
#include "tools/vox-bench/line_figure.h"

namespace vox {
namespace {

using HashRow = measure::HashBenchRow;
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
