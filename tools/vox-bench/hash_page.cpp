// The page that vox-bench hash writes with --html.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "formats/results/page_table.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/ceilings.h"
#include "tools/vox-bench/hash_report.h"

namespace vox {
namespace {

using HashRow = measure::HashBenchRow;
using Rows = std::vector<const HashRow*>;

// The axis that a figure has from left to right.
struct Axis {
  std::string title;
  ChartScale scale;
  uint32_t HashRow::*value;
  uint32_t HashRow::*panel;  // the other axis, which has a figure for each of its values
  std::string panel_unit;
};
const Axis kItemWords = {"words in an item", ChartScale::Linear, &HashRow::item_words, &HashRow::load_factor,
                         "items per bucket"};
const Axis kLoadFactors = {"items per bucket", ChartScale::Log, &HashRow::load_factor, &HashRow::item_words,
                           "words"};

// The quantity of a row that a figure shows.
struct Quantity {
  std::string unit;
  std::function<LineChart::Point(const HashRow&)> point;  // without x
  std::function<HtmlCell(const HashRow&)> cell;
};

const Quantity kTime = {"ms",
                        [](const HashRow& row) {
                          const auto& [median, min, max] = row.time;
                          return LineChart::Point{0, median * 1e3, min * 1e3, max * 1e3};
                        },
                        [](const HashRow& row) {
                          HtmlCell cell = number_cell(row.time.median * 1e3, 3);
                          cell.note = fmt::format("{:.3f} to {:.3f}", row.time.min * 1e3, row.time.max * 1e3);
                          return cell;
                        }};

const Quantity kMemory = {"MiB",
                          [](const HashRow& row) {
                            const double mib = static_cast<double>(row.bytes) / (1024 * 1024);
                            return LineChart::Point{0, mib, mib, mib};
                          },
                          [](const HashRow& row) { return mib_cell(row.bytes); }};

std::vector<std::string> tables_of(const Rows& rows) {
  std::vector<std::string> names;
  for (const HashRow* row : rows)
    if (std::ranges::find(names, row->table) == names.end()) names.push_back(row->table);
  return names;
}

const HashRow* find(const Rows& rows, const std::string& table, uint32_t HashRow::*axis, uint32_t value) {
  const auto found = std::ranges::find_if(
      rows, [&](const HashRow* row) { return row->table == table && row->*axis == value; });
  return found == rows.end() ? nullptr : *found;
}

// Adds a figure with a line for each table.
void add_figure(HtmlPage& page, const std::string& title, const std::string& caption, const Rows& rows,
                const Axis& axis, const Quantity& quantity) {
  LineChart chart = {.title = title,
                     .description = caption,
                     .x_title = axis.title,
                     .y_title = quantity.unit,
                     .x_scale = axis.scale};
  std::vector<HtmlTable::Column> columns = {{axis.title, "", HtmlTable::Kind::Words}};
  std::set<uint32_t> values;
  for (const HashRow* row : rows) values.insert(row->*axis.value);
  for (const std::string& table : tables_of(rows)) {
    columns.push_back({table, quantity.unit});
    LineChart::Series& series = chart.series.emplace_back(LineChart::Series{table, {}});
    for (const uint32_t value : values)
      if (const HashRow* row = find(rows, table, axis.value, value)) {
        series.points.push_back(quantity.point(*row));
        series.points.back().x = value;
      }
  }
  HtmlTable table(std::move(columns));
  for (const uint32_t value : values) {
    std::vector<HtmlCell> cells = {std::to_string(value)};
    for (const LineChart::Series& series : chart.series) {
      const HashRow* row = find(rows, series.name, axis.value, value);
      cells.push_back(row ? quantity.cell(*row) : HtmlCell());
    }
    table.row(std::move(cells));
  }
  page.figure(title, caption, draw(chart), table);
}

std::string panel_text(const Axis& axis, uint32_t panel) {
  if (panel == 0) return "";  // finding duplicates has no load factor
  return fmt::format(", {} {}", panel, axis.panel_unit);
}

// Adds a figure for each value of the other axis.
void add_figures(HtmlPage& page, const std::string& title, const std::string& caption, const Rows& rows,
                 const Axis& axis, const Quantity& quantity) {
  std::set<uint32_t> panels;
  for (const HashRow* row : rows) panels.insert(row->*axis.panel);
  for (const uint32_t panel : panels) {
    Rows some;
    std::ranges::copy_if(rows, std::back_inserter(some),
                         [&](const HashRow* row) { return row->*axis.panel == panel; });
    add_figure(page, title + panel_text(axis, panel), caption, some, axis, quantity);
  }
}

Rows rows_with(const HashBenchRun& run, const std::string& op, uint32_t hit_rate) {
  Rows rows;
  for (const HashRow& row : run.result.rows)
    if (row.op == op && row.hit_rate == hit_rate) rows.push_back(&row);
  return rows;
}

std::set<uint32_t> hit_rates(const HashBenchRun& run, const std::string& op) {
  std::set<uint32_t> rates;
  for (const HashRow& row : run.result.rows)
    if (row.op == op) rates.insert(row.hit_rate);
  return rates;
}

Axis axis_of(const HashBenchRun& run) {
  const auto& rows = run.result.rows;
  const bool one_size = std::ranges::all_of(
      rows, [&](const HashRow& row) { return row.item_words == rows.front().item_words; });
  std::set<uint32_t> load_factors;
  for (const HashRow& row : rows)
    if (row.load_factor > 0) load_factors.insert(row.load_factor);
  return one_size && load_factors.size() > 1 ? kLoadFactors : kItemWords;
}

std::string time_caption(uint64_t items) {
  return fmt::format(
      "{} items; lower is faster. Median of the repetitions, with the fastest and the slowest: in the chart "
      "as "
      "area and strokes, which end at its upper edge where the slowest lies beyond it.",
      format_count(items));
}

}  // namespace

HtmlPage page_of(const HashBenchRun& run) {
  const auto& [fill, batch] = run.result.sizes;
  const Axis axis = axis_of(run);
  HtmlPage page(
      "Hash tables on " + run.device_text,
      fmt::format("Tables of {} items, then {} searched and {} inserted. Measured in {}.", format_count(fill),
                  format_count(batch), format_count(batch), format_seconds(run.result.seconds)));
  const Rows inserted = rows_with(run, "insert", 0);
  page.section("Insertion");
  add_figures(page, "New items", time_caption(batch), inserted, axis, kTime);
  page.section("Search");
  for (const uint32_t rate : hit_rates(run, "search"))
    add_figures(page, fmt::format("{} % of the items are stored", rate), time_caption(batch),
                rows_with(run, "search", rate), axis, kTime);
  page.section("Memory");
  add_figures(page, "After the insertion", "Whole slabs and what leads to them; lower is smaller.", inserted,
              axis, kMemory);
  page.section("Duplicates");
  for (const uint32_t rate : hit_rates(run, "duplicates"))
    add_figures(page, fmt::format("{} % of a batch are copies", rate), time_caption(batch),
                rows_with(run, "duplicates", rate), kItemWords, kTime);
  add_ceilings(page, run.result.ceilings);
  set_run(page, run);
  return page;
}

}  // namespace vox
