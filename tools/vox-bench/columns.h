// Columns that the results of all benchmarks have.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "formats/pages/html_page.h"
#include "formats/results/results.h"
#include "libvox/device/profiler.h"
#include "libvox/measure/hash_bench.h"
#include "libvox/measure/timing.h"

namespace vox {

// Adds the columns ms, ms_min and ms_max of the rows' `time`, which some of them may lack.
void add_times(ResultTable& table, const auto& rows) {
  const auto add = [&](const char* name, double measure::Timing::*which) {
    table.column(name, "ms", rows, [which](const auto& row) {
      if constexpr (requires { row.time.has_value(); })
        return row.time ? std::optional((*row.time).*which * 1e3) : std::nullopt;
      else
        return row.time.*which * 1e3;
    });
  };
  add("ms", &measure::Timing::median);
  add("ms_min", &measure::Timing::min);
  add("ms_max", &measure::Timing::max);
}

// Columns that only some runs have values for.

// Adds a column with get(row), which may be nothing, for each row. People see it where some row has a value.
template <class Rows, class Get>
ResultTable& add_optional(ResultTable& table, const ResultName& name, const std::string& unit,
                          const Rows& rows, const Get& get, const Headings& headings) {
  const bool some = std::ranges::any_of(rows, [&](const auto& row) { return get(row).has_value(); });
  return table.column(name, unit, rows, get, some ? headings : Headings());
}

// The share of each kernel in the times of a benchmark's rows, for people and for programs.

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
void add_kernel_columns(ResultTable& table, const std::vector<KernelOfRow<Row>>& kernels) {
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

// The ceiling of random reads, which benchmarks of tables measure first, as people and programs see it.

using Ceilings = std::vector<measure::RandomReadCeiling>;

ResultTable ceilings_table(const Ceilings& ceilings);
std::string ceilings_text(const Ceilings& ceilings);
void add_ceilings(HtmlPage& page, const Ceilings& ceilings);  // as a section

// Figures of rows that a benchmark has measured: a chart with a line for each series, and its numbers as a table.

template <class Row>
using RowPointers = std::vector<const Row*>;
template <class Row>
using TextOfRow = std::function<std::string(const Row&)>;

// The axis that a figure has from left to right.
template <class Row>
struct FigureAxis {
  std::string title;
  ChartScale scale;
  std::function<double(const Row&)> value;
  std::function<std::string(double)> text;
  TextOfRow<Row> panel;  // the other axis: there is a figure for each text, which ends its title
};

// The quantity of a row that a figure shows.
template <class Row>
struct FigureQuantity {
  std::string unit, caption;
  std::function<LineChart::Point(const Row&)> point;  // without x
  std::function<HtmlCell(const Row&)> cell;
};

// A point without a spread.
inline LineChart::Point exact_point(double value) {
  return {0, value, value, value};
}

// The different texts of rows, in their order.
template <class Row>
std::vector<std::string> texts_of(const RowPointers<Row>& rows,
                                  const std::type_identity_t<TextOfRow<Row>>& text) {
  std::vector<std::string> texts;
  for (const Row* row : rows)
    if (std::ranges::find(texts, text(*row)) == texts.end()) texts.push_back(text(*row));
  return texts;
}

template <class Row>
RowPointers<Row> rows_with(const RowPointers<Row>& rows, const std::type_identity_t<TextOfRow<Row>>& text,
                           const std::string& wanted) {
  RowPointers<Row> some;
  std::ranges::copy_if(rows, std::back_inserter(some), [&](const Row* row) { return text(*row) == wanted; });
  return some;
}

// Adds a figure with a line for each text of `series`.
template <class Row>
void add_line_figure(HtmlPage& page, const std::string& title, const RowPointers<Row>& rows,
                     const FigureAxis<Row>& axis, const std::type_identity_t<TextOfRow<Row>>& series,
                     const FigureQuantity<Row>& quantity) {
  LineChart chart = {.title = title,
                     .description = quantity.caption,
                     .x_title = axis.title,
                     .y_title = quantity.unit,
                     .x_scale = axis.scale};
  std::vector<HtmlTable::Column> columns = {{axis.title, "", HtmlTable::Kind::Words}};
  std::set<double> values;
  for (const Row* row : rows) values.insert(axis.value(*row));
  std::vector<std::vector<HtmlCell>> cells;
  for (const double value : values) cells.push_back({HtmlCell(axis.text(value))});
  for (const std::string& name : texts_of(rows, series)) {
    columns.push_back({name, quantity.unit});
    LineChart::Series& line = chart.series.emplace_back(LineChart::Series{name, {}});
    const RowPointers<Row> of_series = rows_with(rows, series, name);
    size_t i = 0;
    for (const double value : values) {
      const auto found =
          std::ranges::find_if(of_series, [&](const Row* row) { return axis.value(*row) == value; });
      HtmlCell& cell = cells[i++].emplace_back();
      if (found == of_series.end()) continue;
      cell = quantity.cell(**found);
      line.points.push_back(quantity.point(**found));
      line.points.back().x = value;
    }
  }
  HtmlTable table(std::move(columns));
  for (std::vector<HtmlCell>& row : cells) table.row(std::move(row));
  page.figure(title, quantity.caption, draw(chart), table);
}

}  // namespace vox
