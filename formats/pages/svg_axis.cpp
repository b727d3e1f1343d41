#include "formats/pages/svg_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formats/pages/html_text.h"

namespace vox {
namespace {

// Returns the least of 1, 2 or 5 times a power of ten that is at least `step`.
double round_step(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= step * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

}  // namespace

double text_width(std::string_view text) {
  constexpr double kCharacter = 0.63;  // times the font's size; digits are narrower
  return static_cast<double>(character_count(text)) * kCharacter * kChartFont;
}

std::string series_style(size_t series) {
  return fmt::format("s{}", series % kSeriesColors + 1);
}

std::string short_number(double value) {
  for (const auto& [size, letter] : {std::pair{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}})
    if (std::abs(value) >= size) return fmt::format("{:.4g}{}", value / size, letter);
  return fmt::format("{:.4g}", value);
}

ChartAxis ChartAxis::linear(double high) {
  constexpr double kTicks = 4;
  ChartAxis axis;
  const double step = high > 0 ? round_step(high / kTicks) : 0.25;
  const double steps = high > 0 ? std::ceil(high / step * (1 - 1e-9)) : kTicks;
  axis.high_ = step * steps;
  for (double i = 0; i <= steps; ++i) axis.ticks_.push_back(step * i);
  return axis;
}

ChartAxis ChartAxis::logarithmic(double low, double high, Zeros zeros) {
  ChartAxis axis;
  axis.scale_ = ChartScale::Log;
  if (low <= 0) low = high;
  if (high <= 0) low = high = 1;
  const int first = static_cast<int>(std::floor(std::log10(low) + 1e-9));
  const int last = std::max(first + 1, static_cast<int>(std::ceil(std::log10(high) - 1e-9)));
  axis.low_ = std::pow(10, first);
  axis.high_ = std::pow(10, last);
  const int step = (last - first + 4) / 5;
  if (zeros == Zeros::Some) {
    axis.zeros_ = zeros;
    axis.low_ = std::pow(10, first - step);
    axis.ticks_.push_back(axis.low_);
  }
  for (int power = first; power <= last; power += step) axis.ticks_.push_back(std::pow(10, power));
  return axis;
}

ChartAxis ChartAxis::at_values(double low, double high, ChartScale scale, std::vector<double> values) {
  ChartAxis axis;
  axis.scale_ = scale;
  // A single value has no scale.
  axis.low_ = scale == ChartScale::Log && low > 0 && low < high
                  ? std::pow(10, std::floor(std::log10(low) + 1e-9))
                  : low;
  axis.high_ = high;
  axis.ticks_ = std::move(values);
  return axis;
}

std::string ChartAxis::label(double tick) const {
  return zeros_ == Zeros::Some && tick == low_ ? "0" : short_number(tick);
}

double ChartAxis::at(double value) const {
  if (low_ == high_) return 0.5;
  if (scale_ == ChartScale::Even) {
    const auto next = std::ranges::lower_bound(ticks_, value);
    return static_cast<double>(next - ticks_.begin()) / static_cast<double>(ticks_.size() - 1);
  }
  const double share = scale_ == ChartScale::Linear
                           ? (value - low_) / (high_ - low_)
                           : std::log(std::max(value, low_) / low_) / std::log(high_ / low_);
  return std::clamp(share, 0.0, 1.0);
}

std::string svg_text(double x, double y, Anchor anchor, std::string_view text) {
  constexpr const char* kAnchors[] = {"start", "middle", "end"};
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y,
                     kAnchors[static_cast<int>(anchor)], escape_html(text));
}

std::string svg_line(double x1, double y1, double x2, double y2, std::string_view style) {
  return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", style,
                     x1, y1, x2, y2);
}

std::string svg_figure(double height, const std::string& title, const std::string& description,
                       const std::string& content) {
  return fmt::format(
      "<svg viewBox=\"0 0 {} {:.0f}\" role=\"img\">\n<title>{}</title>\n<desc>{}</desc>\n{}</svg>\n",
      kChartWidth, height, escape_html(title), escape_html(description), content);
}

}  // namespace vox
