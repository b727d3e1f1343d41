// Results as files for programs: JSON, comma-separated values and HDF5.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/results/results.h"
#include "libvox/measure/timing.h"

namespace vox {

// Writes a table of results as comma-separated values (RFC 4180): a line of names, then a line for each row. Only the
// first name stands in quotes, which readers remove; is_csv_of_vox() recognizes vox's files by them.

// Columns have the same names as in report files; columns without a name there are left out. Numbers are
// written as in JSON, and a field without a value is empty.
std::string csv_text(const ResultTable& table);

// Writes the table and then replaces the file at `path`. Throws Error that names the file.
void write_csv(const ResultTable& table, const std::filesystem::path& path);

// True if a file with this content was written by write_csv().
bool is_csv_of_vox(std::string_view file);

// Returns results as one JSON object: text that is indented by two spaces and has no newline at the end. Keys have
// the order in which the values were set.
std::string json_text(const ResultGroup& results);

// The rows of a benchmark's results, read from the JSON or the report that the benchmark wrote.
struct ReadResults {
  std::string device, device_text;  // the device that was measured
  ResultTable rows;
  // Only a report has these: the command line, the texts in its group /machine by their names, and the digests of the
  // files in /inputs.
  std::string command;
  std::map<std::string, std::string> machine, inputs;
};

// Reads an object of JSON with `device`, `device_text` and the array `rows` of objects, as json_text() writes it, or a report
// with the group `rows` in one of its groups. In JSON, lists and objects in a row are ignored, and missing or null values are
// absent; a report has 0 or "" for these. Throws Error that names the file.
//
// If the file has the results of several benchmarks, `part` names the object or group of one of them.
ReadResults read_results(const std::filesystem::path& path, const std::string& part = "");
ReadResults parse_results(std::string_view json, const std::string& part = "");

// A report is results as a file in HDF5. A group of results is a group of HDF5. A column of a table is a dataset of
// uint64, float64 or texts of
// fixed length (h5py: bytes; .decode() gives a str), with its unit as the attribute `unit`. A single value is
// an attribute NAME; if it has a unit, that is the attribute NAME_unit. Empty units are left out. The root
// also has the attributes format "vox-report" and version 1.

// Writes the report and then replaces the file at `path`. Throws Error that names the file.
void write_report(const ResultGroup& results, const std::filesystem::path& path);

// A field of a report or a JSON file, for the lists in docs/results.md.
struct ResultField {
  std::string json;  // the path of the value in JSON, "rows[].ms"; empty if it is not there
  std::string
      report;  // the column or attribute in a report, "/hash/rows/ms" or "/hash@seconds"; empty: there is none
  std::string unit, about;
};

// Returns the fields of a tree in their order, each once. Tables without rows have fields, but empty lists have none.
std::vector<ResultField> fields_of(const ResultGroup& results);

// The fields of a program, or fields that several places of the trees share.
struct ResultSection {
  std::string title, text;  // the text comes before the fields
  std::vector<ResultField> fields;
};

// Returns the sections in Markdown, as tables below their titles. If a section has all fields of one of `parts`, it
// gets a link to this part instead. The parts are sections, too, and come last.
std::string sections_text(const std::vector<ResultSection>& sections,
                          const std::vector<ResultSection>& parts);

// True if the file was written by write_report().
bool is_report_of_vox(const std::filesystem::path& path);

// Compares the results of a benchmark with those of an earlier run, row by row.
//
// A row counts as slower if all of its repetitions took longer than the slowest repetition of the earlier
// run, and if the two medians differ by more than kLeastChange. So neither the spread of repetitions nor a
// very small change is reported. Faster is defined the same way in the other direction. With one
// repetition there is no spread, and kLeastChange alone decides. Rows that did different work are not
// compared.

inline constexpr double kLeastChange = 0.03;  // as a share of the earlier median

// The columns by which the rows of a benchmark are compared. Two rows are the same measurement if their
// values of the axes are equal, and they did the same work if their values of `work` are equal, too. Their
// times are in the columns ms, ms_min and ms_max, or in ms alone.
struct ComparedColumns {
  std::vector<std::string> axes, work;
};

enum class RowChange : uint8_t {
  None,  // the difference is within the spread
  Slower,
  Faster,
  OtherWork,  // the row did different work, so its times cannot be compared
  Added,      // the earlier run has no such row
  Gone        // this run has no such row
};
inline constexpr std::array kChangeNames = {"same", "slower", "faster", "other work", "added", "gone"};

struct AgainstRow {
  std::string row;  // the values of the row's axes, e.g. "spheres, fresh, 1140"
  std::optional<measure::Timing> before = {}, now = {};  // in ms
  RowChange change = RowChange::None;
  std::string other_work = {};  // e.g. "nodes_new 120, was 118"; only for OtherWork

  // Returns the median of this run divided by that of the earlier one.
  std::optional<double> ratio() const;
};

// Returns the rows of this run in their order, then those that only the earlier run has. Rows without a time
// are left out.
std::vector<AgainstRow> compare_results(const ResultTable& now, const ResultTable& before,
                                        const ComparedColumns& columns);

uint64_t count_of(const std::vector<AgainstRow>& rows, RowChange change);

}  // namespace vox
