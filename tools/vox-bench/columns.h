// Makes the columns that the results of all benchmarks have.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/pages/html_page.h"
#include "formats/results/results.h"
#include "formats/results/views.h"
#include "libvox/device/profiler.h"
#include "libvox/measure/hash_bench.h"
#include "libvox/measure/timing.h"

namespace vox {

// Adds the columns ms, ms_min and ms_max of the rows' `time`, which may be absent. `median` has headings for people.
void add_times(ResultTable& table, const auto& rows, const Headings& median = {}) {
  const auto add = [&](const char* name, double measure::Timing::*which,
                       const Headings& headings) -> ResultTable& {
    return table.column(
        name, "ms", rows,
        [which](const auto& row) {
          if constexpr (requires { row.time.has_value(); })
            return row.time ? std::optional((*row.time).*which * 1e3) : std::nullopt;
          else
            return row.time.*which * 1e3;
        },
        headings);
  };
  add("ms", &measure::Timing::median, median).about("Median time of the repetitions.");
  add("ms_min", &measure::Timing::min, {}).about("Time of the fastest repetition.");
  add("ms_max", &measure::Timing::max, {}).about("Time of the slowest repetition.");
}

// Return a row's times: in ms, and as their range.
measure::Timing time_of(const ResultRow& row);
std::array<double, 2> range_of_times(const ResultRow& row);

// Returns the rows that have a text in the column `error`.
ResultRows rows_with_errors(ResultRows rows);

// Sets the value `seconds`, the time of the whole benchmark.
void set_seconds(ResultGroup& group, double seconds);

// Returns a number of a row with its unit: "12 keys".
std::string counted_text(const ResultRow& row, std::string_view column, std::string_view unit);

// Some columns have values only in some runs.

// Adds a column with get(row), which may be nothing, for each row. People see the column if some row has a value.
template <class Rows, class Get>
ResultTable& add_optional(ResultTable& table, const ResultName& name, const std::string& unit,
                          const Rows& rows, const Get& get, const Headings& headings) {
  const bool some = std::ranges::any_of(rows, [&](const auto& row) { return get(row).has_value(); });
  return table.column(name, unit, rows, get, some ? headings : Headings());
}

// These functions show the share of each kernel in the times of a benchmark's rows, for people and for programs.

using Kernels = std::vector<device::KernelTime>;

// One of a row's kernels.
template <class Row>
struct KernelOfRow {
  const Row* row;
  device::KernelTime kernel;
};

// Returns the kernels of all rows, one row after the other.
template <class Row>
std::vector<KernelOfRow<Row>> kernels_by_row(const std::vector<Row>& rows) {
  std::vector<KernelOfRow<Row>> all;
  for (const Row& row : rows)
    for (const device::KernelTime& kernel : row.kernels) all.push_back({&row, kernel});
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
template <class Row>
void add_kernel_columns(ResultTable& table, const std::vector<KernelOfRow<Row>>& kernels) {
  using Of = KernelOfRow<Row>;
  table.column("kernel", "", kernels, [](const Of& of) { return of.kernel.name; })
      .about("A kernel that the row's work has launched; the longest comes first.")
      .column("launches", "", kernels, [](const Of& of) { return of.kernel.launches; })
      .about("Number of its launches.")
      .column("kernel_ms", "ms", kernels, [](const Of& of) { return of.kernel.seconds * 1e3; })
      .about("Time of all these launches, in a repetition in which each was timed.")
      .column("kernel_bytes", "bytes", kernels, [](const Of& of) { return of.kernel.bytes; })
      .about("Bytes that they read and wrote; 0 if they are not counted.");
}

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
