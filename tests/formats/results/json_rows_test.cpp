// Reads rows back from JSON and compares them with the tables from which it was written.
#include "formats/results/json_rows.h"

#include <gtest/gtest.h>

#include <optional>

#include "formats/results/json_text.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

using Maybe = std::vector<std::optional<double>>;

TEST(JsonRows, AreTheTableThatWasWritten) {
  measure::ResultGroup results;
  results.set("device", "cpu").set("device_text", "CPU, \"2\" threads");
  const Maybe shares = {0.1, std::nullopt, 1e-9};
  results.table("rows")
      .column("name", "", std::vector<std::string>{"a", "", "ü"})
      .column("count", "", std::vector<uint64_t>{0, UINT64_MAX, 3})
      .column("ms", "ms", std::vector<double>{0.5, 2, 3})
      .column("share", "1", shares, [](const auto& share) { return share; })
      .column("list", "", std::vector<measure::ResultColumn::List>{{1, 2}, {}, {3}});
  const ReadResults read = parse_results(json_text(results));
  EXPECT_EQ(read.device, "cpu");
  EXPECT_EQ(read.device_text, "CPU, \"2\" threads");
  ASSERT_EQ(read.rows.rows(), 3u);
  EXPECT_EQ(read.rows["name"].text(2), "ü");
  EXPECT_EQ(std::get<std::vector<uint64_t>>(read.rows["count"].values)[1], UINT64_MAX);
  EXPECT_EQ(read.rows["ms"].numbers(), (std::vector<double>{0.5, 2, 3}));
  EXPECT_TRUE(read.rows["share"].has(0));
  EXPECT_FALSE(read.rows["share"].has(1));
  EXPECT_EQ(read.rows["share"].number(2), 1e-9);
  for (size_t row = 0; row < 3; ++row) EXPECT_FALSE(read.rows["list"].has(row));
}

TEST(JsonRows, AreRefusedWhereTheTextIsNoResult) {
  EXPECT_THROW(parse_results(""), Error);
  EXPECT_THROW(parse_results("[1, 2]"), Error);
  EXPECT_THROW(parse_results("{\"rows\": 3}"), Error);
  EXPECT_THROW(parse_results("{\"rows\": [3]}"), Error);
  EXPECT_THROW(parse_results("{\"device\": \"cpu\"}"), Error);
  EXPECT_THROW(parse_results("{\"rows\": [{\"a\": 1}"), Error);
  EXPECT_EQ(parse_results("{\"rows\": []}").rows.rows(), 0u);
}

TEST(JsonRows, SaysWhichFileItCannotRead) {
  try {
    read_results("missing.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("missing.json"), std::string::npos);
  }
}

}  // namespace
}  // namespace vox
