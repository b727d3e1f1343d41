// Tests the tables of results that screens and pages show.

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "formats/pages/html_page.h"
#include "formats/results/views.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

ResultTable sample(const std::vector<uint64_t>& sides, const std::vector<uint64_t>& bytes) {
  ResultTable table;
  table.column("side", "voxels", sides, {.screen = {"side"}, .page = {"side", {}, "voxels"}})
      .column("hidden", "", sides)
      .column("bytes", "bytes", bytes, {.screen = {"MiB", Look::mib()}, .page = {"size", Look::mib(), "MiB"}})
      .column("share", "1", std::vector<double>(sides.size(), 0.125),
              both({"share", Look::fixed(1, 100), "%"}));
  return table;
}

TEST(ShownTables, ScreensAlignTheColumnsThatHaveATitle) {
  const ResultTable rows = sample({4, 128}, {1048576, 2097152000}), all = sample({0}, {2098200576});
  EXPECT_EQ(text_table(rows).text(),
            "  side       MiB   share\n"
            "  4         1.00  12.5 %\n"
            "  128   2,000.00  12.5 %\n");
  EXPECT_EQ(text_table(rows, "all", all).text(),
            "  side       MiB   share\n"
            "  4         1.00  12.5 %\n"
            "  128   2,000.00  12.5 %\n"
            "  all   2,001.00  12.5 %\n");
}

TEST(ShownTables, PagesKeepTheExactValueBesideTheText) {
  const std::string page =
      page_table(sample({4}, {1572864}), "all", sample({0}, {1572864})).markup("caption");
  for (const char* part : {"<th scope=\"col\">side <small>voxels</small></th>", "size <small>MiB</small>",
                           "<data value=\"1572864\">1.50</data>", "<data value=\"12.5\">12.5</data>",
                           "<tr class=\"total\"><th scope=\"row\">all</th>"})
    EXPECT_NE(page.find(part), std::string::npos) << part << "\n" << page;
  EXPECT_EQ(page.find("hidden"), std::string::npos);
}

TEST(ShownTables, ATurnedTableHasARowForEachColumn) {
  ResultTable table;
  table.column("table", "", std::vector<std::string>{"accel8", "sector"})
      .column("build", "s", std::vector<double>{1.5, 2}, {.page = {"built in", Look::fixed(2), "s"}})
      .column("total", "bytes", std::vector<uint64_t>{1048576, 0},
              {.page = {"total", Look::mib(), "MiB", Heading::Weight::Total}});
  const std::string page = turned_page_table(table).markup("caption");
  size_t at = 0;
  for (const char* part : {"accel8", "sector", "built in<small>s</small>", ">1.50<", ">2.00<",
                           "<tr class=\"total\">", "total<small>MiB</small>", ">1.00<", ">0.00<"}) {
    at = page.find(part, at);
    ASSERT_NE(at, std::string::npos) << part << "\n" << page;
  }
}

TEST(ShownTables, CellsWithoutAValueAreEmpty) {
  const std::vector<std::optional<double>> values = {std::nullopt, 0.5};
  ResultTable table;
  table.column("name", "", std::vector<std::string>{"a", "b"}, both({"name"}))
      .column("find", "s", values, std::identity(), both({"find", Look::fixed(1), "s"}));
  EXPECT_EQ(text_table(table).text(), "  name   find\n  a\n  b     0.5 s\n");
  EXPECT_NE(page_table(table).markup("").find("<td class=\"number\"></td>"), std::string::npos);
}

TEST(ShownTables, NumbersLookAsTheirColumnsSay) {
  ResultTable table;
  table.column("n", "", std::vector<uint64_t>{1234567}).column("x", "", std::vector<double>{0.125});
  const ResultColumn &count = table["n"], &number = table["x"];
  EXPECT_EQ(shown_text(count, 0, Look()), "1234567");
  EXPECT_EQ(shown_text(count, 0, Look::count()), "1,234,567");
  EXPECT_EQ(shown_text(count, 0, Look::mib()), "1.18");
  EXPECT_EQ(shown_text(count, 0, Look::bytes()), "1.18 MiB");
  EXPECT_EQ(shown_text(count, 0, Look::fixed(1, 1e-6)), "1.2");
  EXPECT_EQ(shown_text(number, 0, Look()), "0.125");
  EXPECT_EQ(shown_texts(number, Look::fixed(2, 10)), std::vector<std::string>{"1.25"});
}

TEST(ShownTables, PagesShowColors) {
  ResultTable table;
  table.column("color", "", std::vector<std::string>{"#ff8000"}, {.page = {"color", Look::color()}});
  EXPECT_NE(page_table(table).markup("").find("style=\"background:#ff8000\"></i>#ff8000"), std::string::npos);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(HtmlPage, HoldsEverythingThatItShows) {
  HtmlTable table({{"table", "", HtmlTable::Kind::Name}, {"size", "MiB"}});
  table.row({"sector", {"47.29", uint64_t{49586176}}}).total({"all"});
  HtmlPage page("title", "subtitle");
  page.section("Section")
      .facts({{"digest", "c51a"}})
      .figure("Memory", "Less is better.", {{{"s1", "items"}}, "<svg></svg>"}, table);
  const std::string text = page.made_by({{"command", "vox-stats"}}).text();
  for (const char* part :
       {"<title>title</title>", "<h1>title</h1>", "subtitle", "<h2>Section</h2>",
        "<dt>digest</dt><dd>c51a</dd>", "<h3>Memory</h3>", "Less is better.", "<i class=\"s1\"></i>items",
        "<svg></svg>",
        "<th scope=\"row\">sector</th><td class=\"number\"><data value=\"49586176\">47.29</data></td>",
        "<tr class=\"total\">", "MiB", "<dd>vox-stats</dd>", "prefers-color-scheme: dark", "@media print"})
    EXPECT_TRUE(has(text, part)) << part;
  for (const char* part : {"http://", "https://", "<script", "@import", "url("})
    EXPECT_FALSE(has(text, part)) << part;
}

TEST(HtmlPage, EscapesAllTexts) {
  const std::string evil = "\"><script>alert(1)</script>";
  HtmlTable table({{evil, evil}});
  HtmlCell cell(evil);
  cell.note = evil;
  table.row({cell});
  HtmlPage page(evil, evil);
  page.section(evil)
      .paragraph(evil)
      .facts({{evil, evil}})
      .picture({.name = evil, .width = 1, .height = 1, .pixels = {{1, 2, 3, 255}}}, evil);
  page.figure(evil, evil, {{{"s1", evil}}, ""}, table).table(evil, table).made_by({{evil, evil}});
  EXPECT_FALSE(has(page.text(), "<script"));
  EXPECT_FALSE(has(page.text(), "\">&lt;script"));
  EXPECT_TRUE(has(page.text(), "&quot;&gt;&lt;script&gt;alert(1)"));
}

TEST(HtmlPage, ChaptersHaveTheContentsOfOtherPagesAndLinksLeadToThem) {
  HtmlPage chapter("first <part>", "of two");
  chapter.section("Inside").paragraph("words").made_by({{"command", "vox-bench hash"}});
  HtmlPage page("all", "parts");
  page.contents({{"first", "the first part"}}).chapter(chapter, "first");
  const std::string text = page.made_by({{"command", "vox-bench all"}}).text();
  for (const char* part :
       {"<a href=\"#first\">the first part</a>", "<h1 id=\"first\">first &lt;part&gt;</h1>", "<p>of two</p>",
        "<h2>Inside</h2>", "<p>words</p>", "<dd>vox-bench hash</dd>",
        "<footer>\n<dl>\n<dt>command</dt><dd>vox-bench all</dd>"})
    EXPECT_TRUE(has(text, part)) << part;
}

TEST(HtmlPage, PicturesAreInThePageAsPng) {
  HtmlPage page("t", "s");
  page.picture({.name = "", .width = 2, .height = 1, .pixels = {{255, 0, 0, 255}, {0, 0, 255, 255}}}, "two");
  const std::string text = page.text();
  const size_t at = text.find("base64,");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(text.substr(at + 7, 11), "iVBORw0KGgo");  // the first bytes of every PNG
  EXPECT_EQ((text.find('"', at) - at - 7) % 4, 0u);
  EXPECT_TRUE(has(text, "alt=\"two\""));
}

TEST(HtmlPage, ThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(write_html(HtmlPage("t", "s"), "/nowhere/page.html"), Error);
}

TEST(HtmlText, MarkupBecomesText) {
  EXPECT_EQ(escape_html("<script>alert(\"1\" & '2')</script>"),
            "&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;");
  EXPECT_EQ(escape_html("&lt;"), "&amp;lt;");
  EXPECT_EQ(escape_html(""), "");
}

TEST(HtmlText, TextOfAllLanguagesStays) {
  for (const char* text : {"Größe ×³ …", "屋根", "дом", "🏠", "two\nlines\tand a tab"})
    EXPECT_EQ(escape_html(text), text);
}

TEST(HtmlText, BytesThatAreNoTextAreShownAsSuch) {
  const std::string no = "\xef\xbf\xbd";
  EXPECT_EQ(escape_html(std::string("a\0b", 3)), "a" + no + "b");
  EXPECT_EQ(escape_html("\x1b[31m"), no + "[31m");
  EXPECT_EQ(escape_html("\xff<"), no + "&lt;");
  EXPECT_EQ(escape_html("\xc3"), no);                             // cut off
  EXPECT_EQ(escape_html("\xc0\xbc"), no + no);                    // '<' as two bytes
  EXPECT_EQ(escape_html("\xe0\x80\xbc"), no + no + no);           // '<' as three bytes
  EXPECT_EQ(escape_html("\xed\xa0\x80"), no + no + no);           // half of a surrogate pair
  EXPECT_EQ(escape_html("\xf4\x90\x80\x80"), no + no + no + no);  // beyond the last code point
  EXPECT_EQ(escape_html("\xe2\x80\xae"
                        "txt"),
            no + no + no + "txt");  // the override to right-to-left text
}

TEST(HtmlText, LongTextsAreCutBetweenCharacters) {
  EXPECT_EQ(shortened("größer", 6), "größer");
  EXPECT_EQ(shortened("größer", 4), "grö…");
  EXPECT_EQ(character_count("grö…"), 4u);
}

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
