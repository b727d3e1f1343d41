// The parts that the results of all benchmarks share: the run to which they belong, and the files that hold them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/io/output_file.h"
#include "formats/pages/html_page.h"
#include "formats/results/files.h"
#include "formats/results/results.h"
#include "formats/results/views.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/device/profiler.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/hash_bench.h"
#include "libvox/measure/timing.h"
#include "tools/common/reports.h"
#include "tools/common/tool.h"

namespace vox {

// The run to which results belong.
struct BenchRun {
  std::string device, device_text;
  RunOrigin origin;
};
BenchRun run_on(const Engine& engine, const std::string& command);

// Sets the run at the root of the results. JSON gets only the device.
void set_run(ResultGroup& results, const BenchRun& run);

// The results of an earlier run of the same command, as --json printed them.
struct EarlierRun {
  std::filesystem::path file;
  ReadResults results;
};

struct ResultFiles {
  std::optional<std::filesystem::path> report, csv, html;
  Overwrite overwrite = Overwrite::OwnFiles;
  std::optional<EarlierRun> against = {};
};

// Checks, before the work, that the files can be written, and that they differ from each other and from the run's other
// results. Throws Error.
void check_targets(const ResultFiles& files, NamedFiles others = {});

// The comparison of a benchmark with an earlier run, for people and for programs.
struct Against {
  std::string file;                   // the file of the earlier run
  std::string device_before, device;  // in words
  std::vector<AgainstRow> rows;

  bool same_device() const { return device_before == device; }
};

// Sets the number of rows of each change, and all rows.
void set_against(ResultGroup& results, const Against& against);

// The report of a benchmark: its results for people and for programs.
struct BenchReport {
  BenchRun run;
  ResultGroup results;
  ResultTable rows;          // for --csv, and for the comparison with an earlier run
  ComparedColumns compared;  // the columns by which they are compared
  HtmlPage page;
  std::string text;
  // The options that say where the results go.
  ResultFiles files = {};
  bool json = false;
  std::optional<std::vector<device::KernelTime>> profile = {};  // with --profile
  double seconds = 0;
};
using ReportSink = std::function<void(BenchReport)>;

// Adds a comparison with an earlier run to the results.
void compare(BenchReport& report, const EarlierRun& earlier);

// Writes the results to the files that the command names, and prints them.
void show_report(BenchReport report);

// Makes the columns that the results of all benchmarks have.

// These make values for columns: the value at the end of a path of members, and a time in ms.
auto member_of(auto outer, auto inner) {
  return [=](const auto& row) { return std::invoke(inner, std::invoke(outer, row)); };
}
inline double ms_of(double seconds) {
  return seconds * 1e3;
}
inline double ms_of(const measure::Timing& time) {
  return time.median * 1e3;
}
inline std::optional<double> ms_of(const std::optional<measure::Timing>& time) {
  return time ? std::optional(ms_of(*time)) : std::nullopt;
}
auto in_ms(auto get) {
  return [=](const auto& row) { return ms_of(std::invoke(get, row)); };
}

// Adds the columns ms, ms_min and ms_max of the rows' `time`, which may be absent. `median` has headings for people.
void add_times(ResultTable& table, const auto& rows, const Headings& median = {}) {
  const auto add = [&](const char* name, double measure::Timing::*which, const Headings& headings,
                       const char* about) {
    const auto get = [which](const auto& row) {
      if constexpr (requires { row.time.has_value(); })
        return row.time ? std::optional((*row.time).*which * 1e3) : std::nullopt;
      else
        return row.time.*which * 1e3;
    };
    table.column(name, "ms", rows, get, headings, about);
  };
  add("ms", &measure::Timing::median, median, "Median time of the repetitions.");
  add("ms_min", &measure::Timing::min, {}, "Time of the fastest repetition.");
  add("ms_max", &measure::Timing::max, {}, "Time of the slowest repetition.");
}

// Adds the median of the rows' `time`, and how far the others are from it, for people.
void add_spread(ResultTable& table, const auto& rows, const Headings& median) {
  const auto spread = [](const auto& row) { return row.time.spread() * 100; };
  table.column(for_people(), "ms", rows, in_ms(&std::ranges::range_value_t<decltype(rows)>::time), median)
      .column(for_people(), "percent", rows, spread,
              Headings{{"± %", Look::fixed(0)}, {"spread", Look::fixed(1), "%"}});
}

// Return a row's times: in ms, as their range, and as the range of how much of a column is done in a second.
measure::Timing time_of(const ResultRow& row);
std::array<double, 2> range_of_times(const ResultRow& row);
std::array<double, 2> range_of_rates(const ResultRow& row, std::string_view column);

// Returns the rows that have a text in the column `error`.
ResultRows rows_with_errors(ResultRows rows);

// Sets the value `seconds`, the time of the whole benchmark.
void set_seconds(ResultGroup& group, double seconds);

// Returns a number of a row with its unit: "12 keys".
std::string counted_text(const ResultRow& row, std::string_view column, std::string_view unit);

// Adds a column with get(row), which may be nothing, for each row. People see the column only if some row has a
// value.
template <class Rows, class Get>
ResultTable& add_optional(ResultTable& table, const ResultName& name, const std::string& unit,
                          const Rows& rows, const Get& get, const Headings& headings,
                          std::string about = "") {
  const bool some = std::ranges::any_of(rows, [&](const auto& row) { return get(row).has_value(); });
  return table.column(name, unit, rows, get, some ? headings : Headings(), std::move(about));
}

// These functions show the share of each kernel in the times of a benchmark's rows, for people and for programs.

using Kernels = std::vector<device::KernelTime>;

// The kernels of all rows, one row after the other, and the row of each.
template <class Row>
struct KernelRows {
  std::vector<Row> rows;
  Kernels kernels;
};

template <class Row>
KernelRows<Row> kernels_by_row(const std::vector<Row>& rows) {
  KernelRows<Row> all;
  for (const Row& row : rows)
    for (const device::KernelTime& kernel : row.kernels) {
      all.rows.push_back(row);
      all.kernels.push_back(kernel);
    }
  return all;
}

// Returns the kernels of all rows together, longest first.
template <class Row>
Kernels kernels_of(const std::vector<Row>& rows) {
  std::vector<Kernels> profiles;
  for (const Row& row : rows) profiles.push_back(row.kernels);
  return device::all_kernels(profiles);
}

// Adds the columns kernel, launches, kernel_ms and kernel_bytes.
void add_kernel_columns(ResultTable& table, const Kernels& kernels);

// A bar of a chart: a time, and the kernels' times for the same work.
struct KernelBar {
  std::string label;
  double ms = 0;
  Kernels kernels;
};

enum class BarUnit { Milliseconds, Percent };  // Percent if the bars' times differ by much

// A part of a bar: its name, and its ms for each bar.
struct BarPart {
  std::string name;
  std::vector<double> ms;
};

// Returns the names of the kernels that take longest in all bars, as many as a chart has colors. Charts
// on one page share the names, so that a kernel has the same color in each.
std::vector<std::string> longest_kernels(const std::vector<KernelBar>& bars);

// Returns the bars' parts: these kernels, other kernels, and the time outside of kernels, as in Figure 9
// of Molenaar & Eisemann 2024.
std::vector<BarPart> kernel_parts(const std::vector<KernelBar>& bars, const std::vector<std::string>& names);

// Adds a figure of bars whose parts stand end to end, with a table of the parts. `head` is the heading of
// the labels.
void add_parts_figure(HtmlPage& page, const std::string& title, const std::string& caption,
                      const std::string& head, const std::vector<std::string>& labels,
                      const std::vector<BarPart>& parts, BarUnit unit);

// These functions show the ceiling of random reads, which benchmarks of tables measure first, to people and programs.

using Ceilings = std::vector<measure::RandomReadCeiling>;

ResultTable ceilings_table(const Ceilings& ceilings);
std::string ceilings_text(const Ceilings& ceilings);
void add_ceilings(HtmlPage& page, const Ceilings& ceilings);  // as a section

}  // namespace vox
