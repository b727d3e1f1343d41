// Draws charts as SVG within a page. A chart is as wide as the page allows, uses the colours and fonts of the
// page's style, and is readable on a phone. Texts are escaped here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vox {

// A Linear scale begins at 0, except for the x of lines. A Log scale begins at the power of ten below the
// smallest value, with values of 0 a step below that. An Even scale, for the x of lines, puts all values at
// equal distances.
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
  std::vector<std::string> notes = {};   // beside each row's bars
  std::vector<std::string> colors = {};  // one CSS colour for each row, instead of the series' colour
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

// The parts that charts share: the axis, and text in the units of their viewBox.

// Sizes in units of the viewBox, which are roughly CSS pixels on a phone.
inline constexpr double kChartWidth = 360, kChartFont = 11;

// Returns the approximate width of a text; most fonts need slightly less.
double text_width(std::string_view text);

std::string series_style(size_t series);  // "s1" for the first
std::string short_number(double value);   // "0.25", "1.5k", "20M"

// Returns the legend's keys of several series; none if there is only one series.
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
  // Makes an axis between whole powers of ten around both. A value that is not positive lies at the lower
  // end. With Zeros::Some the lower end is a mark for 0 below the powers.
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

}  // namespace vox
