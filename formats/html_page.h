// A report to look at: one HTML file without anything outside of it. Charts are SVG, pictures PNG, nothing is
// a script; light and dark as the reader's system is, on paper too, down to the width of a phone.
//
//   HtmlPage page("village.h5", "45,972,702 voxels in 4096³");
//   page.section("Memory").figure("Hash tables", "Shorter is better.", draw(bars), table);
//   page.made_by({{"Command", "vox-stats …"}});
//   write_html(page, "report.html");
//
// All texts are plain text; the page escapes them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/svg_chart.h"
#include "libvox/scene/palette.h"

namespace vox {

struct HtmlCell {
  HtmlCell() = default;
  HtmlCell(std::string words) : text(std::move(words)) {}
  HtmlCell(const char* words) : text(words) {}
  HtmlCell(std::string words, double exact) : text(std::move(words)), value(exact) {}
  HtmlCell(std::string words, uint64_t exact) : text(std::move(words)), value(static_cast<double>(exact)) {}

  std::string text;
  std::string note = {};             // smaller, below
  std::optional<double> value = {};  // what the text rounds, kept in the page: <data value=…>
  std::optional<Rgb8> swatch = {};
};

// The first column names the row. Names stay on a line, words may be broken, numbers are aligned at their
// right.
class HtmlTable {
 public:
  enum class Kind { Name, Words, Number };
  struct Column {
    std::string title, unit = {};
    Kind kind = Kind::Number;
  };

  explicit HtmlTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  HtmlTable& row(std::vector<HtmlCell> cells);    // cells that are missing at the end stay empty
  HtmlTable& total(std::vector<HtmlCell> cells);  // a row set off from the others

  std::string markup(const std::string& caption) const;

 private:
  struct Row {
    std::vector<HtmlCell> cells;
    std::string style;
  };
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

class HtmlPage {
 public:
  using Facts = std::vector<std::pair<std::string, std::string>>;

  HtmlPage(const std::string& title, const std::string& subtitle);

  HtmlPage& section(const std::string& title);
  HtmlPage& paragraph(const std::string& text);
  HtmlPage& facts(const Facts& facts);
  HtmlPage& picture(const Image& image, const std::string& what_it_shows);
  // A chart and its numbers, side by side where there is room; `caption` says what to see.
  HtmlPage& figure(const std::string& title, const std::string& caption, const Chart& chart,
                   const HtmlTable& table);
  HtmlPage& table(const std::string& title, const HtmlTable& table);
  HtmlPage& made_by(const Facts& facts);  // at the end

  std::string text() const;

 private:
  std::string title_, head_, body_, foot_;
};

// Replaces what is at `path` once all is written. Throws Error that names the file.
void write_html(const HtmlPage& page, const std::filesystem::path& path);

}  // namespace vox
