#include "tools/vox-bench/columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/results/views.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

double sum_of(const std::vector<BarPart>& parts, size_t bar) {
  double sum = 0;
  for (const BarPart& part : parts) sum += part.ms[bar];
  return sum;
}

}  // namespace

void add_kernel_columns(ResultTable& table, const Kernels& kernels) {
  using Kernel = device::KernelTime;
  table
      .column("kernel", "", kernels, &Kernel::name,
              "A kernel that the row's work has launched; the longest comes first.")
      .column("launches", "", kernels, &Kernel::launches, "Number of its launches.")
      .column("kernel_ms", "ms", kernels, in_ms(&Kernel::seconds),
              "Time of all these launches, in a repetition in which each was timed.")
      .column("kernel_bytes", "bytes", kernels, &Kernel::bytes,
              "Bytes that they read and wrote; 0 if they are not counted.");
}

std::vector<std::string> longest_kernels(const std::vector<KernelBar>& bars) {
  constexpr size_t kMost = kSeriesColors - 2;  // beside those of the other kernels and the rest
  std::vector<Kernels> profiles;
  for (const KernelBar& bar : bars) profiles.push_back(bar.kernels);
  std::vector<std::string> names;
  for (const device::KernelTime& kernel : device::all_kernels(profiles))
    if (names.size() < kMost) names.push_back(kernel.name);
  return names;
}

std::vector<BarPart> kernel_parts(const std::vector<KernelBar>& bars, const std::vector<std::string>& names) {
  std::vector<BarPart> parts;
  for (const std::string& name : names) parts.push_back({name, {}});
  BarPart others = {"other kernels", {}}, rest = {"between kernels", {}};
  for (const KernelBar& bar : bars) {
    const double all = device::seconds_of(bar.kernels) * 1e3;
    double left = all;
    for (BarPart& part : parts) {
      part.ms.push_back(device::seconds_of(bar.kernels, part.name) * 1e3);
      left -= part.ms.back();
    }
    others.ms.push_back(std::max(left, 0.0));
    rest.ms.push_back(std::max(bar.ms - all, 0.0));
  }
  parts.push_back(std::move(others));
  parts.push_back(std::move(rest));
  return parts;
}

void add_parts_figure(HtmlPage& page, const std::string& title, const std::string& caption,
                      const std::string& head, const std::vector<std::string>& labels,
                      const std::vector<BarPart>& parts, BarUnit unit) {
  const bool percent = unit == BarUnit::Percent;
  BarChart chart = {.title = title,
                    .description = caption,
                    .unit = percent ? "% of the time" : "ms",
                    .bars = BarChart::Bars::EndToEnd,
                    .rows = labels};
  std::vector<HtmlTable::Column> columns = {{head, "", HtmlTable::Kind::Name}, {"all", "ms"}};
  for (const BarPart& part : parts) {
    columns.push_back({part.name, "ms"});
    chart.series.push_back({part.name, part.ms});
  }
  HtmlTable table(std::move(columns));
  for (size_t bar = 0; bar < labels.size(); ++bar) {
    const double sum = sum_of(parts, bar);
    std::vector<HtmlCell> cells = {labels[bar], number_cell(sum, 3)};
    for (size_t part = 0; part < parts.size(); ++part) {
      cells.push_back(number_cell(parts[part].ms[bar], 3));
      if (percent && sum > 0) chart.series[part].values[bar] *= 100 / sum;
    }
    table.row(std::move(cells));
  }
  page.figure(title, caption, draw(chart), table);
}

measure::Timing time_of(const ResultRow& row) {
  return {row.number("ms"), row.number("ms_min"), row.number("ms_max")};
}

std::array<double, 2> range_of_times(const ResultRow& row) {
  return {row.number("ms_min"), row.number("ms_max")};
}

std::array<double, 2> range_of_rates(const ResultRow& row, std::string_view column) {
  const double done = row.number(column) * 1e3;
  return {done / row.number("ms_max"), done / row.number("ms_min")};
}

ResultRows rows_with_errors(ResultRows rows) {
  std::erase_if(rows, [](const ResultRow& row) { return row.word("error").empty(); });
  return rows;
}

void set_seconds(ResultGroup& group, double seconds) {
  group.set("seconds", seconds, "s", "Time of the whole benchmark.");
}

std::string counted_text(const ResultRow& row, std::string_view column, std::string_view unit) {
  return format_count(static_cast<uint64_t>(row.number(column)), unit);
}

ResultTable ceilings_table(const Ceilings& ceilings) {
  using Row = measure::RandomReadCeiling;
  ResultTable table;
  table
      .column("bytes_each", "bytes", ceilings, &Row::bytes_each, {.page = {"bytes each"}},
              "Number of bytes that a random read takes.")
      .column("buffer_bytes", "bytes", ceilings, &Row::buffer_bytes, {.page = {"from", Look::mib(), "MiB"}},
              "Size of the memory that is read from.")
      .column("reads_per_second", "1/s", ceilings, &Row::reads_per_second,
              {.page = {"reads", Look::fixed(3, 1e-9), "G/s"}}, "Number of reads per second.");
  add_times(table, ceilings, {.page = {"time", Look::fixed(3), "ms"}});
  table.column("repetitions", "", ceilings, &Row::repetitions, "Number of repetitions.");
  return table;
}

std::string ceilings_text(const Ceilings& ceilings) {
  std::string text;
  for (const measure::RandomReadCeiling& ceiling : ceilings)
    text += fmt::format("random reads of {:>3} bytes from {:>10}: {:6.3f} G/s\n", ceiling.bytes_each,
                        format_bytes(ceiling.buffer_bytes), ceiling.reads_per_second * 1e-9);
  return text;
}

void add_ceilings(HtmlPage& page, const Ceilings& ceilings) {
  page.section("What the memory can do")
      .table("Random reads, measured first", page_table(ceilings_table(ceilings)));
}

}  // namespace vox
