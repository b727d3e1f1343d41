// Rows of cells as aligned text: the first column to the left, the others to the right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vox {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> titles) { row(std::move(titles)); }
  TextTable& row(std::vector<std::string> cells);  // cells that are missing at the end stay empty

  // Each line indented by two spaces. Widths are counted in characters, not bytes (UTF-8).
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string format_mib(uint64_t bytes);    // "3,509.12": MiB, without the unit
std::string format_percent(double share);  // "12.5 %" for an eighth

}  // namespace vox
