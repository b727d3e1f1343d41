// Writes a report as a page: one HTML file that needs nothing outside of it. Charts are SVG, pictures are
// PNG, and the only scripts are those of a page embedded in it. The page is light or dark like the reader's
// system, and it can be printed and read on a phone.
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
#include <string_view>
#include <utility>
#include <vector>

#include "formats/pages/svg_chart.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/scene.h"

namespace vox {

// Tables of report pages. All texts are plain text; markup() escapes them.

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

class HtmlPage {
 public:
  using Facts = std::vector<std::pair<std::string, std::string>>;

  HtmlPage(const std::string& title, const std::string& subtitle);

  HtmlPage& section(const std::string& title);
  HtmlPage& paragraph(const std::string& text);
  HtmlPage& facts(const Facts& facts);
  HtmlPage& picture(const scene::Image& image, const std::string& what_it_shows);
  // Embeds a whole page with its scripts in this one, such as those of formats/pages/scene_page.h.
  HtmlPage& page_within(const std::string& html, const std::string& what_it_shows);
  // Adds a chart and its numbers, side by side if there is room; `caption` says what to see.
  HtmlPage& figure(const std::string& title, const std::string& caption, const Chart& chart,
                   const HtmlTable& table);
  HtmlPage& table(const std::string& title, const HtmlTable& table);
  HtmlPage& made_by(const Facts& facts);  // shown at the end of the page

  std::string text() const;

 private:
  std::string title_, head_, body_, foot_;
  std::string scripts_;  // the scripts' part of the page's policy
};

// Replaces the file at `path` when everything is written. Throws an Error that names the file.
void write_html(const HtmlPage& page, const std::filesystem::path& path);

// The line that all pages of vox have in their heads, those of scenes, too.
inline constexpr std::string_view kPageMark = "<meta name=\"generator\" content=\"vox\">\n";
// True if a file with this content is a page that vox wrote.
bool is_page_of_vox(std::string_view file);

// The style sheet of report pages.

std::string_view html_style();

}  // namespace vox
