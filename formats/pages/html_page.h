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
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libvox/scene/palette.h"
#include "libvox/scene/scene.h"

namespace vox {

// Escapes text for the content of HTML and SVG and for attributes in double quotes, so that text from files is shown
// and never interpreted. Control characters, and bytes that are not UTF-8, become U+FFFD.
std::string escape_html(std::string_view text);

// Returns the first characters of a text, with "…" in place of the rest if it has more than `most`.
std::string shortened(std::string_view text, size_t most);

// Returns the number of characters, not bytes.
size_t character_count(std::string_view text);

// Returns the bytes as base64 (RFC 4648), which a page can hold.
std::string to_base64(std::span<const uint8_t> bytes);

// Charts are drawn as SVG within a page. A chart is as wide as the page allows, uses the colors and fonts of
// the page's style, and is readable on a phone. Texts are escaped here.

// A Linear scale begins at 0, except for the x of lines. A Log scale begins at the power of ten below the
// smallest value; values of 0 are one step below that. An Even scale, for the x of lines, puts all values
// at equal distances.
enum class ChartScale { Linear, Log, Even };

// A drawn chart. Series have the classes s1, s2, …, which repeat after kSeriesColors of them.
struct Chart {
  struct Key {
    std::string style;  // a class of the style sheet
    std::string name;
  };
  std::vector<Key> legend;
  std::string svg;
};

inline constexpr size_t kSeriesColors = 8;

// Bars that extend to the right, with a row for each label.
struct BarChart {
  enum class Bars { SideBySide, EndToEnd };
  struct Series {
    std::string name;
    std::vector<double> values;  // one for each row
  };
  struct Mark {  // a line across all rows
    std::string name;
    double value = 0;
  };
  std::string title, description;  // for readers who cannot see the chart
  std::string unit;
  ChartScale scale = ChartScale::Linear;  // must be Linear if bars are end to end
  Bars bars = Bars::SideBySide;
  std::vector<std::string> rows = {};
  std::vector<Series> series = {};
  std::vector<std::string> notes = {};   // texts beside each row's bars
  std::vector<std::string> colors = {};  // one CSS color for each row, instead of the series' color
  std::optional<Mark> mark = {};
};

Chart draw(const BarChart& chart);

// Lines through points, with the spread of the measurements around each point. A spread far above all points
// is cut off.
struct LineChart {
  struct Point {
    double x = 0, y = 0, low = 0, high = 0;
  };
  struct Series {
    std::string name;
    std::vector<Point> points;  // in ascending order of x
  };
  std::string title, description;
  std::string x_title, y_title;  // with their units
  ChartScale x_scale = ChartScale::Linear, y_scale = ChartScale::Linear;
  std::vector<Series> series = {};
};

Chart draw(const LineChart& chart);

// All charts share these parts: the axis, and text in the units of their viewBox.

// Sizes in units of the viewBox, which are roughly CSS pixels on a phone.
inline constexpr double kChartWidth = 360, kChartFont = 11;

// Returns the approximate width of a text; most fonts need slightly less.
double text_width(std::string_view text);

std::string series_style(size_t series);  // "s1" for the first
std::string short_number(double value);   // "0.25", "1.5k", "20M"

// Returns the legend's keys if there are several series, otherwise none.
template <class Series>
std::vector<Chart::Key> series_keys(const std::vector<Series>& series) {
  std::vector<Chart::Key> keys;
  if (series.size() > 1)
    for (size_t i = 0; i < series.size(); ++i) keys.push_back({series_style(i), series[i].name});
  return keys;
}

enum class Zeros { None, Some };

class ChartAxis {
 public:
  // Makes an axis from 0 to at least `high`.
  static ChartAxis linear(double high);
  // Makes an axis between the powers of ten around `low` and `high`. Values that are not positive lie at
  // the lower end. With Zeros::Some, the lower end is a mark for 0 below the powers.
  static ChartAxis logarithmic(double low, double high, Zeros zeros = Zeros::None);
  // Makes an axis from `low` to `high`, with marks at the given values.
  static ChartAxis at_values(double low, double high, ChartScale scale, std::vector<double> values);

  double at(double value) const;  // the place of a value on the axis, 0 to 1
  const std::vector<double>& ticks() const { return ticks_; }
  std::string label(double tick) const;

 private:
  ChartScale scale_ = ChartScale::Linear;
  double low_ = 0, high_ = 1;
  Zeros zeros_ = Zeros::None;
  std::vector<double> ticks_;
};

enum class Anchor { Start, Middle, End };

std::string svg_text(double x, double y, Anchor anchor, std::string_view text);
std::string svg_line(double x1, double y1, double x2, double y2, std::string_view style);

// Returns the svg element around `content`.
std::string svg_figure(double height, const std::string& title, const std::string& description,
                       const std::string& content);

// A cell of a table on a report page. Its texts are plain text, as all texts of tables; markup() escapes them.
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
  HtmlTable& total(std::vector<HtmlCell> cells);  // a row that looks different from the others

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
  // Adds another page's title, contents and end. The title is an anchor, to which contents() links.
  HtmlPage& chapter(const HtmlPage& page, const std::string& anchor);
  // Adds links to chapters: their anchors, and the texts that are shown.
  HtmlPage& contents(const Facts& chapters);
  HtmlPage& made_by(const Facts& facts);  // shown at the end of the page

  std::string text() const;

 private:
  std::string title_, subtitle_, body_, foot_;
  std::string scripts_;  // the scripts' part of the page's policy
};

// Replaces the file at `path` when everything is written. Throws an Error that names the file.
void write_html(const HtmlPage& page, const std::filesystem::path& path);

// The line that all pages of vox have in their heads, including pages of scenes.
inline constexpr std::string_view kPageMark = "<meta name=\"generator\" content=\"vox\">\n";
// True if a file with this content is a page that vox wrote.
bool is_page_of_vox(std::string_view file);

// Returns the style sheet of report pages.
std::string_view html_style();

}  // namespace vox
