// Tables of report pages. All texts are plain text; markup() escapes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libvox/scene/palette.h"

namespace vox {

struct HtmlCell {
  HtmlCell() = default;
  HtmlCell(std::string words) : text(std::move(words)) {}
  HtmlCell(const char* words) : text(words) {}
  HtmlCell(std::string words, double exact) : text(std::move(words)), value(exact) {}
  HtmlCell(std::string words, uint64_t exact) : text(std::move(words)), value(static_cast<double>(exact)) {}

  std::string text;
  std::string note = {};             // shown smaller, below the text
  std::optional<double> value = {};  // the exact value, for <data value=…>
  std::optional<scene::Rgb8> swatch = {};
};

// A table. If it is too wide for a phone, each of its rows becomes a list there. The first column names the
// row. Names stay on one line, words may be broken into lines, and numbers are aligned to the right.
class HtmlTable {
 public:
  enum class Kind { Name, Words, Number };
  struct Column {
    std::string title, unit = {};
    Kind kind = Kind::Number;
  };

  explicit HtmlTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  HtmlTable& row(std::vector<HtmlCell> cells);    // missing cells at the end stay empty
  HtmlTable& total(std::vector<HtmlCell> cells);  // a row set off from the others

  std::string markup(const std::string& caption) const;

 private:
  enum class Fit { Phone, Screen };
  struct Row {
    std::vector<HtmlCell> cells;
    std::string style;
  };
  Fit fit() const;
  std::string head() const;
  std::string body(Fit fit) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace vox
