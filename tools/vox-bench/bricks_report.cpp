#include "tools/vox-bench/bricks_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/results/text_table.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/columns.h"

namespace vox {
namespace {

using BricksRow = measure::BricksBenchRow;
using Set = measure::BricksBenchSet;

uint64_t side(uint32_t log2_side) {
  return log2_side == 0 ? 0 : uint64_t{1} << log2_side;
}

template <class T>
uint64_t side_of(const T& of) {
  return side(of.log2_side);
}

measure::ResultTable sets_table(const std::vector<Set>& sets) {
  measure::ResultTable table;
  table.column("types", "", sets, &Set::types)
      .column("brick_size", "voxels", sets, side_of<Set>)
      .column("bricks", "", sets, &Set::bricks)
      .column("bytes", "bytes", sets, &Set::bytes)
      .column("build_ms", "ms", sets, [](const Set& set) { return set.build_seconds * 1e3; });
  for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type)
    table.column(std::string(bricks::BrickTypes::kNames[type]), "bricks", sets,
                 [&](const Set& set) { return set.counts[type]; });
  table.column("compiled", "", sets, [](const Set& set) { return set.jit.compiled; })
      .column("leaves", "", sets, [](const Set& set) { return set.jit.leaves; })
      .column("mixed_leaves", "", sets, [](const Set& set) { return set.jit.mixed; })
      .column("depth", "", sets, [](const Set& set) { return set.jit.depth; })
      .column("kd_ms", "ms", sets, [](const Set& set) { return set.jit.tree_seconds * 1e3; })
      .column("compile_ms", "ms", sets, [](const Set& set) { return set.jit.compile_seconds * 1e3; })
      .column("source_bytes", "bytes", sets, [](const Set& set) { return set.jit.source_bytes; });
  return table;
}

std::string name_of(const BricksRow& row) {
  if (row.access == bricks::Access::Dense) return "dense array";
  return fmt::format("{:>2}³ {:<6} {}", side(row.log2_side), row.types,
                     measure::kAccessNames[size_t(row.access)]);
}

std::string loop_of(const BricksRow& row) {
  if (row.loop == "cast") return "cast, M rays/s";
  return row.filter > 0 ? fmt::format("mean {}³", row.filter) : row.loop;
}

// A table of rates, with a line for each way to read and a column for each loop.
std::string rates_text(const std::vector<BricksRow>& rows) {
  size_t loops = 1;
  while (loops < rows.size() && loop_of(rows[loops]) != loop_of(rows[0])) ++loops;
  std::vector<std::string> titles = {"G lookups/s"};
  for (size_t i = 0; i < loops; ++i) titles.push_back(loop_of(rows[i]));
  TextTable table(std::move(titles));
  for (size_t first = 0; first < rows.size(); first += loops) {
    std::vector<std::string> cells = {name_of(rows[first])};
    for (size_t i = first; i < std::min(first + loops, rows.size()); ++i)  // the last line may be incomplete
      cells.push_back(
          fmt::format("{:.2f}", rows[i].lookups_per_second() * (rows[i].loop == "cast" ? 1e-6 : 1e-9)));
    table.row(std::move(cells));
  }
  return table.text();
}

std::string sets_text(const measure::BricksBenchResult& result) {
  TextTable table(
      {"bricks", "number", "bytes", "of dense", "build ms", "kd leaves", "depth", "kd ms", "compile ms"});
  for (const Set& set : result.sets) {
    std::vector<std::string> cells = {
        fmt::format("{:>2}³ {}", side(set.log2_side), set.types), format_count(set.bricks),
        format_bytes(set.bytes),
        format_percent(static_cast<double>(set.bytes) / static_cast<double>(result.info.bytes())),
        fmt::format("{:.1f}", set.build_seconds * 1e3)};
    if (set.jit.leaves > 0)
      cells.insert(cells.end(),
                   {format_count(set.jit.leaves), std::to_string(set.jit.depth),
                    fmt::format("{:.1f}", set.jit.tree_seconds * 1e3),
                    set.jit.compiled ? fmt::format("{:.1f}", set.jit.compile_seconds * 1e3) : "interpreted"});
    table.row(std::move(cells));
  }
  return table.text();
}

}  // namespace

measure::ResultTable trade_off_table(const std::vector<measure::BricksTradeOffRow>& rows) {
  using Point = measure::BricksTradeOffRow;
  const auto name = [](const Point& row) { return fmt::format("{:>2}³ {}", side_of(row), row.strategy); };
  const auto milliseconds = [](const Point& row) { return row.time.median * 1e3; };
  measure::ResultTable table;
  table.column(measure::for_people(), "", rows, name, {.screen = {"trade-off"}})
      .column("strategy", "", rows, &Point::strategy, {.page = {"strategy", measure::Look::words()}})
      .column("brick_size", "voxels", rows, side_of<Point>)
      .column("replaced", "bricks", rows, &Point::replaced,
              {.screen = {"replaced", measure::Look::count()},
               .page = {"replaced", measure::Look::count(), "bricks"}})
      .column("bytes", "bytes", rows, &Point::bytes,
              {.screen = {"bytes", measure::Look::bytes()}, .page = {"size", measure::Look::mib(), "MiB"}})
      .column(measure::for_people(), "ms", rows, milliseconds,
              {.screen = {"mean 3³ ms", measure::Look::fixed(3)},
               .page = {"time", measure::Look::fixed(3), "ms"}});
  add_times(table, rows);
  return table;
}

measure::ResultTable rows_table(const BricksBenchRun& run) {
  const std::vector<BricksRow>& rows = run.result.rows;
  measure::ResultTable table;
  table.column("types", "", rows, &BricksRow::types)
      .column("brick_size", "voxels", rows, side_of<BricksRow>)
      .column("access", "", rows,
              [](const BricksRow& row) { return measure::kAccessNames[static_cast<size_t>(row.access)]; })
      .column("loop", "", rows, &BricksRow::loop)
      .column("filter", "voxels", rows, &BricksRow::filter);
  add_times(table, rows);
  table.column("lookups", "", rows, &BricksRow::lookups)
      .column("lookups_per_second", "1/s", rows, &BricksRow::lookups_per_second)
      .column("bytes", "bytes", rows, &BricksRow::bytes);
  return table;
}

std::string volume_text(const measure::BricksBenchResult& result) {
  const volume::VolumeInfo& info = result.info;
  const auto sides = [](Int3 size) { return fmt::format("{} x {} x {}", size.x, size.y, size.z); };
  const bool whole = info.size == result.volume_size;
  return fmt::format(
      "{} voxels of {}{}, {} filled", sides(info.size), volume::value_type_name(info.type),
      whole ? "" : fmt::format(" in the middle of {}", sides(result.volume_size)),
      format_percent(static_cast<double>(result.filled) / static_cast<double>(info.box().voxels())));
}

std::string table_text(const BricksBenchRun& run) {
  const std::vector<measure::BricksTradeOffRow>& trade_off = run.result.trade_off;
  return fmt::format("{}, {}, on {}\n{}\n{}\n{}{}", run.result.info.source, volume_text(run.result),
                     run.device_text,
                     run.result.interrupted ? "interrupted: what was measured until then\n" : "",
                     sets_text(run.result), rates_text(run.result.rows),
                     trade_off.empty() ? "" : "\n" + text_table(trade_off_table(trade_off)).text());
}

measure::ResultGroup results_of(const BricksBenchRun& run) {
  const volume::VolumeInfo& info = run.result.info;
  measure::ResultGroup results;
  set_run(results, run);
  measure::ResultGroup& bricks = results.group({".", "bricks"});
  bricks.set("source", info.source)
      .set("voxels", info.box().voxels(), "voxels")
      .set("filled", run.result.filled, "voxels")
      .set("dense_bytes", info.bytes(), "bytes")
      .set(measure::in_json("value_type"), volume::value_type_name(info.type))
      .set("volume_voxels", VoxelBox{{0, 0, 0}, run.result.volume_size}.voxels(), "voxels")
      .set("gathers", run.result.sizes.gathers)
      .set("picture", run.result.sizes.picture, "pixels")
      .set("repetitions", run.result.sizes.repetitions)
      .set("interrupted", run.result.interrupted)
      .set("seconds", run.result.seconds, "s");
  bricks.put("sets", sets_table(run.result.sets));
  bricks.put("rows", rows_table(run));
  bricks.put("trade_off", trade_off_table(run.result.trade_off));
  return results;
}

}  // namespace vox
