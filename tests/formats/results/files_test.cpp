#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "formats/io/h5.h"
#include "formats/results/files.h"
#include "libvox/base/error.h"
#include "tests/common/test_process.h"

namespace vox {
namespace {

using Numbers = std::vector<uint64_t>;
using Reals = std::vector<double>;
using Texts = std::vector<std::string>;

TEST(Csv, IsALineOfNamesAndALineForEachRow) {
  ResultTable table;
  table.column("table", "", Texts{"accel8", "sector"})
      .column("items", "items", Numbers{7, UINT64_MAX})
      .column("ms", "ms", Reals{0.25, 1e-9});
  EXPECT_EQ(csv_text(table), "\"table\",items,ms\r\naccel8,7,0.25\r\nsector,18446744073709551615,1e-09\r\n");
}

TEST(Csv, QuotesWhatWouldEndAField) {
  ResultTable table;
  table.column("a,b", "", Texts{"says \"no\"", "two\nlines", "plain text"});
  EXPECT_EQ(csv_text(table), "\"a,b\"\r\n\"says \"\"no\"\"\"\r\n\"two\nlines\"\r\nplain text\r\n");
}

TEST(Csv, HasNamesWithoutRows) {
  ResultTable table;
  table.column("a", "", Numbers{}).column("b", "", Texts{});
  EXPECT_EQ(csv_text(table), "\"a\",b\r\n");
  EXPECT_EQ(csv_text(ResultTable()), "");
}

TEST(Csv, IsKnownByTheQuotesOfItsFirstName) {
  ResultTable table;
  table.column("a_1", "", Numbers{1}).column("b/c", "", Texts{"x"});
  EXPECT_TRUE(is_csv_of_vox(csv_text(table)));
  for (const char* other :
       {"", "a,b\r\n1,2\r\n", "\"a\",\"b\"\r\n", "\"a\",b\n", "\"First name\",b\r\n", "\"a"})
    EXPECT_FALSE(is_csv_of_vox(other)) << other;
}

TEST(Csv, LeavesOutWhatReportsDoNotHold) {
  ResultTable table;
  table.column(in_json("a"), "", Numbers{1})
      .column({"b", "c"}, "", Numbers{2})
      .column(for_people(), "", Numbers{3});
  EXPECT_EQ(csv_text(table), "\"c\"\r\n2\r\n");
}

TEST(Csv, FieldsWithoutAValueAreEmpty) {
  const std::vector<std::optional<uint64_t>> values = {7, std::nullopt};
  ResultTable table;
  table.column("a", "", values, std::identity()).column("b", "", Texts{"x", "y"});
  EXPECT_EQ(csv_text(table), "\"a\",b\r\n7,x\r\n,y\r\n");
}

TEST(Csv, IsWrittenAsAWholeOrNotAtAll) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / ("vox_csv" + std::to_string(getpid()));
  fs::create_directories(folder / "folder.csv");
  ResultTable table;
  table.column("a", "", Numbers{1});
  write_csv(table, folder / "a.csv");
  EXPECT_EQ(read_bytes(folder / "a.csv"), csv_text(table));
  EXPECT_THROW(write_csv(table, folder / "folder.csv"), Error);
  EXPECT_THROW(write_csv(table, folder / "missing" / "a.csv"), Error);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 2);
  fs::remove_all(folder);
}

// Returns the JSON without spaces and line ends.
std::string compact(const ResultGroup& results) {
  std::string text = json_text(results);
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

TEST(JsonText, HasValuesInTheOrderInWhichTheyAreSet) {
  ResultGroup results;
  results.set("b", UINT64_MAX).set("a", 0.25, "s").set("text", "x\"y").set("yes", true);
  results.set("list", std::vector<uint64_t>{1, 2})
      .set("point", std::vector<double>{0.5})
      .set("none", std::vector<double>{});
  EXPECT_EQ(
      compact(results),
      R"({"b":18446744073709551615,"a":0.25,"text":"x\"y","yes":true,"list":[1,2],"point":[0.5],"none":[]})");
}

TEST(JsonText, LeavesOutWhatIsForReportsOrPeople) {
  ResultGroup results;
  results.set(in_report("a"), 1u).set({"b", "c"}, 2u);
  results.group(in_report("group")).set("d", 3u);
  results.table("t")
      .column(in_report("e"), "", std::vector<uint64_t>{4})
      .column(for_people(), "", std::vector<uint64_t>{5})
      .column({"f", "g"}, "", std::vector<uint64_t>{6});
  EXPECT_EQ(compact(results), R"({"b":2,"t":[{"f":6}]})");
}

TEST(JsonText, ShowsATableAsRowsByNameOrAsARecord) {
  const auto fill = [](ResultTable& table) {
    table.column("name", "", std::vector<std::string>{"x"}).column("n", "", std::vector<uint64_t>{7});
  };
  ResultGroup results;
  fill(results.table("rows"));
  fill(results.table("named", TableShape::ByName));
  fill(results.table(".", TableShape::Record));
  EXPECT_EQ(compact(results), R"({"rows":[{"name":"x","n":7}],"named":{"x":{"n":7}},"name":"x","n":7})");
}

TEST(JsonText, ATableWithoutRowsIsAnEmptyList) {
  ResultGroup results;
  results.table("rows").column("n", "", std::vector<uint64_t>{});
  EXPECT_EQ(compact(results), R"({"rows":[]})");
}

TEST(JsonText, PathsLeadIntoObjectsOfARow) {
  ResultGroup results;
  results.table("rows")
      .column("uses/most", "", std::vector<uint64_t>{1, 2})
      .column("uses/by/bins", "", std::vector<ResultColumn::List>{{3}, {}})
      .column("uses/least", "", std::vector<uint64_t>{4, 5});
  EXPECT_EQ(compact(results), R"({"rows":[{"uses":{"most":1,"by":{"bins":[3]},"least":4}},)"
                              R"({"uses":{"most":2,"by":{"bins":[]},"least":5}}]})");
}

TEST(JsonText, RowsLeaveOutWhatHasNoValue) {
  const std::vector<std::optional<double>> values = {0.5, std::nullopt};
  ResultGroup results;
  results.table("rows").column("find", "s", values, std::identity());
  EXPECT_EQ(compact(results), R"({"rows":[{"find":0.5},{}]})");
}

TEST(JsonText, HasListsOfGroupsAndGroupsThatAreNone) {
  ResultGroup results;
  results.append("pictures").set("file", "a");
  results.append("pictures").set("file", "b");
  results.group({".", "hash"}).set("fill", 3u);
  EXPECT_EQ(compact(results), R"({"pictures":[{"file":"a"},{"file":"b"}],"fill":3})");
}

// Reads rows back from JSON and compares them with the tables from which it was written.

using Maybe = std::vector<std::optional<double>>;

TEST(JsonRows, AreTheTableThatWasWritten) {
  ResultGroup results;
  results.set("device", "cpu").set("device_text", "CPU, \"2\" threads");
  const Maybe shares = {0.1, std::nullopt, 1e-9};
  results.table("rows")
      .column("name", "", std::vector<std::string>{"a", "", "ü"})
      .column("count", "", std::vector<uint64_t>{0, UINT64_MAX, 3})
      .column("ms", "ms", std::vector<double>{0.5, 2, 3})
      .column("share", "1", shares, [](const auto& share) { return share; })
      .column("list", "", std::vector<ResultColumn::List>{{1, 2}, {}, {3}});
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

namespace fs = std::filesystem;

class ReportFile : public testing::Test {
 protected:
  void SetUp() override {
    folder = fs::path(testing::TempDir()) / ("vox_report_file" + std::to_string(getpid()));
    fs::remove_all(folder);
    fs::create_directories(folder);
    path = folder / "report.h5";
  }
  void TearDown() override { fs::remove_all(folder); }

  size_t files_in_folder() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
  }

  fs::path folder, path;
};

ResultGroup sample_report() {
  ResultGroup report;
  report.set("device", "cpu").set("threads", 2u).set("load", 0.5, "s");
  report.group("hash").set("bytes", uint64_t{1} << 40, "bytes");
  report.group("hash")
      .table("rows")
      .column("table", "", std::vector<std::string>{"accel8", "sektör"})
      .column("items", "items", std::vector<uint64_t>{7, uint64_t{1} << 60})
      .column("search", "ms", std::vector<double>{0.25, -1e-9});
  report.table("nothing")
      .column("items", "", std::vector<uint64_t>{})
      .column("names", "", std::vector<std::string>{});
  return report;
}

TEST_F(ReportFile, HoldsAttributesAndColumnsWithTheirUnits) {
  write_report(sample_report(), path);
  h5::Quiet quiet;
  const h5::Object file = h5::open_file(path);
  EXPECT_EQ(h5::read_text(file, "format"), "vox-report");
  EXPECT_EQ(h5::read_attribute<uint32_t>(file, "version"), 1u);
  EXPECT_EQ(h5::read_text(file, "device"), "cpu");
  EXPECT_FALSE(h5::has_attribute(file, "device_unit"));
  EXPECT_EQ(h5::read_attribute<uint64_t>(file, "threads"), 2u);
  EXPECT_EQ(h5::read_attribute<double>(file, "load"), 0.5);
  EXPECT_EQ(h5::read_text(file, "load_unit"), "s");
  const h5::Object hash = h5::open_group(file, "hash"), rows = h5::open_group(hash, "rows");
  EXPECT_EQ(h5::read_attribute<uint64_t>(hash, "bytes"), uint64_t{1} << 40);
  EXPECT_EQ(h5::read_texts(rows, "table"), (std::vector<std::string>{"accel8", "sektör"}));
  EXPECT_EQ(h5::read_table<uint64_t>(rows, "items", {2}), (std::vector<uint64_t>{7, uint64_t{1} << 60}));
  EXPECT_EQ(h5::read_table<double>(rows, "search", {2}), (std::vector<double>{0.25, -1e-9}));
  EXPECT_EQ(h5::read_text(h5::open_dataset(rows, "search"), "unit"), "ms");
  EXPECT_FALSE(h5::has_attribute(h5::open_dataset(rows, "table"), "unit"));
  EXPECT_TRUE(h5::read_table<uint64_t>(h5::open_group(file, "nothing"), "items", {h5::kAnyLength}).empty());
}

TEST_F(ReportFile, GivesItsRowsAndItsCommandBack) {
  ResultGroup report = sample_report();
  report.set("device_text", "CPU, 2 threads").set("command", "vox-bench hash 'a b'");
  report.group("more").table("rows").column("other", "", std::vector<uint64_t>{1});
  report.group("machine").set("processor", "abacus");
  report.table("inputs")
      .column("file", "", std::vector<std::string>{"a.obj", "b.obj"})
      .column("digest", "", std::vector<std::string>{"12", "34"});
  write_report(report, path);
  const ReadResults read = read_results(path);
  EXPECT_EQ(read.machine, (std::map<std::string, std::string>{{"processor", "abacus"}}));
  EXPECT_EQ(read.inputs, (std::map<std::string, std::string>{{"a.obj", "12"}, {"b.obj", "34"}}));
  EXPECT_EQ(read.device, "cpu");
  EXPECT_EQ(read.device_text, "CPU, 2 threads");
  EXPECT_EQ(read.command, "vox-bench hash 'a b'");
  ASSERT_EQ(read.rows.columns().size(), 3u);
  EXPECT_EQ(read.rows["table"].text(1), "sektör");
  EXPECT_EQ(std::get<std::vector<uint64_t>>(read.rows["items"].values)[1], uint64_t{1} << 60);
  EXPECT_EQ(read.rows["search"].numbers(), (std::vector<double>{0.25, -1e-9}));
}

TEST_F(ReportFile, GivesTheRowsOfAPartBack) {
  ResultGroup report = sample_report();
  // A comparison has rows, too, which are not those of the benchmark.
  report.group("against").table("rows").column("row", "", std::vector<uint64_t>{1});
  ResultGroup all;
  all.group("all").table("rows").column("part", "", std::vector<std::string>{"table2"});
  all.group("table2") = report;
  write_report(all, path);
  EXPECT_EQ(read_results(path).rows["part"].text(0), "table2");
  EXPECT_EQ(read_results(path, "table2").rows["table"].text(1), "sektör");
  EXPECT_EQ(read_results(path, "table2").device, "cpu");
  EXPECT_THROW(read_results(path, "table3"), Error);
  const std::string json =
      R"({"rows": [{"part": 1}], "table2": {"device": "cpu", "rows": [{"a": 2}, {"a": 3}]}})";
  EXPECT_EQ(parse_results(json).rows.rows(), 1u);
  EXPECT_EQ(parse_results(json, "table2").rows.rows(), 2u);
  EXPECT_EQ(parse_results(json, "table2").device, "cpu");
  EXPECT_THROW(parse_results(json, "table3"), Error);
}

TEST_F(ReportFile, IsRefusedWithoutRowsOrWithColumnsOfDifferentLengths) {
  const auto refusal = [&] {
    try {
      read_results(path);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  ResultGroup bare;
  bare.group("hash").set("rows", 1u);
  write_report(bare, path);
  EXPECT_NE(refusal().find("report.h5: has no rows"), std::string::npos) << refusal();
  ResultGroup uneven;
  uneven.group("hash")
      .table("rows")
      .column("a", "", std::vector<uint64_t>{1, 2})
      .column("b", "", std::vector<double>{1});
  write_report(uneven, path);
  EXPECT_NE(refusal().find("another number of rows"), std::string::npos) << refusal();
  // Opened again and again, a group within itself would never end.
  ResultGroup endless;
  endless.group("hash").table("rows").column("a", "", std::vector<uint64_t>{1});
  write_report(endless, path);
  {
    const h5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    ASSERT_GE(H5Lcreate_hard(file, "/hash/rows", file, "/hash/rows/rows", H5P_DEFAULT, H5P_DEFAULT), 0);
  }
  EXPECT_LE(read_results(path).rows.columns().size(), 10u);
}

TEST_F(ReportFile, PathsLeadIntoGroupsAndAPointIsTheGroupAround) {
  ResultGroup report;
  report.group({".", "hash"}).set("bytes", 5u, "bytes").set({"json", ""}, 1u);
  report.table({"levels", "."})
      .column({"side", "levels/side"}, "voxels", std::vector<uint64_t>{4, 8})
      .column({"most", "levels/uses/most"}, "uses", std::vector<uint64_t>{1, 2})
      .column(in_json("list"), "", std::vector<ResultColumn::List>{{}, {}});
  report.table(".", TableShape::Record).column({"s", "total/seconds"}, "s", std::vector<double>{2.5});
  report.append(in_json("rows")).set("a", 1u);
  write_report(report, path);
  h5::Quiet quiet;
  const h5::Object file = h5::open_file(path), hash = h5::open_group(file, "hash"),
                   levels = h5::open_group(file, "levels"), uses = h5::open_group(levels, "uses"),
                   total = h5::open_group(file, "total");
  EXPECT_EQ(h5::read_attribute<uint64_t>(hash, "bytes"), 5u);
  EXPECT_FALSE(h5::has_attribute(hash, "json"));
  EXPECT_EQ(h5::read_table<uint64_t>(levels, "side", {2}), (std::vector<uint64_t>{4, 8}));
  EXPECT_EQ(h5::read_text(h5::open_dataset(uses, "most"), "unit"), "uses");
  EXPECT_EQ(h5::read_attribute<double>(total, "seconds"), 2.5);
  EXPECT_EQ(h5::read_text(total, "seconds_unit"), "s");
  for (const char* name : {"list", "rows", "json"}) {
    EXPECT_FALSE(h5::has_child(file, name)) << name;
    EXPECT_FALSE(h5::has_child(levels, name)) << name;
  }
}

TEST_F(ReportFile, WhatHasNoValueIsZero) {
  const std::vector<std::optional<double>> values = {0.5, std::nullopt};
  ResultGroup report;
  report.table("t").column("find", "s", values, std::identity());
  write_report(report, path);
  h5::Quiet quiet;
  const h5::Object file = h5::open_file(path), table = h5::open_group(file, "t");
  EXPECT_EQ(h5::read_table<double>(table, "find", {2}), (std::vector<double>{0.5, 0}));
}

TEST_F(ReportFile, RefusesLists) {
  ResultGroup list, column;
  list.append("rows").set("a", 1u);
  EXPECT_THROW(write_report(list, path), Error);
  column.table("t").column("bins", "", std::vector<ResultColumn::List>{{1, 2}});
  EXPECT_THROW(write_report(column, path), Error);
  EXPECT_EQ(files_in_folder(), 0u);
}

TEST_F(ReportFile, EqualReportsGiveEqualBytes) {
  write_report(sample_report(), path);
  write_report(sample_report(), folder / "again.h5");
  EXPECT_TRUE(read_bytes(path) == read_bytes(folder / "again.h5"));
}

TEST_F(ReportFile, APartialReportIsNeverLeft) {
  std::ofstream(path) << "old";
  ResultGroup twice;
  twice.set("items", 1u).set("items", 2u);
  EXPECT_THROW(write_report(twice, path), Error);
  EXPECT_EQ(read_bytes(path), "old");
  EXPECT_EQ(files_in_folder(), 1u);
  EXPECT_THROW(write_report(sample_report(), folder), Error);
  EXPECT_THROW(write_report(sample_report(), folder / "missing" / "x.h5"), Error);
}

TEST_F(ReportFile, PlainH5pyReadsIt) {
  if (std::system("/usr/bin/python3 -c 'import h5py' > /dev/null 2>&1") != 0) GTEST_SKIP() << "no h5py";
  write_report(sample_report(), path);
  std::ofstream(folder / "read.py") << R"(
import sys, h5py
f = h5py.File(sys.argv[1])
print(f.attrs['format'].decode(), f.attrs['device'].decode(), f.attrs['load'], f.attrs['load_unit'].decode())
r = f['hash/rows']
print([t.decode() for t in r['table']], r['items'][:].tolist(), r['search'].attrs['unit'].decode())
)";
  const std::string command =
      "/usr/bin/python3 " + (folder / "read.py").string() + " " + path.string() + " > ";
  ASSERT_EQ(std::system((command + (folder / "out").string()).c_str()), 0);
  EXPECT_EQ(read_bytes(folder / "out"),
            "vox-report cpu 0.5 s\n['accel8', 'sektör'] [7, 1152921504606846976] ms\n");
}

}  // namespace
}  // namespace vox
