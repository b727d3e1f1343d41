#include "formats/pages/svg_chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

namespace vox {
namespace {

// Returns the numbers of an attribute of all elements of one name, in order.
std::vector<double> attributes(const std::string& svg, const std::string& element, const std::string& name) {
  std::vector<double> values;
  const std::regex pattern("<" + element + "[^>]* " + name + "=\"([^\"]*)\"");
  for (std::sregex_iterator it(svg.begin(), svg.end(), pattern), end; it != end; ++it)
    values.push_back(std::stod((*it)[1]));
  return values;
}

std::vector<std::string> texts(const std::string& svg) {
  std::vector<std::string> found;
  const std::regex pattern("<text[^>]*>([^<]*)</text>");
  for (std::sregex_iterator it(svg.begin(), svg.end(), pattern), end; it != end; ++it)
    found.push_back((*it)[1]);
  return found;
}

bool has(const std::vector<std::string>& texts, const std::string& text) {
  return std::ranges::find(texts, text) != texts.end();
}

BarChart bars() {
  return {.title = "title",
          .description = "description",
          .unit = "MiB",
          .rows = {"a", "b"},
          .series = {{"x", {10, 40}}, {"y", {30, 0}}}};
}

TEST(SvgChart, BarsAreAsLongAsTheirValues) {
  const std::vector<double> widths = attributes(draw(bars()).svg, "rect", "width");
  ASSERT_EQ(widths.size(), 3u);  // a value of nothing has no bar
  EXPECT_NEAR(widths[1], 3 * widths[0], 0.02);
  EXPECT_NEAR(widths[2], 4 * widths[0], 0.02);
}

TEST(SvgChart, BarsEndToEndLieSideBySideAndAddUp) {
  BarChart chart = bars();
  chart.bars = BarChart::Bars::EndToEnd;
  chart.mark = BarChart::Mark{"all", 20};
  const std::string svg = draw(chart).svg;
  const std::vector<double> x = attributes(svg, "rect", "x"), width = attributes(svg, "rect", "width"),
                            y = attributes(svg, "rect", "y");
  ASSERT_EQ(x.size(), 3u);
  EXPECT_EQ(y[0], y[1]);
  EXPECT_LT(y[1], y[2]);
  EXPECT_NEAR(x[0] + width[0], x[1], 0.02);
  EXPECT_NEAR(x[1] + width[1], x[2] + width[2], 0.02);  // 10 + 30 = 40
  EXPECT_NEAR(attributes(svg, "line", "x1").back(), x[0] + 2 * width[0], 0.1);
}

TEST(SvgChart, ALogarithmicBarGrowsByTheSameForEachPowerOfTen) {
  BarChart chart = bars();
  chart.scale = ChartScale::Log;
  chart.series = {{"x", {100, 10000}}, {"y", {1, 0}}};
  const std::string svg = draw(chart).svg;
  const std::vector<double> widths = attributes(svg, "rect", "width");
  ASSERT_EQ(widths.size(), 3u);
  EXPECT_NEAR(widths[2], 2 * widths[0], 0.02);
  EXPECT_GT(widths[1], 0) << "the smallest can be seen";
  for (const char* tick : {"1", "100", "10k"}) EXPECT_TRUE(has(texts(svg), tick)) << tick;
}

TEST(SvgChart, LinesGoThroughTheirPointsAndShowTheSpread) {
  const LineChart chart = {.title = "t",
                           .description = "d",
                           .x_title = "words",
                           .y_title = "ms",
                           .series = {{"a", {{2, 10, 5, 20}, {4, 20, 20, 20}, {6, 0, 0, 0}}}}};
  const std::string svg = draw(chart).svg;
  const std::vector<double> x = attributes(svg, "circle", "cx"), y = attributes(svg, "circle", "cy");
  ASSERT_EQ(x.size(), 3u);
  EXPECT_NEAR(x[1] - x[0], x[2] - x[1], 0.11);
  EXPECT_NEAR(y[2] - y[1], 2 * (y[2] - y[0]), 0.21);
  const std::regex whisker(
      "class=\"whisker s1\" x1=\"([^\"]*)\" y1=\"([^\"]*)\" x2=\"[^\"]*\" y2=\"([^\"]*)\"");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(svg, found, whisker));
  EXPECT_NEAR(std::stod(found[2]), y[2] - (y[2] - y[0]) / 2, 0.11);  // 5, half of 10
  EXPECT_NEAR(std::stod(found[3]), y[1], 0.11);                      // 20
  for (const char* text : {"2", "4", "6", "words", "ms"}) EXPECT_TRUE(has(texts(svg), text)) << text;
}

TEST(SvgChart, ALogarithmicAxisStartsAtAPowerOfTenAndShowsZeroAsZero) {
  LineChart chart = {.title = "t",
                     .description = "d",
                     .x_title = "items",
                     .y_title = "nodes",
                     .x_scale = ChartScale::Log,
                     .y_scale = ChartScale::Log,
                     .series = {{"a", {{20, 300, 300, 300}, {100, 4, 4, 4}, {1000, 40, 40, 40}}}}};
  const std::string svg = draw(chart).svg;
  const std::vector<double> x = attributes(svg, "circle", "cx"), y = attributes(svg, "circle", "cy");
  // On the logarithmic axis 20 lies 0.3 of a decade after the start, 100 one decade, 1000 two.
  EXPECT_NEAR((x[0] - (2 * x[1] - x[2])) / (x[2] - x[1]), 0.301, 0.005);
  for (const char* tick : {"1", "10", "100", "1k"}) EXPECT_TRUE(has(texts(svg), tick)) << tick;
  EXPECT_FALSE(has(texts(svg), "0"));
  chart.series[0].points[1] = {100, 0, 0, 0};
  chart.series[0].points[2] = {1000, 1, 1, 1};
  const std::string zero = draw(chart).svg;
  EXPECT_TRUE(has(texts(zero), "0"));
  const std::vector<double> with_zero = attributes(zero, "circle", "cy");
  EXPECT_GT(with_zero[1], with_zero[2] + 10) << "0 is not 1";
}

TEST(SvgChart, EvenlySpacedValuesAreSo) {
  const LineChart chart = {.title = "t",
                           .description = "d",
                           .x_title = "side",
                           .y_title = "ms",
                           .x_scale = ChartScale::Even,
                           .series = {{"a", {{4, 1, 1, 1}, {8, 1, 1, 1}, {64, 1, 1, 1}}}}};
  const std::vector<double> x = attributes(draw(chart).svg, "circle", "cx");
  ASSERT_EQ(x.size(), 3u);
  EXPECT_NEAR(x[1] - x[0], x[2] - x[1], 0.11);
}

TEST(SvgChart, ManyPointsAreOneLineAndRoundNumbers) {
  LineChart chart = {
      .title = "t", .description = "d", .x_title = "pass", .y_title = "ms", .series = {{"a", {}}}};
  for (int i = 1; i <= 1000; ++i) chart.series[0].points.push_back({i * 1.0, i * 1.0, i * 1.0, i * 2.0});
  const std::string svg = draw(chart).svg;
  EXPECT_EQ(attributes(svg, "circle", "cx").size(), 0u);
  EXPECT_NE(svg.find("<polyline class=\"mark"), std::string::npos);
  EXPECT_TRUE(has(texts(svg), "500"));
  EXPECT_LT(texts(svg).size(), 20u);
}

TEST(SvgChart, NothingToShowIsDrawnAllTheSame) {
  for (const ChartScale scale : {ChartScale::Linear, ChartScale::Log}) {
    const BarChart none = {
        .title = "t", .description = "d", .unit = "u", .scale = scale, .rows = {"a"}, .series = {{"x", {0}}}};
    const LineChart empty = {.title = "t",
                             .description = "d",
                             .x_title = "x",
                             .y_title = "y",
                             .x_scale = scale,
                             .y_scale = scale,
                             .series = {{"a", {}}}};
    for (const std::string& svg : {draw(none).svg, draw(empty).svg}) {
      EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
      EXPECT_EQ(svg.find("inf"), std::string::npos) << svg;
    }
  }
}

TEST(SvgChart, NamesAreEscaped) {
  const std::string evil = "<script>", safe = "&lt;script&gt;";
  BarChart chart = bars();
  chart.title = chart.description = chart.unit = chart.rows[0] = chart.series[0].name = evil;
  chart.notes = {evil, evil};
  const std::string svg = draw(chart).svg + draw(LineChart{.title = evil,
                                                           .description = evil,
                                                           .x_title = evil,
                                                           .y_title = evil,
                                                           .series = {{evil, {{1, 1, 1, 1}}}}})
                                                .svg;
  EXPECT_EQ(svg.find(evil), std::string::npos) << svg;
  EXPECT_NE(svg.find(safe), std::string::npos);
}

}  // namespace
}  // namespace vox
