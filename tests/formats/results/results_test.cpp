#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <vector>

#include "formats/results/files.h"
#include "formats/results/results.h"
#include "formats/results/views.h"

namespace vox {
namespace {

struct Row {
  std::string name;
  uint32_t items = 0;
  float seconds = 0;
  double rate() const { return items / 2.0; }
};

template <class T>
const std::vector<T>& values(const ResultTable& table, const char* name) {
  return std::get<std::vector<T>>(table[name].values);
}

TEST(Results, AColumnHoldsAValueOfEachRow) {
  const std::deque<Row> rows = {{"a", 7, 0.5f}, {"b", UINT32_MAX, 0}};
  ResultTable table;
  table.column("name", "", rows, &Row::name)
      .column("items", "items", rows, &Row::items)
      .column("seconds", "s", rows, &Row::seconds)
      .column("rate", "1/s", rows, &Row::rate)
      .column("many", "", rows, [](const Row& row) { return row.items > 10; })
      .column("kind", "", rows, [](const Row&) { return "row"; })
      .column("list", "", rows, [](const Row& row) { return std::vector<uint64_t>{row.items}; });
  EXPECT_EQ(table.rows(), 2u);
  EXPECT_EQ(values<std::string>(table, "name"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(values<uint64_t>(table, "items"), (std::vector<uint64_t>{7, UINT32_MAX}));
  EXPECT_EQ(values<double>(table, "seconds"), (std::vector<double>{0.5, 0}));
  EXPECT_EQ(values<double>(table, "rate"), (std::vector<double>{3.5, UINT32_MAX / 2.0}));
  EXPECT_EQ(values<uint64_t>(table, "many"), (std::vector<uint64_t>{0, 1}));
  EXPECT_EQ(values<std::string>(table, "kind"), (std::vector<std::string>{"row", "row"}));
  EXPECT_EQ(values<ResultColumn::List>(table, "list")[1], ResultColumn::List{UINT32_MAX});
  EXPECT_EQ(table["items"].unit, "items");
  EXPECT_EQ(table["items"].numbers(), (std::vector<double>{7, UINT32_MAX}));
}

// Copies fail while there are five others, as a text's copy does if memory runs out.
struct Fragile {
  explicit Fragile(int& all) : living(&all) { ++*living; }
  Fragile(const Fragile& from) : living(from.living) {
    if (*living == 5) throw std::bad_alloc();
    ++*living;
  }
  Fragile& operator=(const Fragile&) = default;
  ~Fragile() { --*living; }
  int* living;
};

TEST(Results, ACopyThatFailsDestroysOnlyWhatItHasMade) {
  int living = 0;
  std::vector<Fragile> made;
  made.reserve(3);
  for (int i = 0; i < 3; ++i) made.emplace_back(living);
  const ResultVariant<std::vector<uint64_t>, std::vector<Fragile>> values = std::move(made);
  EXPECT_THROW((ResultVariant<std::vector<uint64_t>, std::vector<Fragile>>(values)), std::bad_alloc);
  EXPECT_EQ(living, 3);
}

TEST(Results, AColumnWithoutRowsKeepsItsKind) {
  ResultTable table;
  table.column("name", "", std::vector<Row>(), &Row::name)
      .column("items", "", std::vector<Row>(), &Row::items);
  EXPECT_EQ(table.rows(), 0u);
  EXPECT_TRUE(values<std::string>(table, "name").empty());
  EXPECT_TRUE(values<uint64_t>(table, "items").empty());
}

TEST(Results, AColumnKnowsWhichRowsHaveNoValue) {
  const std::vector<std::optional<double>> found = {0.5, std::nullopt};
  ResultTable table;
  table.column("find", "s", found, std::identity()).column("all", "", std::vector<uint64_t>{1, 2});
  EXPECT_TRUE(table["find"].has(0));
  EXPECT_FALSE(table["find"].has(1));
  EXPECT_TRUE(table["all"].has(1));
}

TEST(Results, ColumnsAreFoundByEitherName) {
  ResultTable table;
  table.column({"insert_seconds", "insert"}, "s", std::vector<double>{1});
  EXPECT_EQ(&table["insert_seconds"], &table["insert"]);
  EXPECT_THROW(table["find"], std::out_of_range);
}

TEST(Results, GroupsOfOneNameAreOneGroupAndStayWhereTheyAre) {
  ResultGroup results;
  ResultGroup& first = results.group("a");
  for (int i = 0; i < 100; ++i) results.group("other" + std::to_string(i));
  EXPECT_EQ(&results.group("a"), &first);
  EXPECT_NE(&results.group(in_json("a")), &first);
  EXPECT_EQ(results.items().size(), 102u);
  EXPECT_NE(&results.append("list"), &results.append("list"));
  EXPECT_EQ(results.items().size(), 103u);
}

// Tests the comparison of rows of two runs with handmade tables whose changes are known.

using Names = std::vector<std::string>;
using Figures = std::vector<double>;
using Counts = std::vector<uint64_t>;

const ComparedColumns kByNameAndSize = {{"name", "size"}, {"nodes"}};

ResultTable timed_rows(const Names& names, const Counts& sizes, const Counts& nodes, const Figures& ms,
                       const Figures& least, const Figures& most) {
  ResultTable table;
  table.column("name", "", names)
      .column("size", "voxels", sizes)
      .column("ms", "ms", ms)
      .column("ms_min", "ms", least)
      .column("ms_max", "ms", most)
      .column("nodes", "nodes", nodes);
  return table;
}

// Returns a table of one row whose median lies between the other two figures.
ResultTable one_row(double least, double median, double most) {
  return timed_rows({"a"}, {1}, {7}, {median}, {least}, {most});
}

RowChange change_to(const ResultTable& now) {
  const std::vector<AgainstRow> rows = compare_results(now, one_row(9.9, 10, 10.4), kByNameAndSize);
  EXPECT_EQ(rows.size(), 1u);
  return rows.front().change;
}

TEST(Against, IsSlowerOnlyBeyondBothTheSpreadAndThreePercent) {
  EXPECT_EQ(change_to(one_row(10.5, 10.6, 10.7)), RowChange::Slower);
  EXPECT_EQ(change_to(one_row(10.4, 10.6, 10.7)),
            RowChange::None);  // once it is as fast as the slowest before
  EXPECT_EQ(change_to(one_row(10.0, 12.0, 15.0)),
            RowChange::None);  // the spread is too wide for a conclusion
  EXPECT_EQ(change_to(one_row(10.41, 10.42, 10.5)), RowChange::Slower);
  EXPECT_EQ(change_to(one_row(9.5, 9.6, 9.8)), RowChange::Faster);
  EXPECT_EQ(change_to(one_row(9.5, 9.6, 9.9)), RowChange::None);
  EXPECT_EQ(change_to(one_row(10, 10, 10)), RowChange::None);
  const ResultTable steady = one_row(10, 10, 10);
  EXPECT_EQ(compare_results(one_row(10.2, 10.2, 10.2), steady, kByNameAndSize)[0].change, RowChange::None);
  EXPECT_EQ(compare_results(one_row(10.4, 10.4, 10.4), steady, kByNameAndSize)[0].change, RowChange::Slower);
}

TEST(Against, NamesRowsThatDidOtherWorkAndThoseThatOneRunHasAlone) {
  const auto before = timed_rows({"a", "a", "b"}, {1, 2, 1}, {5, 6, 7}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3});
  const auto now = timed_rows({"b", "a", "c"}, {1, 2, 1}, {7, 8, 9}, {6, 2, 1}, {6, 2, 1}, {6, 2, 1});
  const std::vector<AgainstRow> rows = compare_results(now, before, kByNameAndSize);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].row, "b, 1");
  EXPECT_EQ(rows[0].change, RowChange::Slower);
  EXPECT_EQ(rows[0].ratio(), 2);
  EXPECT_EQ(rows[1].row, "a, 2");
  EXPECT_EQ(rows[1].change, RowChange::OtherWork);
  EXPECT_EQ(rows[1].other_work, "nodes 8, was 6");
  EXPECT_EQ(rows[2].row, "c, 1");
  EXPECT_EQ(rows[2].change, RowChange::Added);
  EXPECT_EQ(rows[2].ratio(), std::nullopt);
  EXPECT_EQ(rows[3].row, "a, 1");
  EXPECT_EQ(rows[3].change, RowChange::Gone);
  for (const RowChange change : {RowChange::Slower, RowChange::OtherWork, RowChange::Added, RowChange::Gone})
    EXPECT_EQ(count_of(rows, change), 1u);
}

TEST(Against, ComparesRowsWithoutASpreadAndLeavesOutThoseWithoutATime) {
  ResultTable before, now;
  before.column("name", "", Names{"a", "b"}).column("ms", "ms", Figures{1, 1});
  const std::vector<std::optional<double>> times = {1.02, 2, std::nullopt};
  now.column("name", "", Names{"a", "b", "c"}).column("ms", "ms", times, [](const auto& ms) { return ms; });
  const std::vector<AgainstRow> rows = compare_results(now, before, {{"name"}, {}});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].change, RowChange::None);
  EXPECT_EQ(rows[1].change, RowChange::Slower);
}

TEST(Against, MatchesValuesThatAreAbsentAndWholeNumbersOfEitherKind) {
  ResultTable before, now;
  const std::vector<std::optional<uint64_t>> sizes = {std::nullopt, 4};
  before.column("size", "", sizes, [](const auto& size) { return size; }).column("ms", "ms", Figures{1, 1});
  now.column("size", "", Figures{4}).column("ms", "ms", Figures{1});
  EXPECT_EQ(count_of(compare_results(now, before, {{"size"}, {}}), RowChange::None), 1u);
  EXPECT_EQ(count_of(compare_results(before, before, {{"size"}, {}}), RowChange::None), 2u);
}

}  // namespace

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
  work.set("edits", edits, "edits", "Edits.").set("seconds", 0.5, "s", "Time.");
  return work;
}

TEST(Fields, ValuesThatAreAlikeStandOnceUnderTheirWord) {
  ResultGroup results;
  for (const char* type : {"dense", "octree"})
    results.group(listed_as("TYPE", type)).set("bricks", 1u, "bricks", "Number of bricks.");
  ResultTable& table = results.table("rows");
  for (const char* words : {"02", "03"})
    table.column(listed_as("N", {std::string("by/") + words, std::string("sizes/words_") + words}), "nodes",
                 Counts{}, "Number of nodes.");
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
  results.set("file", "a", "The file.");
  results.group(in_json(".")) = some_work(1);
  results.group("all") = some_work(2);
  results.group("other").set("edits", 1u, "edits", "Other edits.").set("seconds", 1.0, "s", "Time.");
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
