// Measurements → HDF5: a tree of groups, each with attributes and with tables of named columns.
//
//   Report report;
//   report.set("device", "cpu");
//   ReportGroup& hash = report.group("hash");
//   hash.set("items", uint64_t{1} << 25);
//   hash.column("table", names).column("search", milliseconds, "ms");
//   write_report(report, "report.h5");
//
// In the file a group is a group and a column a dataset of uint64, float64 or texts of fixed length (h5py:
// bytes; .decode() gives a str) with its unit as the attribute `unit`. An attribute is an attribute; where it
// has a unit, the attribute NAME_unit says which. Empty units are left out. The root has format "vox-report"
// and version 1 besides what is set.
#pragma once

#include <concepts>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace vox {

class ReportGroup {
 public:
  using Value = std::variant<uint64_t, double, std::string>;
  using Values = std::variant<std::vector<uint64_t>, std::vector<double>, std::vector<std::string>>;

  struct Attribute {
    std::string name, unit;
    Value value;
  };
  struct Column {
    std::string name, unit;
    Values values;
  };

  // Names are unique within a group, attributes apart from columns and groups, and hold no '/'.
  ReportGroup& set(std::string name, double value, std::string unit = "");
  ReportGroup& set(std::string name, std::string_view value);
  ReportGroup& set(std::string name, const char* value) {
    return set(std::move(name), std::string_view(value));
  }
  ReportGroup& set(std::string name, std::unsigned_integral auto value, std::string unit = "") {
    attributes_.push_back({std::move(name), std::move(unit), uint64_t{value}});
    return *this;
  }
  ReportGroup& column(std::string name, Values values, std::string unit = "");
  // The group of this name, made where there is none; stays where it is.
  ReportGroup& group(std::string_view name);

  const std::string& name() const { return name_; }
  const std::vector<Attribute>& attributes() const { return attributes_; }
  const std::vector<Column>& columns() const { return columns_; }
  const std::deque<ReportGroup>& groups() const { return groups_; }

 private:
  std::string name_;
  std::vector<Attribute> attributes_;
  std::vector<Column> columns_;
  std::deque<ReportGroup> groups_;
};

using Report = ReportGroup;  // the root

// Replaces what is at `path` once everything is written. Throws Error that names the file.
void write_report(const Report& report, const std::filesystem::path& path);

}  // namespace vox
