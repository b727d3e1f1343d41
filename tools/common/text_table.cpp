#include "tools/common/text_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "libvox/base/units.h"

namespace vox {
namespace {

size_t characters(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

TextTable& TextTable::row(std::vector<std::string> cells) {
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

std::string format_mib(uint64_t bytes) {
  const uint64_t hundredths = (bytes / 1024 * 100 + bytes % 1024 * 100 / 1024 + 512) / 1024;
  return fmt::format("{}.{:02}", format_count(hundredths / 100), hundredths % 100);
}

std::string format_percent(double share) {
  return fmt::format("{:.1f} %", share * 100);
}

}  // namespace vox
