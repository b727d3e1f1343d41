#include "formats/results/report_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "formats/io/h5.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

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

  std::string bytes(const fs::path& file) const {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  size_t files_in_folder() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
  }

  fs::path folder, path;
};

measure::ResultGroup sample_report() {
  measure::ResultGroup report;
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

TEST_F(ReportFile, PathsLeadIntoGroupsAndAPointIsTheGroupAround) {
  measure::ResultGroup report;
  report.group({".", "hash"}).set("bytes", 5u, "bytes").set({"json", ""}, 1u);
  report.table({"levels", "."})
      .column({"side", "levels/side"}, "voxels", std::vector<uint64_t>{4, 8})
      .column({"most", "levels/uses/most"}, "uses", std::vector<uint64_t>{1, 2})
      .column(measure::in_json("list"), "", std::vector<measure::ResultColumn::List>{{}, {}});
  report.table(".", measure::TableShape::Record)
      .column({"s", "total/seconds"}, "s", std::vector<double>{2.5});
  report.append(measure::in_json("rows")).set("a", 1u);
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
  measure::ResultGroup report;
  report.table("t").column("find", "s", values, std::identity());
  write_report(report, path);
  h5::Quiet quiet;
  const h5::Object file = h5::open_file(path), table = h5::open_group(file, "t");
  EXPECT_EQ(h5::read_table<double>(table, "find", {2}), (std::vector<double>{0.5, 0}));
}

TEST_F(ReportFile, RefusesLists) {
  measure::ResultGroup list, column;
  list.append("rows").set("a", 1u);
  EXPECT_THROW(write_report(list, path), Error);
  column.table("t").column("bins", "", std::vector<measure::ResultColumn::List>{{1, 2}});
  EXPECT_THROW(write_report(column, path), Error);
  EXPECT_EQ(files_in_folder(), 0u);
}

TEST_F(ReportFile, EqualReportsGiveEqualBytes) {
  write_report(sample_report(), path);
  write_report(sample_report(), folder / "again.h5");
  EXPECT_TRUE(bytes(path) == bytes(folder / "again.h5"));
}

TEST_F(ReportFile, APartialReportIsNeverLeft) {
  std::ofstream(path) << "old";
  measure::ResultGroup twice;
  twice.set("items", 1u).set("items", 2u);
  EXPECT_THROW(write_report(twice, path), Error);
  EXPECT_EQ(bytes(path), "old");
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
  EXPECT_EQ(bytes(folder / "out"),
            "vox-report cpu 0.5 s\n['accel8', 'sektör'] [7, 1152921504606846976] ms\n");
}

}  // namespace
}  // namespace vox
