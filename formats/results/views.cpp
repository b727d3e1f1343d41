// Shows results to people, on the screen and on pages.
#include "formats/results/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "libvox/base/json.h"
#include "libvox/base/units.h"

namespace vox {

bool ResultRow::has(std::string_view column) const {
  const ResultColumn* const found = table_->find(column);
  return found != nullptr && found->has(index_);
}

std::string ResultRow::text(std::string_view column, const Look& look) const {
  return has(column) ? shown_text((*table_)[column], index_, look) : "";
}

HtmlCell ResultRow::cell(std::string_view column, const Look& look) const {
  return has(column) ? page_cell((*table_)[column], index_, look) : HtmlCell();
}

ResultRows rows_of(const ResultTable& table) {
  ResultRows rows;
  for (size_t row = 0; row < table.rows(); ++row) rows.emplace_back(table, row);
  return rows;
}

ResultRows rows_with(const ResultRows& rows, const TextOfRow& text, std::string_view wanted) {
  ResultRows some;
  std::ranges::copy_if(rows, std::back_inserter(some),
                       [&](const ResultRow& row) { return text(row) == wanted; });
  return some;
}

ResultRows rows_with_value(const ResultRows& rows, std::string_view column) {
  ResultRows some;
  std::ranges::copy_if(rows, std::back_inserter(some), [&](const ResultRow& row) { return row.has(column); });
  return some;
}

std::vector<std::string> texts_of(const ResultRows& rows, const TextOfRow& text) {
  std::vector<std::string> texts;
  for (const ResultRow& row : rows)
    if (std::string here = text(row); std::ranges::find(texts, here) == texts.end())
      texts.push_back(std::move(here));
  return texts;
}

std::vector<ResultRows> runs_of(const ResultRows& rows, const TextOfRow& text) {
  std::vector<ResultRows> runs;
  for (const ResultRow& row : rows) {
    if (runs.empty() || text(runs.back().back()) != text(row)) runs.emplace_back();
    runs.back().push_back(row);
  }
  return runs;
}

TextOfRow text_in(std::string column) {
  return [column = std::move(column)](const ResultRow& row) { return row.text(column); };
}

CellOfRow cell_in(std::string column, const Look& look) {
  return [column = std::move(column), look](const ResultRow& row) { return row.cell(column, look); };
}

namespace {

// The parts of a line by their headings.
using LineCells = std::map<std::string, std::string>;

LineCells cells_of(const ResultRows& line, const LineView& view) {
  LineCells cells;
  for (const ResultRow& row : line)
    for (LinePart& part : view.parts(row)) cells.emplace(std::move(part.heading), std::move(part.text));
  return cells;
}

std::vector<std::string> headings_of(const ResultRows& rows, const LineView& view) {
  std::vector<std::pair<uint32_t, std::string>> headings;
  for (const ResultRow& row : rows)
    for (const LinePart& part : view.parts(row))
      if (std::pair heading(part.place, part.heading); std::ranges::find(headings, heading) == headings.end())
        headings.push_back(std::move(heading));
  std::ranges::stable_sort(headings, {}, &std::pair<uint32_t, std::string>::first);
  std::vector<std::string> texts;
  for (auto& [place, heading] : headings) texts.push_back(std::move(heading));
  return texts;
}

}  // namespace

TextTable line_table(const ResultRows& rows, const LineView& view) {
  const std::vector<std::string> headings = headings_of(rows, view);
  TextTable table(headings);
  std::optional<ResultRow> before;
  for (const ResultRows& line : runs_of(rows, view.line)) {
    if (before && view.gap && view.gap(*before, line.front())) table.row({});
    before = line.front();
    const LineCells cells = cells_of(line, view);
    std::vector<std::string> texts;
    for (const std::string& heading : headings) {
      const auto found = cells.find(heading);
      texts.push_back(found == cells.end() ? view.missing : found->second);
    }
    table.row(std::move(texts));
  }
  return table;
}

HtmlTable page_table(const ResultRows& rows, const std::vector<PageColumn>& columns) {
  std::vector<HtmlTable::Column> heads;
  for (const PageColumn& column : columns) heads.push_back(column.head);
  HtmlTable table(std::move(heads));
  for (const ResultRow& row : rows) {
    std::vector<HtmlCell> cells;
    for (const PageColumn& column : columns) cells.push_back(column.cell(row));
    table.row(std::move(cells));
  }
  return table;
}

void add_bars(BarChart& chart, const ResultRows& rows, const TextOfRow& label,
              const std::vector<std::string>& columns, double factor, const TextOfRow& note) {
  for (const ResultRow& row : rows) {
    chart.rows.push_back(label(row));
    if (note) chart.notes.push_back(note(row));
    for (size_t i = 0; i < columns.size(); ++i)
      chart.series[i].values.push_back(row.number(columns[i]) * factor);
  }
}

namespace {

LineChart::Point point_of(const ResultRow& row, const FigureAxis& axis, const FigureQuantity& quantity) {
  const double factor = page_factor(quantity.look), value = row.number(quantity.column);
  const auto [low, high] = quantity.range ? quantity.range(row) : std::array{value, value};
  return {row.number(axis.column), value * factor, low * factor, high * factor};
}

HtmlCell figure_cell(const ResultRow& row, const FigureQuantity& quantity) {
  HtmlCell cell = row.cell(quantity.column, quantity.look);
  if (quantity.range) {
    const auto [low, high] = quantity.range(row);
    cell.note = fmt::format("{} to {}", shown_text(low, quantity.look), shown_text(high, quantity.look));
  } else if (quantity.note) {
    cell.note = quantity.note(row);
  }
  return cell;
}

// The rows of a figure in the order of the axis, and the text of each of its values.
std::map<double, std::string> values_of(const ResultRows& rows, const FigureAxis& axis) {
  std::map<double, std::string> values;
  for (const ResultRow& row : rows) values.emplace(row.number(axis.column), row.text(axis.column, axis.look));
  return values;
}

}  // namespace

void add_line_figure(HtmlPage& page, const std::string& title, const ResultRows& rows, const FigureAxis& axis,
                     const TextOfRow& series, const FigureQuantity& quantity) {
  LineChart chart = {.title = title,
                     .description = quantity.caption,
                     .x_title = axis.title,
                     .y_title = quantity.unit,
                     .x_scale = axis.scale};
  std::vector<HtmlTable::Column> columns = {{axis.title, "", HtmlTable::Kind::Words}};
  const std::map<double, std::string> values = values_of(rows, axis);
  std::vector<std::vector<HtmlCell>> cells;
  for (const auto& [value, text] : values) cells.push_back({HtmlCell(text)});
  for (const std::string& name : texts_of(rows, series)) {
    columns.push_back({name, quantity.unit});
    LineChart::Series& line = chart.series.emplace_back(LineChart::Series{name, {}});
    const ResultRows of_series = rows_with(rows, series, name);
    size_t i = 0;
    for (const auto& [value, text] : values) {
      const auto found = std::ranges::find_if(
          of_series, [&, value = value](const ResultRow& row) { return row.number(axis.column) == value; });
      HtmlCell& cell = cells[i++].emplace_back();
      if (found == of_series.end()) continue;
      cell = figure_cell(*found, quantity);
      line.points.push_back(point_of(*found, axis, quantity));
    }
  }
  HtmlTable table(std::move(columns));
  for (std::vector<HtmlCell>& row : cells) table.row(std::move(row));
  page.figure(title, quantity.caption, draw(chart), table);
}

namespace {

std::string shown(double value, const Look& look) {
  return look.form == Look::Form::Fixed ? fmt::format("{:.{}f}", value * look.factor, look.digits)
                                        : fmt::format("{}", value);
}

std::string shown(uint64_t value, const Look& look) {
  switch (look.form) {
    case Look::Form::Count:
      return format_count(value);
    case Look::Form::Bytes:
      return format_bytes(value);
    case Look::Form::Mib:
      return format_mib(value);
    case Look::Form::Fixed:
      return shown(static_cast<double>(value), look);
    default:
      return std::to_string(value);
  }
}

std::string shown(const std::string& text, const Look&) {
  return text;
}

std::string shown(const ResultColumn::List&, const Look&) {
  return "";
}

size_t characters(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

TextTable& TextTable::row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = escape_line(cell);
  rows_.push_back(std::move(cells));
  return *this;
}

std::string TextTable::text() const {
  std::vector<size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], characters(row[i]));
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line = " ";
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - characters(row[i]), ' ');
      line += i == 0 ? " " + row[i] + space : "  " + space + row[i];
    }
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

namespace {

std::vector<const ResultColumn*> screen_columns(const ResultTable& results, const ColumnNames& names) {
  std::vector<const ResultColumn*> columns;
  if (names.empty())
    for (const ResultColumn& column : results.columns()) columns.push_back(&column);
  for (const std::string& name : names) columns.push_back(&results[name]);
  std::erase_if(columns, [](const ResultColumn* column) { return !column->shown.screen.title; });
  return columns;
}

}  // namespace

std::vector<std::string> screen_titles(const ResultTable& results, const ColumnNames& names) {
  std::vector<std::string> titles;
  for (const ResultColumn* column : screen_columns(results, names))
    titles.push_back(*column->shown.screen.title);
  return titles;
}

std::vector<std::string> screen_cells(const ResultTable& results, size_t row, const ColumnNames& names) {
  std::vector<std::string> cells;
  for (const ResultColumn* column : screen_columns(results, names)) {
    const auto& [title, look, unit, weight] = column->shown.screen;
    cells.push_back(shown_text(*column, row, look));
    if (!unit.empty() && column->has(row)) cells.back() += " " + unit;
  }
  return cells;
}

TextTable text_table(const ResultTable& results, const ColumnNames& names) {
  TextTable table(screen_titles(results, names));
  for (size_t row = 0; row < results.rows(); ++row) table.row(screen_cells(results, row, names));
  return table;
}

TextTable text_table(const ResultTable& results, std::string name, const ResultTable& total) {
  TextTable table = text_table(results);
  std::vector<std::string> cells = screen_cells(total, 0);
  cells.front() = std::move(name);
  return table.row(std::move(cells));
}

std::string facts_text(const HtmlPage::Facts& facts) {
  size_t width = 0;
  for (const auto& [name, value] : facts) width = std::max(width, name.size());
  std::string text;
  for (const auto& [name, value] : facts)
    text += fmt::format("  {:<{}}  {}\n", name, width, escape_line(value));
  return text;
}

std::string shown_text(const ResultColumn& column, size_t row, const Look& look) {
  if (!column.has(row)) return "";
  return std::visit([&](const auto& values) { return shown(values[row], look); }, column.values);
}

std::string shown_text(double value, const Look& look) {
  return shown(value, look);
}

std::vector<std::string> shown_texts(const ResultColumn& column, const Look& look) {
  std::vector<std::string> texts;
  for (size_t row = 0; row < column.size(); ++row) texts.push_back(shown_text(column, row, look));
  return texts;
}

std::string format_mib(uint64_t bytes) {
  const uint64_t hundredths = (bytes / 1024 * 100 + bytes % 1024 * 100 / 1024 + 512) / 1024;
  return fmt::format("{}.{:02}", format_count(hundredths / 100), hundredths % 100);
}

std::string format_percent(double share) {
  return fmt::format("{:.1f} %", share * 100);
}

namespace {

scene::Rgb8 color_of(std::string_view hex) {
  uint32_t rgb = 0;
  std::from_chars(hex.data() + 1, hex.data() + hex.size(), rgb, 16);
  return {static_cast<uint8_t>(rgb >> 16), static_cast<uint8_t>(rgb >> 8), static_cast<uint8_t>(rgb)};
}

HtmlTable::Kind kind_of(const ResultColumn& column, bool is_first) {
  if (column.shown.page.look.form == Look::Form::Words) return HtmlTable::Kind::Words;
  if (is_first) return HtmlTable::Kind::Name;
  return std::holds_alternative<std::vector<std::string>>(column.values) ? HtmlTable::Kind::Words
                                                                         : HtmlTable::Kind::Number;
}

}  // namespace

std::vector<HtmlCell> page_cells(const ResultTable& results, size_t row) {
  std::vector<HtmlCell> cells;
  for (const ResultColumn& column : results.columns())
    if (column.shown.page.title) cells.push_back(page_cell(column, row, column.shown.page.look));
  return cells;
}

HtmlCell page_cell(const ResultColumn& column, size_t row, const Look& look) {
  HtmlCell cell = shown_text(column, row, look);
  if (!column.has(row)) return cell;
  if (look.form == Look::Form::Color) cell.swatch = color_of(cell.text);
  if (look.form == Look::Form::Fixed || look.form == Look::Form::Count || look.form == Look::Form::Mib)
    cell.value = column.number(row) * look.factor;
  return cell;
}

double page_factor(const Look& look) {
  return look.form == Look::Form::Mib ? 1.0 / (1024 * 1024) : look.factor;
}

HtmlTable page_table(const ResultTable& results) {
  std::vector<HtmlTable::Column> columns;
  for (const ResultColumn& column : results.columns())
    if (const auto& [title, look, unit, weight] = column.shown.page; title)
      columns.push_back({*title, unit, kind_of(column, columns.empty())});
  HtmlTable table(std::move(columns));
  for (size_t row = 0; row < results.rows(); ++row) table.row(page_cells(results, row));
  return table;
}

HtmlTable page_table(const ResultTable& results, std::string name, const ResultTable& total) {
  HtmlTable table = page_table(results);
  std::vector<HtmlCell> cells = page_cells(total, 0);
  cells.front() = std::move(name);
  return table.total(std::move(cells));
}

HtmlTable turned_page_table(const ResultTable& results) {
  const ResultColumn& names = results.columns().front();
  std::vector<HtmlTable::Column> columns = {{"", "", HtmlTable::Kind::Name}};
  for (size_t row = 0; row < results.rows(); ++row) columns.push_back({names.text(row)});
  HtmlTable table(std::move(columns));
  for (const ResultColumn& column : results.columns()) {
    const auto& [title, look, unit, weight] = column.shown.page;
    if (!title || &column == &names) continue;
    std::vector<HtmlCell> cells = {row_head(*title, unit)};
    for (size_t row = 0; row < results.rows(); ++row)
      cells.push_back(page_cell(column, row, column.shown.page.look));
    weight == Heading::Weight::Total ? table.total(std::move(cells)) : table.row(std::move(cells));
  }
  return table;
}

HtmlCell count_cell(uint64_t count) {
  return {format_count(count), count};
}

HtmlCell mib_cell(uint64_t bytes) {
  return {format_mib(bytes), bytes};
}

HtmlCell number_cell(double value, int digits) {
  return {fmt::format("{:.{}f}", value, digits), value};
}

HtmlCell row_head(std::string name, std::string unit) {
  HtmlCell cell(std::move(name));
  cell.note = std::move(unit);
  return cell;
}

}  // namespace vox
