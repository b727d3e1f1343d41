// Draws lines with their spread as SVG.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formats/pages/html_text.h"
#include "formats/pages/svg_axis.h"
#include "formats/pages/svg_chart.h"

namespace vox {
namespace {

constexpr double kTop = 24, kBottom = 204, kHeight = 242, kRight = kChartWidth - 16;
constexpr size_t kMostDots = 24;  // points of a series that are drawn as dots; a longer series is only a line

constexpr double kMostSpread = 2;  // times the highest point; one slow repetition must not flatten all lines

using Point = LineChart::Point;

class Lines {
 public:
  explicit Lines(const LineChart& chart) : chart_(chart), x_(make_x(chart)), y_(make_y(chart)) {
    double widest = 0;
    for (const double tick : y_.ticks()) widest = std::max(widest, text_width(y_.label(tick)));
    left_ = widest + 10;
  }

  std::string svg() const {
    std::string content = scale();
    for (size_t i = 0; i < chart_.series.size(); ++i) content += spread(i);
    for (size_t i = 0; i < chart_.series.size(); ++i) content += line(i);
    return svg_figure(kHeight, chart_.title, chart_.description, content);
  }

 private:
  static ChartAxis make_x(const LineChart& chart) {
    std::vector<double> values;
    for (const LineChart::Series& series : chart.series)
      for (const Point& point : series.points) values.push_back(point.x);
    if (values.empty()) values.push_back(0);
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    const double low = values.front(), high = values.back();
    if (values.size() > kMostDots && chart.x_scale != ChartScale::Even) {  // use round numbers instead
      const std::vector<double> round = ChartAxis::linear(high).ticks();
      values.clear();
      std::ranges::copy_if(round, std::back_inserter(values),
                           [&](double value) { return value >= low && value <= high; });
    }
    return ChartAxis::at_values(low, high, chart.x_scale, std::move(values));
  }

  static ChartAxis make_y(const LineChart& chart) {
    double low = HUGE_VAL, high = 0, highest = 0;
    Zeros zeros = Zeros::None;
    for (const LineChart::Series& series : chart.series)
      for (const Point& point : series.points) {
        if (point.y <= 0) zeros = Zeros::Some;
        high = std::max(high, point.y);
        highest = std::max(highest, point.high);
        for (const double value : {point.y, point.low})
          if (value > 0) low = std::min(low, value);
      }
    high = std::max(high, std::min(highest, kMostSpread * high));
    return chart.y_scale == ChartScale::Log ? ChartAxis::logarithmic(low, high, zeros)
                                            : ChartAxis::linear(high);
  }

  // If the axis has a single place, the series stand side by side.
  double x(double value, size_t series) const {
    const double apart = x_.ticks().size() == 1 ? 20 : 0;
    const double from_middle =
        static_cast<double>(series) - 0.5 * static_cast<double>(chart_.series.size() - 1);
    return x(value) + apart * from_middle;
  }
  double x(double value) const { return left_ + 8 + x_.at(value) * (kRight - left_ - 16); }
  double y(double value) const { return kBottom - y_.at(value) * (kBottom - kTop); }

  std::string scale() const {
    std::string content = svg_text(0, kChartFont, Anchor::Start, chart_.y_title);
    for (const double tick : y_.ticks()) {
      content += svg_line(left_, y(tick), kRight, y(tick), "grid");
      content += svg_text(left_ - 6, y(tick) + kChartFont * 0.36, Anchor::End, y_.label(tick));
    }
    // The first and the last value always have a label, the values between them only if there is room.
    double free = 0;
    const auto half = [](double tick) { return text_width(short_number(tick)) / 2; };
    const double last = x_.ticks().empty() ? 0 : x(x_.ticks().back()) - half(x_.ticks().back());
    for (const double tick : x_.ticks()) {
      const bool is_last = tick == x_.ticks().back();
      if (x(tick) - half(tick) < free || (!is_last && x(tick) + half(tick) + 3 > last)) continue;
      content += svg_text(x(tick), kBottom + 18, Anchor::Middle, short_number(tick));
      free = x(tick) + half(tick) + 3;
    }
    return content + svg_text(kRight, kBottom + 33, Anchor::End, chart_.x_title);
  }

  // Draws the area between low and high, or a stroke for each point if there are few.
  std::string spread(size_t series) const {
    const std::vector<Point>& points = chart_.series[series].points;
    if (std::ranges::none_of(points, [](const Point& p) { return p.high > p.low; })) return "";
    std::string path, back;
    for (const Point& point : points) {
      path += fmt::format("{:.1f},{:.1f} ", x(point.x, series), y(point.high));
      back.insert(0, fmt::format("{:.1f},{:.1f} ", x(point.x, series), y(point.low)));
    }
    std::string content =
        fmt::format("<polygon class=\"area {}\" points=\"{}{}\"/>\n", series_style(series), path, back);
    if (points.size() <= kMostDots)
      for (const Point& point : points)
        content += svg_line(x(point.x, series), y(point.low), x(point.x, series), y(point.high),
                            "whisker " + series_style(series));
    return content;
  }

  std::string line(size_t series) const {
    const LineChart::Series& values = chart_.series[series];
    std::string path, dots;
    for (const Point& point : values.points)
      path += fmt::format("{:.1f},{:.1f} ", x(point.x, series), y(point.y));
    if (values.points.size() <= kMostDots)
      for (const Point& point : values.points) dots += dot(series, point);
    return fmt::format("<polyline class=\"mark {}\" points=\"{}\"/>\n{}", series_style(series), path, dots);
  }

  std::string dot(size_t series, const Point& point) const {
    return fmt::format(
        "<circle class=\"mark {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"><title>{}, {}: {} "
        "{}</title></circle>\n",
        series_style(series), x(point.x, series), y(point.y), escape_html(chart_.series[series].name),
        short_number(point.x), short_number(point.y), escape_html(chart_.y_title));
  }

  const LineChart& chart_;
  ChartAxis x_, y_;
  double left_ = 0;
};

}  // namespace

Chart draw(const LineChart& chart) {
  Chart drawn = {.legend = series_keys(chart.series), .svg = {}};
  drawn.svg = Lines(chart).svg();
  return drawn;
}

}  // namespace vox
