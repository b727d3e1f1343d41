#include "formats/results/page_table.h"

#include <fmt/format.h>

#include <charconv>

#include "formats/results/text_table.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

scene::Rgb8 color_of(std::string_view hex) {
  uint32_t rgb = 0;
  std::from_chars(hex.data() + 1, hex.data() + hex.size(), rgb, 16);
  return {static_cast<uint8_t>(rgb >> 16), static_cast<uint8_t>(rgb >> 8), static_cast<uint8_t>(rgb)};
}

HtmlCell cell_of(const measure::ResultColumn& column, size_t row) {
  const measure::Look& look = column.shown.page.look;
  HtmlCell cell = shown_text(column, row, look);
  if (!column.has(row)) return cell;
  if (look.form == measure::Look::Form::Color) cell.swatch = color_of(cell.text);
  if (look.form == measure::Look::Form::Fixed || look.form == measure::Look::Form::Count ||
      look.form == measure::Look::Form::Mib)
    cell.value = column.number(row) * look.factor;
  return cell;
}

std::vector<HtmlCell> cells_of(const measure::ResultTable& results, size_t row) {
  std::vector<HtmlCell> cells;
  for (const measure::ResultColumn& column : results.columns())
    if (column.shown.page.title) cells.push_back(cell_of(column, row));
  return cells;
}

HtmlTable::Kind kind_of(const measure::ResultColumn& column, bool is_first) {
  if (column.shown.page.look.form == measure::Look::Form::Words) return HtmlTable::Kind::Words;
  if (is_first) return HtmlTable::Kind::Name;
  return std::holds_alternative<std::vector<std::string>>(column.values) ? HtmlTable::Kind::Words
                                                                         : HtmlTable::Kind::Number;
}

}  // namespace

HtmlTable page_table(const measure::ResultTable& results) {
  std::vector<HtmlTable::Column> columns;
  for (const measure::ResultColumn& column : results.columns())
    if (const auto& [title, look, unit, weight] = column.shown.page; title)
      columns.push_back({*title, unit, kind_of(column, columns.empty())});
  HtmlTable table(std::move(columns));
  for (size_t row = 0; row < results.rows(); ++row) table.row(cells_of(results, row));
  return table;
}

HtmlTable page_table(const measure::ResultTable& results, std::string name,
                     const measure::ResultTable& total) {
  HtmlTable table = page_table(results);
  std::vector<HtmlCell> cells = cells_of(total, 0);
  cells.front() = std::move(name);
  return table.total(std::move(cells));
}

HtmlTable turned_page_table(const measure::ResultTable& results) {
  const measure::ResultColumn& names = results.columns().front();
  std::vector<HtmlTable::Column> columns = {{"", "", HtmlTable::Kind::Name}};
  for (size_t row = 0; row < results.rows(); ++row) columns.push_back({names.text(row)});
  HtmlTable table(std::move(columns));
  for (const measure::ResultColumn& column : results.columns()) {
    const auto& [title, look, unit, weight] = column.shown.page;
    if (!title || &column == &names) continue;
    std::vector<HtmlCell> cells = {row_head(*title, unit)};
    for (size_t row = 0; row < results.rows(); ++row) cells.push_back(cell_of(column, row));
    weight == measure::Heading::Weight::Total ? table.total(std::move(cells)) : table.row(std::move(cells));
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
