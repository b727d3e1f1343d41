// Draws bars as SVG.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formats/pages/html_text.h"
#include "formats/pages/svg_axis.h"
#include "formats/pages/svg_chart.h"

namespace vox {
namespace {

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

}  // namespace vox
