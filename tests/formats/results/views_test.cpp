// Tests views of a small table of times against lines and figures that are written out by hand.
#include "formats/results/views.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <stdexcept>

#include "formats/results/files.h"

namespace vox {
namespace {

using Names = std::vector<std::string>;
using Counts = std::vector<uint64_t>;

ResultTable times() {
  const std::vector<std::optional<double>> ms = {1.5, 20, 3, std::nullopt};
  ResultTable table;
  table.column("table", "", Names{"robin", "robin", "lines", "lines"})
      .column("op", "", Names{"fill", "find", "fill", "find"})
      .column("keys", "keys", Counts{1000, 1000, 2000, 2000})
      .column("ms", "ms", ms, std::identity())
      .column("bytes", "bytes", Counts{1 << 20, 1 << 20, 1 << 21, 1 << 21});
  return table;
}

std::vector<LinePart> parts_of_times(const ResultRow& row) {
  std::vector<LinePart> parts = {{0, "table", row.word("table")}};
  if (row.has("ms")) parts.push_back({2, row.word("op"), row.text("ms", Look::fixed(1))});
  parts.push_back({1, "keys", row.text("keys", Look::count())});
  return parts;
}

TEST(Views, RowsOfOneTextFormALineAndPartsOfOneHeadingAColumn) {
  const ResultTable table = times();
  LineView view = {.line = text_in("table"), .parts = parts_of_times, .missing = "-"};
  EXPECT_EQ(line_table(rows_of(table), view).text(),
            "  table   keys  fill  find\n"
            "  robin  1,000   1.5  20.0\n"
            "  lines  2,000   3.0     -\n");
  view.gap = [](const ResultRow& before, const ResultRow& row) {
    return before.word("table") != row.word("table");
  };
  EXPECT_EQ(line_table(rows_of(table), view).text(),
            "  table   keys  fill  find\n"
            "  robin  1,000   1.5  20.0\n"
            "\n"
            "  lines  2,000   3.0     -\n");
}

TEST(Views, RowsAreChosenByTextAndByValue) {
  const ResultTable table = times();
  const ResultRows rows = rows_of(table);
  EXPECT_EQ(texts_of(rows, text_in("op")), (Names{"fill", "find"}));
  EXPECT_EQ(rows_with(rows, text_in("op"), "find").size(), 2u);
  EXPECT_EQ(rows_with_value(rows, "ms").size(), 3u);
  EXPECT_TRUE(rows_with_value(rows, "unknown").empty());
  EXPECT_EQ(runs_of(rows, text_in("op")).size(), 4u);
  EXPECT_EQ(runs_of(rows, text_in("table")).size(), 2u);
}

TEST(Views, AFigureHasALineForEachSeriesAndTheNumbersInTheUnitOfTheLook) {
  const ResultTable table = times();
  const ResultRows fills = rows_with(rows_of(table), text_in("op"), "fill");
  HtmlPage page("title", "");
  add_line_figure(page, "Memory", fills, {.column = "keys", .title = "number of keys", .look = Look::count()},
                  text_in("table"),
                  {.column = "bytes", .unit = "MiB", .caption = "Less is better.", .look = Look::mib()});
  add_line_figure(page, "Times", fills, {.column = "keys", .title = "keys"}, text_in("table"),
                  {.column = "ms",
                   .unit = "ms",
                   .caption = "",
                   .look = Look::fixed(2),
                   .range = [](const ResultRow& row) {
                     return std::array{row.number("ms") - 1, row.number("ms") + 1};
                   }});
  const std::string text = page.text();
  for (const char* part : {"number of keys", "2,000", "<data value=\"2097152\">2.00</data>",
                           "Less is better.", "0.50 to 2.50", "2.00 to 4.00"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST(Views, APageHasTheChosenColumnsAndBarsTheChosenValues) {
  const ResultTable table = times();
  const ResultRows finds = rows_with(rows_of(table), text_in("op"), "find");
  const std::string text = page_table(finds, {{{"table", "", HtmlTable::Kind::Name}, cell_in("table")},
                                              {{"time", "ms"}, cell_in("ms", Look::fixed(1))}})
                               .markup("caption");
  EXPECT_NE(text.find("<data value=\"20\">20.0</data>"), std::string::npos) << text;
  EXPECT_EQ(text.find("keys"), std::string::npos);
  BarChart chart = {.title = "times", .description = "", .unit = "", .series = {{"keys", {}}, {"ms", {}}}};
  add_bars(chart, rows_with_value(rows_of(table), "ms"), text_in("table"), {"keys", "ms"}, 2, text_in("op"));
  EXPECT_EQ(chart.rows, (Names{"robin", "robin", "lines"}));
  EXPECT_EQ(chart.notes, (Names{"fill", "find", "fill"}));
  EXPECT_EQ(chart.series[0].values, (std::vector<double>{2000, 2000, 4000}));
  EXPECT_EQ(chart.series[1].values, (std::vector<double>{3, 40, 6}));
}

TEST(Views, AScreenShowsTheNamedColumnsAndFactsBelowEachOther) {
  const Counts bytes = {2048, 4096};
  ResultTable table;
  table.column("name", "", Names{"a", "b"}, both({"name"}))
      .column("bytes", "bytes", bytes, std::identity(), both({"size", Look::bytes()}))
      .column("hidden", "", bytes, std::identity());
  EXPECT_EQ(text_table(table).text(), "  name      size\n  a     2.00 KiB\n  b     4.00 KiB\n");
  EXPECT_EQ(text_table(table, ColumnNames{"bytes", "hidden", "name"}).text(),
            "  size      name\n  2.00 KiB     a\n  4.00 KiB     b\n");
  EXPECT_THROW(text_table(table, ColumnNames{"other"}), std::out_of_range);
  EXPECT_EQ(facts_text({{"a", "x\ny"}, {"long", "z"}}), "  a     x\\ny\n  long  z\n");
}

// Lists of fields.

ResultGroup some_work(uint64_t edits) {
  ResultGroup work;
  work.set("edits", edits, "edits").about("Edits.").set("seconds", 0.5, "s").about("Time.");
  return work;
}

TEST(Fields, ValuesThatAreAlikeStandOnceUnderTheirWord) {
  ResultGroup results;
  for (const char* type : {"dense", "octree"})
    results.group(listed_as("TYPE", type)).set("bricks", 1u, "bricks").about("Number of bricks.");
  ResultTable& table = results.table("rows");
  for (const char* words : {"02", "03"})
    table
        .column(listed_as("N", {std::string("by/") + words, std::string("sizes/words_") + words}), "nodes",
                Counts{})
        .about("Number of nodes.");
  results.table(listed_as("FORM", in_json("forms")), TableShape::ByName)
      .column("name", "", Names{})
      .column("bytes", "bytes", Counts{});
  Names names;
  for (const ResultField& field : fields_of(results)) names.push_back(field.json + " " + field.report);
  EXPECT_EQ(names,
            (Names{"TYPE.bricks /TYPE@bricks", "rows[].by.N /rows/sizes/words_N", "forms.FORM.bytes "}));
}

TEST(Fields, APartStandsOnceAndSectionsLinkToIt) {
  ResultGroup results;
  results.set("file", "a").about("The file.");
  results.group(in_json(".")) = some_work(1);
  results.group("all") = some_work(2);
  results.group("other")
      .set("edits", 1u, "edits")
      .about("Other edits.")
      .set("seconds", 1.0, "s")
      .about("Time.");
  EXPECT_EQ(
      sections_text({{"tool", "Text.", fields_of(results)}}, {{"some work", "", fields_of(some_work(0))}}),
      "\n### tool\n\nText.\n\n| key | path | unit | meaning |\n|---|---|---|---|\n"
      "| `file` | `/@file` | | The file. |\n"
      "| [some work](#some-work) | | | |\n"
      "| `all.` [some work](#some-work) | `/all` [some work](#some-work) | | |\n"
      "| `other.edits` | `/other@edits` | edits | Other edits. |\n"
      "| `other.seconds` | `/other@seconds` | s | Time. |\n"
      "\n### some work\n\n| key | path | unit | meaning |\n|---|---|---|---|\n"
      "| `edits` | `@edits` | edits | Edits. |\n"
      "| `seconds` | `@seconds` | s | Time. |\n");
}

}  // namespace
}  // namespace vox
