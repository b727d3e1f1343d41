// The page that vox-bench keys writes with --html.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "formats/results/page_table.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/ceilings.h"
#include "tools/vox-bench/keys_report.h"

namespace vox {
namespace {

using Row = measure::KeysBenchRow;
using Rows = std::vector<const Row*>;
using Text = std::function<std::string(const Row&)>;

// The axis that a figure has from left to right, and what its title says of the other one.
struct Axis {
  std::string title;
  ChartScale scale;
  std::function<double(const Row&)> value;
  std::function<std::string(double)> text;
  Text panel;
};
const Axis kLoadFactors = {"load factor", ChartScale::Linear, [](const Row& row) { return row.load_factor; },
                           [](double value) { return fmt::format("{}", value); },
                           [](const Row& row) { return format_count(row.keys, "key"); }};
const Axis kKeyCounts = {"keys", ChartScale::Log,
                         [](const Row& row) { return static_cast<double>(row.keys); },
                         [](double value) { return format_count(static_cast<uint64_t>(value)); },
                         [](const Row& row) { return fmt::format("load factor {}", row.load_factor); }};

// The quantity of a row that a figure shows.
struct Quantity {
  std::string title, unit, caption;
  std::function<LineChart::Point(const Row&)> point;  // without x
  std::function<HtmlCell(const Row&)> cell;
};

LineChart::Point rate_point(const Row& row) {
  const double millions = static_cast<double>(row.items) * 1e-6;
  return {0, millions / row.time->median, millions / row.time->max, millions / row.time->min};
}

HtmlCell rate_cell(const Row& row) {
  const LineChart::Point point = rate_point(row);
  HtmlCell cell = number_cell(point.y, 1);
  cell.note = fmt::format("{:.1f} to {:.1f}", point.low, point.high);
  return cell;
}

const Quantity kRate = {
    "", "M/s",
    "Millions of keys a second; higher is faster. Median of the repetitions, with the slowest and "
    "the fastest.",
    rate_point, rate_cell};
const Quantity kSectors = {": sectors", "sectors", "Sectors of 32 bytes that a search reads in the mean.",
                           [](const Row& row) {
                             return LineChart::Point{0, *row.sectors, *row.sectors, *row.sectors};
                           },
                           [](const Row& row) { return number_cell(*row.sectors, 3); }};

// The different texts of rows, in their order.
std::vector<std::string> texts_of(const Rows& rows, const Text& text) {
  std::vector<std::string> texts;
  for (const Row* row : rows)
    if (std::ranges::find(texts, text(*row)) == texts.end()) texts.push_back(text(*row));
  return texts;
}

Rows rows_with(const Rows& rows, const Text& text, const std::string& wanted) {
  Rows some;
  std::ranges::copy_if(rows, std::back_inserter(some), [&](const Row* row) { return text(*row) == wanted; });
  return some;
}

// Adds a figure with a line for each series.
void add_figure(HtmlPage& page, const std::string& title, const Rows& rows, const Axis& axis,
                const Text& series, const Quantity& quantity) {
  LineChart chart = {.title = title,
                     .description = quantity.caption,
                     .x_title = axis.title,
                     .y_title = quantity.unit,
                     .x_scale = axis.scale};
  std::vector<HtmlTable::Column> columns = {{axis.title, "", HtmlTable::Kind::Words}};
  std::set<double> values;
  for (const Row* row : rows) values.insert(axis.value(*row));
  const std::vector<std::string> names = texts_of(rows, series);
  std::vector<std::vector<HtmlCell>> cells;
  for (const double value : values) cells.push_back({HtmlCell(axis.text(value))});
  for (const std::string& name : names) {
    columns.push_back({name, quantity.unit});
    LineChart::Series& line = chart.series.emplace_back(LineChart::Series{name, {}});
    const Rows of_series = rows_with(rows, series, name);
    size_t i = 0;
    for (const double value : values) {
      const auto found =
          std::ranges::find_if(of_series, [&](const Row* row) { return axis.value(*row) == value; });
      HtmlCell& cell = cells[i++].emplace_back();
      if (found == of_series.end()) continue;
      cell = quantity.cell(**found);
      line.points.push_back(quantity.point(**found));
      line.points.back().x = value;
    }
  }
  HtmlTable table(std::move(columns));
  for (std::vector<HtmlCell>& row : cells) table.row(std::move(row));
  page.figure(title, quantity.caption, draw(chart), table);
}

// Adds the figures of one operation: one for each layout, unless the layouts of a single table are compared,
// and for each value of the other axis.
void add_figures(HtmlPage& page, const std::string& op, const Rows& rows, const Axis& axis,
                 const Quantity& quantity) {
  const Text table = [](const Row&row) { return row.table; },
             layout = [](const Row&row) { return row.layout; };
  const Text none = [](const Row&) { return std::string(); };
  const bool by_layout = texts_of(rows, table).size() == 1 && texts_of(rows, layout).size() > 1;
  const auto comma = [](const std::string& text) { return text.empty() ? "" : ", " + text; };
  for (const std::string& panel : texts_of(rows, axis.panel)) {
    const Rows of_panel = rows_with(rows, axis.panel, panel);
    for (const std::string& one : texts_of(of_panel, by_layout ? none : layout))
      add_figure(page, op + quantity.title + comma(one) + comma(panel),
                 rows_with(of_panel, by_layout ? none : layout, one), axis, by_layout ? layout : table,
                 quantity);
  }
}

std::string section_text(const Row& row) {
  return fmt::format("{}, keys of {} bits", row.set, row.key_bits);
}

// Figures go along the numbers of keys where one set has several, else along load factors.
const Axis& axis_of(const Rows& rows) {
  const Text layout = [](const Row& row) { return row.layout; };
  const Rows some = rows_with(rows, layout, rows.front()->layout);
  return texts_of(some, kLoadFactors.panel).size() > 1 ? kKeyCounts : kLoadFactors;
}

void add_section(HtmlPage& page, const std::string& title, const Rows& rows) {
  page.section(title);
  const Axis& axis = axis_of(rows);
  for (const std::string& op : texts_of(rows, op_text)) {
    const Rows of_op = rows_with(rows, op_text, op);
    add_figures(page, op, of_op, axis, kRate);
    if (of_op.front()->sectors) add_figures(page, op, of_op, axis, kSectors);
  }
}

void add_errors(HtmlPage& page, const std::vector<Row>& rows) {
  HtmlTable table({{"table", "", HtmlTable::Kind::Name},
                   {"keys", "", HtmlTable::Kind::Words},
                   {"load factor"},
                   {"why", "", HtmlTable::Kind::Words}});
  bool any = false;
  for (const Row& row : rows)
    if (!row.error.empty()) {
      any = true;
      table.row({row.table, set_text(row), {fmt::format("{}", row.load_factor), row.load_factor}, row.error});
    }
  if (any) page.section("What could not be measured").table("Tables without figures", table);
}

void add_failures(HtmlPage& page, const std::vector<measure::KeyFailuresRow>& rows) {
  if (rows.empty()) return;
  HtmlTable table({{"table", "", HtmlTable::Kind::Name},
                   {"load factor"},
                   {"key bits"},
                   {"builds"},
                   {"retried"},
                   {"failed"},
                   {"most attempts"},
                   {"restarts"}});
  for (const measure::KeyFailuresRow& row : rows)
    table.row({row.table,
               {fmt::format("{}", row.load_factor), row.load_factor},
               std::to_string(row.key_bits),
               count_cell(row.builds),
               count_cell(row.retried),
               count_cell(row.failed),
               count_cell(row.most_attempts),
               count_cell(row.restarts)});
  page.section("Failures")
      .table(fmt::format("Builds of {} random keys", format_count(rows.front().keys)), table);
}

}  // namespace

HtmlPage page_of(const KeysBenchRun& run) {
  HtmlPage page(
      "Tables of voxel keys on " + run.device_text,
      fmt::format("{} searched at once. Measured in {}.", format_count(run.result.sizes.searches, "key"),
                  format_seconds(run.result.seconds)));
  Rows measured;
  for (const Row& row : run.result.rows)
    if (row.time) measured.push_back(&row);
  for (const std::string& title : texts_of(measured, section_text))
    add_section(page, title, rows_with(measured, section_text, title));
  add_failures(page, run.result.failures);
  add_errors(page, run.result.rows);
  add_ceilings(page, run.result.ceilings);
  set_run(page, run);
  return page;
}

}  // namespace vox
