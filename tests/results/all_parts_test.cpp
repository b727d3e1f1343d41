// The parts of vox-bench all: their command lines, and the papers' figures that are found in their results.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

#include "tools/vox-bench/command_line.h"
#include "tools/vox-bench/reports.h"

namespace vox {
namespace {

BenchPart part_named(const std::string& name) {
  for (BenchPart& part : bench_parts())
    if (part.name == name) return part;
  ADD_FAILURE() << "no part " << name;
  return {};
}

// Returns the figure of a part that begins with this text, as these rows have it.
std::optional<double> figure(const std::string& part, const std::string& where, const ResultTable& rows) {
  for (const PublishedFigure& published : part_named(part).published)
    if (published.where.starts_with(where)) return published.here(rows_of(rows));
  ADD_FAILURE() << "no figure " << where;
  return {};
}

constexpr measure::Timing kSecond = {.median = 1, .min = 1, .max = 1};

TEST(AllParts, EveryPartIsACommandThatCanBeReadAtBothScales) {
  std::set<std::string> names = {"all", "against", "inputs", "machine", "published"};
  for (const BenchPart& part : bench_parts()) {
    SCOPED_TRACE(part.name);
    EXPECT_TRUE(names.insert(part.name).second);
    EXPECT_TRUE(std::ranges::all_of(
        part.name, [](char c) { return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_'; }));
    for (const std::string& sizes : {part.small, part.full}) {
      const std::vector<std::string> arguments = arguments_of("vox-bench " + part.command + " " + sizes);
      const Command* const command = command_in(arguments);
      ASSERT_NE(command, nullptr);
      EXPECT_NO_THROW(read_arguments(command->description(), arguments));
    }
    for (const PublishedFigure& published : part.published) {
      EXPECT_GT(published.value, 0) << published.where;
      EXPECT_EQ(published.here({}), std::nullopt) << published.where;
    }
  }
}

TEST(AllParts, FiguresOfTable2AreRatesOfItems) {
  HashBenchRun run;
  const auto add = [&](const char* op, uint32_t hit_rate, uint64_t items) {
    measure::HashBenchRow& row = run.result.rows.emplace_back();
    row.table = "atomic64";
    row.item_words = 6;
    row.op = op;
    row.hit_rate = hit_rate;
    row.items = items;
    row.time = kSecond;
  };
  add("search", 25, 1);
  add("search", 50, 3000000);
  add("insert", 0, 5000000);
  EXPECT_EQ(figure("table2", "Table 2: search, 6 words, atomic64", rows_table(run)), 3.0);
  EXPECT_EQ(figure("table2", "Table 2: insert, 6 words, atomic64", rows_table(run)), 5.0);
  EXPECT_EQ(figure("table2", "Table 2: insert, 6 words, ticket", rows_table(run)), std::nullopt);
}

TEST(AllParts, FiguresOfKeysAreThoseOfTheMostKeys) {
  KeysBenchRun run;
  for (const uint64_t items : {1000000u, 2000000u}) {
    measure::KeysBenchRow& row = run.result.rows.emplace_back();
    row.table = "robin";
    row.op = "build";
    row.items = items;
    row.time = kSecond;
  }
  EXPECT_EQ(figure("numbers_of_keys", "Figure 5", rows_table(run)), 2.0);
}

TEST(AllParts, TheGainOfCompiledCodeIsTheMeanOverFilters) {
  BricksBenchRun run;
  const auto add = [&](bricks::Access access, uint32_t filter, double seconds) {
    run.result.rows.push_back({.types = "four",
                               .log2_side = 4,
                               .access = access,
                               .loop = "mean",
                               .filter = filter,
                               .time = {.median = seconds, .min = seconds, .max = seconds}});
  };
  add(bricks::Access::Direct, 3, 3);
  add(bricks::Access::Direct, 5, 8);
  add(bricks::Access::Compiled, 3, 2);
  add(bricks::Access::Compiled, 5, 4);
  EXPECT_EQ(figure("volumes", "§6.2", rows_table(run)), 1.75);
}

TEST(AllParts, SharesOfFormsAreThoseOfTheFinestResolution) {
  CompressionRun run;
  for (const uint32_t resolution : {8u, 16u}) {
    run.result.rows.push_back({.resolution = resolution, .form = {{"octree_4", "", 1000}}});
    run.result.rows.push_back({.resolution = resolution, .form = {{"svdag_4", "", 10 * resolution}}});
  }
  EXPECT_EQ(figure("compression", "Molenaar", rows_table(run)), 16.0);
}

}  // namespace
}  // namespace vox
