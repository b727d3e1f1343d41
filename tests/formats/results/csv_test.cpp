#include "formats/results/csv.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "libvox/base/error.h"

namespace vox {
namespace {

using Numbers = std::vector<uint64_t>;
using Reals = std::vector<double>;
using Texts = std::vector<std::string>;

TEST(Csv, IsALineOfNamesAndALineForEachRow) {
  measure::ResultTable table;
  table.column("table", "", Texts{"accel8", "sector"})
      .column("items", "items", Numbers{7, UINT64_MAX})
      .column("ms", "ms", Reals{0.25, 1e-9});
  EXPECT_EQ(csv_text(table), "\"table\",items,ms\r\naccel8,7,0.25\r\nsector,18446744073709551615,1e-09\r\n");
}

TEST(Csv, QuotesWhatWouldEndAField) {
  measure::ResultTable table;
  table.column("a,b", "", Texts{"says \"no\"", "two\nlines", "plain text"});
  EXPECT_EQ(csv_text(table), "\"a,b\"\r\n\"says \"\"no\"\"\"\r\n\"two\nlines\"\r\nplain text\r\n");
}

TEST(Csv, HasNamesWithoutRows) {
  measure::ResultTable table;
  table.column("a", "", Numbers{}).column("b", "", Texts{});
  EXPECT_EQ(csv_text(table), "\"a\",b\r\n");
  EXPECT_EQ(csv_text(measure::ResultTable()), "");
}

TEST(Csv, IsKnownByTheQuotesOfItsFirstName) {
  measure::ResultTable table;
  table.column("a_1", "", Numbers{1}).column("b/c", "", Texts{"x"});
  EXPECT_TRUE(is_csv_of_vox(csv_text(table)));
  for (const char* other :
       {"", "a,b\r\n1,2\r\n", "\"a\",\"b\"\r\n", "\"a\",b\n", "\"First name\",b\r\n", "\"a"})
    EXPECT_FALSE(is_csv_of_vox(other)) << other;
}

TEST(Csv, LeavesOutWhatReportsDoNotHold) {
  measure::ResultTable table;
  table.column(measure::in_json("a"), "", Numbers{1})
      .column({"b", "c"}, "", Numbers{2})
      .column(measure::for_people(), "", Numbers{3});
  EXPECT_EQ(csv_text(table), "\"c\"\r\n2\r\n");
}

TEST(Csv, FieldsWithoutAValueAreEmpty) {
  const std::vector<std::optional<uint64_t>> values = {7, std::nullopt};
  measure::ResultTable table;
  table.column("a", "", values, std::identity()).column("b", "", Texts{"x", "y"});
  EXPECT_EQ(csv_text(table), "\"a\",b\r\n7,x\r\n,y\r\n");
}

TEST(Csv, IsWrittenAsAWholeOrNotAtAll) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / ("vox_csv" + std::to_string(getpid()));
  fs::create_directories(folder / "folder.csv");
  measure::ResultTable table;
  table.column("a", "", Numbers{1});
  write_csv(table, folder / "a.csv");
  std::ifstream stream(folder / "a.csv", std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), csv_text(table));
  EXPECT_THROW(write_csv(table, folder / "folder.csv"), Error);
  EXPECT_THROW(write_csv(table, folder / "missing" / "a.csv"), Error);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 2);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace vox
