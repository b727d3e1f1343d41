// The share of each kernel in the times of a benchmark's rows, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "formats/pages/html_page.h"
#include "libvox/device/kernel_times.h"
#include "libvox/measure/results.h"

namespace vox {

using Kernels = std::vector<device::KernelTime>;

// A kernel of a row that has several.
template <class Row>
struct KernelOfRow {
  const Row* row;
  device::KernelTime kernel;
};

// The kernels of all rows, one after the other.
template <class Row>
std::vector<KernelOfRow<Row>> kernels_by_row(const std::vector<Row>& rows) {
  std::vector<KernelOfRow<Row>> all;
  for (const Row& row : rows)
    for (const device::KernelTime& kernel : row.kernels) all.push_back({&row, kernel});
  return all;
}

// The kernels of all rows together, longest first.
template <class Row>
Kernels kernels_of(const std::vector<Row>& rows) {
  std::vector<Kernels> profiles;
  for (const Row& row : rows) profiles.push_back(row.kernels);
  return device::all_kernels(profiles);
}

// Adds the columns kernel, launches, kernel_ms and kernel_bytes.
template <class Row>
void add_kernel_columns(measure::ResultTable& table, const std::vector<KernelOfRow<Row>>& kernels) {
  using Of = KernelOfRow<Row>;
  table.column("kernel", "", kernels, [](const Of& of) { return of.kernel.name; })
      .column("launches", "", kernels, [](const Of& of) { return of.kernel.launches; })
      .column("kernel_ms", "ms", kernels, [](const Of& of) { return of.kernel.seconds * 1e3; })
      .column("kernel_bytes", "bytes", kernels, [](const Of& of) { return of.kernel.bytes; });
}

// A bar of a chart: a time, and the kernels of as much work.
struct KernelBar {
  std::string label;
  double ms = 0;
  Kernels kernels;
};

enum class BarUnit { Milliseconds, Percent };  // Percent where the times of bars differ by much

// A part of a bar: its name, and its ms for each bar.
struct BarPart {
  std::string name;
  std::vector<double> ms;
};

// The names of the kernels that take longest of all bars, as many as a chart has colours for. Charts that
// stand on one page share them, so that a kernel has one colour.
std::vector<std::string> longest_kernels(const std::vector<KernelBar>& bars);

// The bars cut into these kernels, the others, and the time that is none of theirs: as Molenaar & Eisemann
// 2024, Figure 9.
std::vector<BarPart> kernel_parts(const std::vector<KernelBar>& bars, const std::vector<std::string>& names);

// Adds a figure of bars whose parts stand end to end, with a table of the parts; `head` is what the labels
// are.
void add_parts_figure(HtmlPage& page, const std::string& title, const std::string& caption,
                      const std::string& head, const std::vector<std::string>& labels,
                      const std::vector<BarPart>& parts, BarUnit unit);

}  // namespace vox
