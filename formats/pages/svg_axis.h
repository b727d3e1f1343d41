// The parts that charts share: the axis, and text in the units of their viewBox.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/pages/svg_chart.h"

namespace vox {

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
