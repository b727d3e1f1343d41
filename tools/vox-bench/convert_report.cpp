#include "tools/vox-bench/convert_report.h"

#include <fmt/format.h>

#include <functional>

#include "formats/results/text_table.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/columns.h"
#include "tools/vox-bench/kernel_report.h"
#include "tools/vox-bench/optional_column.h"

namespace vox {
namespace {

using ConvertRow = measure::ConvertBenchRow;
using measure::both;
using measure::Look;
using measure::Timing;

std::string coverage_of(const ConvertRow& row) {
  return measure::kCoverageNames[static_cast<size_t>(row.coverage)];
}

std::string materials_of(const ConvertRow& row) {
  return measure::kMaterialModeNames[static_cast<size_t>(row.materials)];
}

// Adds the columns that say what was measured; of(row) is the row of a row.
template <class Rows, class Of>
void add_axes(measure::ResultTable& table, const Rows& rows, const Of& of) {
  table
      .column(
          "mesh", "", rows, [&](const auto& row) { return of(row).mesh; }, both({"mesh"}))
      .column(
          "coverage", "", rows, [&](const auto& row) { return coverage_of(of(row)); }, both({"coverage"}))
      .column(
          "materials", "", rows, [&](const auto& row) { return materials_of(of(row)); }, both({"materials"}))
      .column(
          "resolution", "voxels", rows, [&](const auto& row) { return of(row).resolution; }, both({"res"}));
}

measure::Headings counted_column(const char* title) {
  return both({title, Look::count()});
}

}  // namespace

std::string series_text(const ConvertRow& row) {
  return fmt::format("{}, {}, {}", row.mesh, coverage_of(row), materials_of(row));
}

measure::ResultTable rows_table(const ConvertBenchRun& run) {
  const std::vector<ConvertRow>& rows = run.result.rows;
  const auto phase = [](auto measure::ConvertPhases::*which) {
    return [which](const ConvertRow& row) {
      const std::optional<Timing> time = row.phases.*which;
      return time ? std::optional(time->median * 1e3) : std::nullopt;
    };
  };
  const auto ms = [](const char* title) {
    return measure::Headings{{title, Look::fixed(1)}, {title, Look::fixed(1), "ms"}};
  };
  measure::ResultTable table;
  add_axes(table, rows, std::identity());
  add_times(table, rows);
  table
      .column(
          measure::for_people(), "ms", rows, [](const ConvertRow& row) { return row.time.median * 1e3; },
          ms("ms"))
      .column(
          measure::for_people(), "percent", rows,
          [](const ConvertRow& row) { return row.time.spread() * 100; },
          measure::Headings{{"± %", Look::fixed(0)}, {"spread", Look::fixed(1), "%"}});
  add_optional(table, "load_ms", "ms", rows, phase(&measure::ConvertPhases::load), ms("load"))
      .column("palette_ms", "ms", rows, phase(&measure::ConvertPhases::palette), ms("palette"))
      .column("voxelize_ms", "ms", rows, phase(&measure::ConvertPhases::voxelize), ms("voxelize"))
      .column("build_ms", "ms", rows, phase(&measure::ConvertPhases::build), ms("build"))
      .column("freeze_ms", "ms", rows, phase(&measure::ConvertPhases::freeze), ms("(freeze)"));
  add_optional(table, "write_ms", "ms", rows, phase(&measure::ConvertPhases::write), ms("write"))
      .column("triangles", "triangles", rows, &ConvertRow::triangles)
      .column("voxels", "voxels", rows, &ConvertRow::voxels, counted_column("voxels"))
      .column("svo_nodes", "nodes", rows, &ConvertRow::svo_nodes)
      .column("nodes", "nodes", rows, &ConvertRow::nodes, counted_column("nodes"))
      .column("bytes", "bytes", rows, &ConvertRow::bytes)
      .column("peak_device_bytes", "bytes", rows, &ConvertRow::peak_device_bytes,
              measure::Headings{{"MiB", Look::mib()}, {"memory", Look::mib(), "MiB"}})
      .column("file_bytes", "bytes", rows, &ConvertRow::file_bytes);
  return table;
}

std::string table_text(const ConvertBenchRun& run) {
  return fmt::format(
      "{}: times in ms, median of {}; ms: from triangles to the SVDAG on the host, ±: how far the others are "
      "from "
      "it;\nMiB: of the device at most\n\n{}",
      run.device_text, format_count(run.result.repetitions, "repetition"),
      text_table(rows_table(run)).text());
}

measure::ResultGroup results_of(const ConvertBenchRun& run) {
  measure::ResultGroup results;
  set_run(results, run);
  measure::ResultGroup& group = results.group({".", "convert"});
  group.set("repetitions", run.result.repetitions).set("seconds", run.result.seconds, "s");
  group.put("rows", rows_table(run));
  const std::vector<KernelOfRow<ConvertRow>> kernels = kernels_by_row(run.result.rows);
  if (kernels.empty()) return results;
  measure::ResultTable& table = group.table("kernels");
  add_axes(table, kernels,
           [](const KernelOfRow<ConvertRow>& kernel) -> const ConvertRow& { return *kernel.row; });
  add_kernel_columns(table, kernels);
  return results;
}

}  // namespace vox
