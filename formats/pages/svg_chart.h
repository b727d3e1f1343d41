// Charts as SVG that stands in a page: as wide as the page lets them be, colours and fonts from the page's
// style, readable on a phone. Texts are escaped here.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace vox {

// Linear begins at 0, but for the x of lines; Log at the power of ten below the smallest value, and what is 0
// lies a step below it; of Even, for the x of lines, all values are equally far from one another.
enum class ChartScale { Linear, Log, Even };

// A drawn chart. Series are told apart by the classes s1, s2, …, kSeriesColors of them.
struct Chart {
  struct Key {
    std::string style;  // class
    std::string name;
  };
  std::vector<Key> legend;
  std::string svg;
};

inline constexpr size_t kSeriesColors = 8;

// Bars to the right, a row for each label.
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
  std::string title, description;  // for those who cannot see it
  std::string unit;
  ChartScale scale = ChartScale::Linear;  // Linear where bars stand end to end
  Bars bars = Bars::SideBySide;
  std::vector<std::string> rows = {};
  std::vector<Series> series = {};
  std::vector<std::string> notes = {};   // beside each row's bars
  std::vector<std::string> colors = {};  // of each row, as CSS: instead of the series' colour
  std::optional<Mark> mark = {};
};

Chart draw(const BarChart& chart);

// Lines through points, and how far what was measured is spread around each; what is far above all points is
// cut off.
struct LineChart {
  struct Point {
    double x = 0, y = 0, low = 0, high = 0;
  };
  struct Series {
    std::string name;
    std::vector<Point> points;  // x grows
  };
  std::string title, description;
  std::string x_title, y_title;  // with their units
  ChartScale x_scale = ChartScale::Linear, y_scale = ChartScale::Linear;
  std::vector<Series> series = {};
};

Chart draw(const LineChart& chart);

}  // namespace vox
