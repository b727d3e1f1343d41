// Draws charts as SVG within a page. A chart is as wide as the page allows, uses the colours and fonts of the
// page's style, and is readable on a phone. Texts are escaped here.
#pragma once

#include <optional>
#include <string>
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

}  // namespace vox
