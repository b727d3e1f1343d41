#include "formats/results/text_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "libvox/base/plain_text.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

std::string shown(double value, const measure::Look& look) {
  return look.form == measure::Look::Form::Fixed ? fmt::format("{:.{}f}", value * look.factor, look.digits)
                                                 : fmt::format("{}", value);
}

std::string shown(uint64_t value, const measure::Look& look) {
  switch (look.form) {
    case measure::Look::Form::Count:
      return format_count(value);
    case measure::Look::Form::Bytes:
      return format_bytes(value);
    case measure::Look::Form::Mib:
      return format_mib(value);
    case measure::Look::Form::Fixed:
      return shown(static_cast<double>(value), look);
    default:
      return std::to_string(value);
  }
}

std::string shown(const std::string& text, const measure::Look&) {
  return text;
}

std::string shown(const measure::ResultColumn::List&, const measure::Look&) {
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

std::vector<std::string> screen_titles(const measure::ResultTable& results) {
  std::vector<std::string> titles;
  for (const measure::ResultColumn& column : results.columns())
    if (const auto& title = column.shown.screen.title) titles.push_back(*title);
  return titles;
}

std::vector<std::string> screen_cells(const measure::ResultTable& results, size_t row) {
  std::vector<std::string> cells;
  for (const measure::ResultColumn& column : results.columns()) {
    const auto& [title, look, unit, weight] = column.shown.screen;
    if (!title) continue;
    cells.push_back(shown_text(column, row, look));
    if (!unit.empty() && column.has(row)) cells.back() += " " + unit;
  }
  return cells;
}

TextTable text_table(const measure::ResultTable& results) {
  TextTable table(screen_titles(results));
  for (size_t row = 0; row < results.rows(); ++row) table.row(screen_cells(results, row));
  return table;
}

TextTable text_table(const measure::ResultTable& results, std::string name,
                     const measure::ResultTable& total) {
  TextTable table = text_table(results);
  std::vector<std::string> cells = screen_cells(total, 0);
  cells.front() = std::move(name);
  return table.row(std::move(cells));
}

std::string shown_text(const measure::ResultColumn& column, size_t row, const measure::Look& look) {
  if (!column.has(row)) return "";
  return std::visit([&](const auto& values) { return shown(values[row], look); }, column.values);
}

std::vector<std::string> shown_texts(const measure::ResultColumn& column, const measure::Look& look) {
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

}  // namespace vox
