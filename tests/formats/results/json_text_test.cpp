#include "formats/results/json_text.h"

#include <gtest/gtest.h>

namespace vox {
namespace {

// Returns the JSON without spaces and line ends.
std::string compact(const measure::ResultGroup& results) {
  std::string text = json_text(results);
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

TEST(JsonText, HasValuesInTheOrderInWhichTheyAreSet) {
  measure::ResultGroup results;
  results.set("b", UINT64_MAX).set("a", 0.25, "s").set("text", "x\"y").set("yes", true);
  results.set("list", std::vector<uint64_t>{1, 2})
      .set("point", std::vector<double>{0.5})
      .set("none", std::vector<double>{});
  EXPECT_EQ(
      compact(results),
      R"({"b":18446744073709551615,"a":0.25,"text":"x\"y","yes":true,"list":[1,2],"point":[0.5],"none":[]})");
}

TEST(JsonText, LeavesOutWhatIsForReportsOrPeople) {
  measure::ResultGroup results;
  results.set(measure::in_report("a"), 1u).set({"b", "c"}, 2u);
  results.group(measure::in_report("group")).set("d", 3u);
  results.table("t")
      .column(measure::in_report("e"), "", std::vector<uint64_t>{4})
      .column(measure::for_people(), "", std::vector<uint64_t>{5})
      .column({"f", "g"}, "", std::vector<uint64_t>{6});
  EXPECT_EQ(compact(results), R"({"b":2,"t":[{"f":6}]})");
}

TEST(JsonText, ShowsATableAsRowsByNameOrAsARecord) {
  const auto fill = [](measure::ResultTable& table) {
    table.column("name", "", std::vector<std::string>{"x"}).column("n", "", std::vector<uint64_t>{7});
  };
  measure::ResultGroup results;
  fill(results.table("rows"));
  fill(results.table("named", measure::TableShape::ByName));
  fill(results.table(".", measure::TableShape::Record));
  EXPECT_EQ(compact(results), R"({"rows":[{"name":"x","n":7}],"named":{"x":{"n":7}},"name":"x","n":7})");
}

TEST(JsonText, ATableWithoutRowsIsAnEmptyList) {
  measure::ResultGroup results;
  results.table("rows").column("n", "", std::vector<uint64_t>{});
  EXPECT_EQ(compact(results), R"({"rows":[]})");
}

TEST(JsonText, PathsLeadIntoObjectsOfARow) {
  measure::ResultGroup results;
  results.table("rows")
      .column("uses/most", "", std::vector<uint64_t>{1, 2})
      .column("uses/by/bins", "", std::vector<measure::ResultColumn::List>{{3}, {}})
      .column("uses/least", "", std::vector<uint64_t>{4, 5});
  EXPECT_EQ(compact(results), R"({"rows":[{"uses":{"most":1,"by":{"bins":[3]},"least":4}},)"
                              R"({"uses":{"most":2,"by":{"bins":[]},"least":5}}]})");
}

TEST(JsonText, RowsLeaveOutWhatHasNoValue) {
  const std::vector<std::optional<double>> values = {0.5, std::nullopt};
  measure::ResultGroup results;
  results.table("rows").column("find", "s", values, std::identity());
  EXPECT_EQ(compact(results), R"({"rows":[{"find":0.5},{}]})");
}

TEST(JsonText, HasListsOfGroupsAndGroupsThatAreNone) {
  measure::ResultGroup results;
  results.append("pictures").set("file", "a");
  results.append("pictures").set("file", "b");
  results.group({".", "hash"}).set("fill", 3u);
  EXPECT_EQ(compact(results), R"({"pictures":[{"file":"a"},{"file":"b"}],"fill":3})");
}

}  // namespace
}  // namespace vox
