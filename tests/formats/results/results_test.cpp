#include <gtest/gtest.h>

#include <deque>

#include "formats/results/compare.h"
#include "formats/results/results.h"

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
}  // namespace vox
