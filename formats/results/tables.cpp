#include "formats/results/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "libvox/base/json.h"
#include "libvox/base/units.h"

namespace vox {
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
