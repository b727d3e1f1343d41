#include "libvox/measure/results.h"

#include <gtest/gtest.h>

#include <deque>

namespace vox {
namespace {

struct Row {
  std::string name;
  uint32_t items = 0;
  float seconds = 0;
  double rate() const { return items / 2.0; }
};

template <class T>
const std::vector<T>& values(const measure::ResultTable& table, const char* name) {
  return std::get<std::vector<T>>(table[name].values);
}

TEST(Results, AColumnHoldsAValueOfEachRow) {
  const std::deque<Row> rows = {{"a", 7, 0.5f}, {"b", UINT32_MAX, 0}};
  measure::ResultTable table;
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
  EXPECT_EQ(values<measure::ResultColumn::List>(table, "list")[1], measure::ResultColumn::List{UINT32_MAX});
  EXPECT_EQ(table["items"].unit, "items");
  EXPECT_EQ(table["items"].numbers(), (std::vector<double>{7, UINT32_MAX}));
}

TEST(Results, AColumnWithoutRowsKeepsItsKind) {
  measure::ResultTable table;
  table.column("name", "", std::vector<Row>(), &Row::name)
      .column("items", "", std::vector<Row>(), &Row::items);
  EXPECT_EQ(table.rows(), 0u);
  EXPECT_TRUE(values<std::string>(table, "name").empty());
  EXPECT_TRUE(values<uint64_t>(table, "items").empty());
}

TEST(Results, AColumnKnowsWhichRowsHaveNoValue) {
  const std::vector<std::optional<double>> found = {0.5, std::nullopt};
  measure::ResultTable table;
  table.column("find", "s", found, std::identity()).column("all", "", std::vector<uint64_t>{1, 2});
  EXPECT_TRUE(table["find"].has(0));
  EXPECT_FALSE(table["find"].has(1));
  EXPECT_TRUE(table["all"].has(1));
}

TEST(Results, ColumnsAreFoundByEitherName) {
  measure::ResultTable table;
  table.column({"insert_seconds", "insert"}, "s", std::vector<double>{1});
  EXPECT_EQ(&table["insert_seconds"], &table["insert"]);
  EXPECT_THROW(table["find"], std::out_of_range);
}

TEST(Results, GroupsOfOneNameAreOneGroupAndStayWhereTheyAre) {
  measure::ResultGroup results;
  measure::ResultGroup& first = results.group("a");
  for (int i = 0; i < 100; ++i) results.group("other" + std::to_string(i));
  EXPECT_EQ(&results.group("a"), &first);
  EXPECT_NE(&results.group(measure::in_json("a")), &first);
  EXPECT_EQ(results.items().size(), 102u);
  EXPECT_NE(&results.append("list"), &results.append("list"));
  EXPECT_EQ(results.items().size(), 103u);
}

}  // namespace
}  // namespace vox
