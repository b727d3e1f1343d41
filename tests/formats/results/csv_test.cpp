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
  ReportGroup table;
  table.column("table", Texts{"accel8", "sector"}).column("items", Numbers{7, UINT64_MAX}, "items");
  table.column("ms", Reals{0.25, 1e-9}, "ms");
  EXPECT_EQ(csv_text(table), "table,items,ms\r\naccel8,7,0.25\r\nsector,18446744073709551615,1e-09\r\n");
}

TEST(Csv, QuotesWhatWouldEndAField) {
  ReportGroup table;
  table.column("a,b", Texts{"says \"no\"", "two\nlines", "plain text"});
  EXPECT_EQ(csv_text(table), "\"a,b\"\r\n\"says \"\"no\"\"\"\r\n\"two\nlines\"\r\nplain text\r\n");
}

TEST(Csv, HasNamesWithoutRows) {
  ReportGroup table;
  table.column("a", Numbers{}).column("b", Texts{});
  EXPECT_EQ(csv_text(table), "a,b\r\n");
  EXPECT_EQ(csv_text(ReportGroup()), "");
}

TEST(Csv, IsWrittenAsAWholeOrNotAtAll) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / ("vox_csv" + std::to_string(getpid()));
  fs::create_directories(folder / "folder.csv");
  ReportGroup table;
  table.column("a", Numbers{1});
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
