
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formats/pages/html_page.h"

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

namespace {

// Draws bars as SVG.

constexpr double kGap = 8, kAboveLabel = 15, kAboveGap = 5, kBelowAxis = 34, kAboveRows = 4;
constexpr double kLeastWidth = 1.5;  // least width of a bar whose value is greater than 0
constexpr size_t kLabelBeside = 18;  // in characters; longer labels stand above the bars
constexpr size_t kLabelAbove = 54;   // even longer ones are shortened

class Bars {
 public:
  explicit Bars(const BarChart& chart) : chart_(chart), axis_(make_axis(chart)) {
    size_t longest = 0;
    double label = 0, note = 0;
    for (const std::string& row : chart.rows) {
      longest = std::max(longest, character_count(row));
      label = std::max(label, text_width(row));
    }
    for (const std::string& text : chart.notes) note = std::max(note, text_width(text));
    labels_above_ = longest > kLabelBeside;
    const auto half = [](double tick) { return text_width(short_number(tick)) / 2; };
    left_ = std::max(labels_above_ ? 0 : label + 8, half(axis_.ticks().front()) + 1);
    right_ = kChartWidth - std::max(note + 8, half(axis_.ticks().back()) + 1);
    const double stacked =
        chart.bars == BarChart::Bars::EndToEnd ? 1 : static_cast<double>(chart.series.size());
    bar_ = stacked > 2 ? 6 : stacked > 1 ? 8 : 13;
    bars_ = bar_ * stacked;
    row_ = bars_ + kGap + (labels_above_ ? kAboveLabel + kAboveGap : 0);
    bottom_ = kAboveRows + row_ * static_cast<double>(chart.rows.size());
  }

  std::string svg() const {
    std::string content = scale();
    for (size_t row = 0; row < chart_.rows.size(); ++row) content += drawn_row(row);
    if (chart_.mark)
      content += svg_line(x(chart_.mark->value), kAboveRows, x(chart_.mark->value), bottom_, "mark rule");
    return svg_figure(bottom_ + kBelowAxis, chart_.title, chart_.description, content);
  }

 private:
  static ChartAxis make_axis(const BarChart& chart) {
    double low = HUGE_VAL, high = chart.mark ? chart.mark->value : 0;
    for (size_t row = 0; row < chart.rows.size(); ++row) {
      double sum = 0;
      for (const BarChart::Series& series : chart.series) {
        const double value = series.values[row];
        sum = chart.bars == BarChart::Bars::EndToEnd ? sum + value : std::max(sum, value);
        if (value > 0) low = std::min(low, value);
      }
      high = std::max(high, sum);
    }
    return chart.scale == ChartScale::Log ? ChartAxis::logarithmic(low, high) : ChartAxis::linear(high);
  }

  double x(double value) const { return left_ + axis_.at(value) * (right_ - left_); }

  std::string scale() const {
    std::string content;
    for (const double tick : axis_.ticks()) {
      content += svg_line(x(tick), kAboveRows, x(tick), bottom_, "grid");
      content += svg_text(x(tick), bottom_ + 13, Anchor::Middle, short_number(tick));
    }
    return content + svg_text(right_, bottom_ + 29, Anchor::End, chart_.unit);
  }

  std::string drawn_row(size_t row) const {
    const double top = kAboveRows + row_ * static_cast<double>(row) + kGap / 2;
    double y = top + (labels_above_ ? kAboveLabel : 0);
    const double text_y = y + bars_ / 2 + kChartFont * 0.36;
    std::string content = labels_above_ ? svg_text(left_, top + kChartFont, Anchor::Start,
                                                   shortened(chart_.rows[row], kLabelAbove))
                                        : svg_text(left_ - 6, text_y, Anchor::End, chart_.rows[row]);
    double from = left_, end = left_;
    double sum = 0;
    for (size_t i = 0; i < chart_.series.size(); ++i) {
      const double value = chart_.series[i].values[row];
      sum += value;
      const double to = x(chart_.bars == BarChart::Bars::EndToEnd ? sum : value);
      if (value > 0) content += bar(row, i, from, std::max(to, from + kLeastWidth), y);
      end = std::max(end, to);
      if (chart_.bars == BarChart::Bars::EndToEnd)
        from = to;
      else
        y += bar_;
    }
    if (!chart_.notes.empty()) content += svg_text(end + 5, text_y, Anchor::Start, chart_.notes[row]);
    return content;
  }

  std::string bar(size_t row, size_t series, double from, double to, double y) const {
    const std::string fill =
        chart_.colors.empty() ? std::string() : fmt::format(" style=\"fill:{}\"", chart_.colors[row]);
    const BarChart::Series& values = chart_.series[series];
    return fmt::format(
        "<rect class=\"mark {}{}\"{} x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\">"
        "<title>{}: {} {}</title></rect>\n",
        series_style(series), fill.empty() ? "" : " own", fill, from, y, to - from, bar_,
        escape_html(chart_.rows[row] + (chart_.series.size() > 1 ? ", " + values.name : "")),
        short_number(values.values[row]), escape_html(chart_.unit));
  }

  const BarChart& chart_;
  ChartAxis axis_;
  bool labels_above_ = false;
  double left_ = 0, right_ = 0, bar_ = 0, bars_ = 0, row_ = 0, bottom_ = 0;
};

}  // namespace

Chart draw(const BarChart& chart) {
  Chart drawn = {.legend = series_keys(chart.series), .svg = {}};
  if (chart.mark) drawn.legend.push_back({"rule", chart.mark->name});
  drawn.svg = Bars(chart).svg();
  return drawn;
}

namespace {

// Draws lines with their spread as SVG.

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
