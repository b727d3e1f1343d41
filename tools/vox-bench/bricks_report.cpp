#include "tools/vox-bench/reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "formats/results/views.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/results.h"

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

ResultTable sets_table(const measure::BricksBenchResult& result) {
  const std::vector<Set>& sets = result.sets;
  const auto jit = [](auto value) { return member_of(&Set::jit, value); };
  ResultTable table;
  table.column("types", "", sets, &Set::types, "The set of brick types.")
      .column("brick_size", "voxels", sets, side_of<Set>, "Side of a brick.")
      .column("bricks", "", sets, &Set::bricks, "Number of bricks.")
      .column("bytes", "bytes", sets, &Set::bytes, "Size of the bricks.")
      .column("build_ms", "ms", sets, in_ms(&Set::build_seconds), "Time of making the bricks.")
      .column(for_people("of_dense"), "1", sets, [&](const Set& set) {
        return static_cast<double>(set.bytes) / static_cast<double>(result.info.bytes());
      });
  for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type)
    table.column(
        std::string(bricks::BrickTypes::kNames[type]), "bricks", sets,
        [&](const Set& set) { return set.counts[type]; }, "Number of bricks of this type.");
  table
      .column("compiled", "", sets, jit(&bricks::JitReport::compiled),
              "1 if the code is compiled; 0 if the tree is interpreted or not asked for.")
      .column("leaves", "", sets, jit(&bricks::JitReport::leaves), "Number of the kd-tree's leaves.")
      .column("mixed_leaves", "", sets, jit(&bricks::JitReport::mixed),
              "Number of leaves with bricks of several types.")
      .column("depth", "", sets, jit(&bricks::JitReport::depth), "Depth of the kd-tree.")
      .column("kd_ms", "ms", sets, in_ms(jit(&bricks::JitReport::tree_seconds)),
              "Time of making the kd-tree.")
      .column("compile_ms", "ms", sets, in_ms(jit(&bricks::JitReport::compile_seconds)),
              "Time of compiling its code.")
      .column("source_bytes", "bytes", sets, jit(&bricks::JitReport::source_bytes),
              "Size of the code that is compiled.");
  return table;
}

std::string name_of(const ResultRow& row) {
  if (row.word("access") == measure::kAccessNames[static_cast<size_t>(bricks::Access::Dense)])
    return "dense array";
  return fmt::format("{:>2}³ {:<6} {}", row.text("brick_size"), row.word("types"), row.word("access"));
}

std::string loop_of(const ResultRow& row) {
  if (row.word("loop") == "cast") return "cast, M rays/s";
  return row.number("filter") > 0 ? "mean " + row.text("filter") + "³" : row.word("loop");
}

Look rate_of(const ResultRow& row) {
  return Look::fixed(2, row.word("loop") == "cast" ? 1e-6 : 1e-9);
}

// The rates, with a line for each way to read.
const LineView kRateLines = {.line = name_of, .parts = [](const ResultRow& row) {
                               return std::vector<LinePart>{
                                   {0, "G lookups/s", name_of(row)},
                                   {1, loop_of(row), row.text("lookups_per_second", rate_of(row))}};
                             }};

// The sizes, with a line for each set.
std::vector<LinePart> parts_of_set(const ResultRow& row) {
  const bool tree = row.number("leaves") > 0;
  const auto of_tree = [&](const char* column, const Look& look) {
    return tree ? row.text(column, look) : "";
  };
  return {{0, "bricks", fmt::format("{:>2}³ {}", row.text("brick_size"), row.word("types"))},
          {0, "number", row.text("bricks", Look::count())},
          {0, "bytes", row.text("bytes", Look::bytes())},
          {0, "of dense", format_percent(row.number("of_dense"))},
          {0, "build ms", row.text("build_ms", Look::fixed(1))},
          {0, "kd leaves", of_tree("leaves", Look::count())},
          {0, "depth", of_tree("depth", {})},
          {0, "kd ms", of_tree("kd_ms", Look::fixed(1))},
          {0, "compile ms",
           tree && row.number("compiled") == 0 ? "interpreted" : of_tree("compile_ms", Look::fixed(1))}};
}
const LineView kSetLines = {.line = [](const ResultRow& row) { return std::to_string(row.index()); },
                            .parts = parts_of_set};

ResultTable trade_off_table(const std::vector<measure::BricksTradeOffRow>& rows) {
  using Point = measure::BricksTradeOffRow;
  const auto name = [](const Point& row) { return fmt::format("{:>2}³ {}", side_of(row), row.strategy); };
  ResultTable table;
  table.column(for_people(), "", rows, name, {.screen = {"trade-off"}})
      .column("strategy", "", rows, &Point::strategy, {.page = {"strategy", Look::words()}},
              "The rule by which bricks are replaced by dense ones.")
      .column("brick_size", "voxels", rows, side_of<Point>, "Side of a brick.")
      .column("replaced", "bricks", rows, &Point::replaced,
              {.screen = {"replaced", Look::count()}, .page = {"replaced", Look::count(), "bricks"}},
              "Number of bricks that are replaced.")
      .column("bytes", "bytes", rows, &Point::bytes,
              {.screen = {"bytes", Look::bytes()}, .page = {"size", Look::mib(), "MiB"}},
              "Size of all bricks then.")
      .column(for_people(), "ms", rows, in_ms(&Point::time),
              {.screen = {"mean 3³ ms", Look::fixed(3)}, .page = {"time", Look::fixed(3), "ms"}});
  add_times(table, rows);
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

}  // namespace

ResultTable rows_table(const BricksBenchRun& run) {
  const std::vector<BricksRow>& rows = run.result.rows;
  ResultTable table;
  table.column("types", "", rows, &BricksRow::types, "The set of brick types, or `array`.")
      .column("brick_size", "voxels", rows, side_of<BricksRow>, "Side of a brick; 0 for the array.")
      .column(
          "access", "", rows,
          [](const BricksRow& row) { return measure::kAccessNames[static_cast<size_t>(row.access)]; },
          "The way of reading: `array`, `direct`, `kd` or `jit`.")
      .column("loop", "", rows, &BricksRow::loop, "The loop: `mean`, `random`, `morton` or `cast`.")
      .column("filter", "voxels", rows, &BricksRow::filter, "Side of the box that `mean` looks at.");
  add_times(table, rows);
  table
      .column("lookups", "", rows, &BricksRow::lookups,
              "Number of lookups in a repetition; for `cast` the number of rays.")
      .column("lookups_per_second", "1/s", rows, &BricksRow::lookups_per_second,
              "Lookups per second, by the median.")
      .column("bytes", "bytes", rows, &BricksRow::bytes, "Size of what is read.");
  return table;
}

std::string table_text(const BricksBenchRun& run) {
  const std::vector<measure::BricksTradeOffRow>& trade_off = run.result.trade_off;
  const ResultTable sets = sets_table(run.result), rows = rows_table(run);
  return fmt::format(
      "{}, {}, on {}\n{}\n{}\n{}{}", run.result.info.source, volume_text(run.result), run.device_text,
      run.result.interrupted ? "interrupted: what was measured until then\n" : "",
      line_table(rows_of(sets), kSetLines).text(), line_table(rows_of(rows), kRateLines).text(),
      trade_off.empty() ? "" : "\n" + text_table(trade_off_table(trade_off)).text());
}

void set_results(ResultGroup& bricks, const BricksBenchRun& run) {
  const volume::VolumeInfo& info = run.result.info;
  bricks.set("source", info.source, "The file that was read.")
      .set("voxels", info.box().voxels(), "voxels", "Number of voxels of the box that is measured.")
      .set("filled", run.result.filled, "voxels", "Number of filled voxels in it.")
      .set("dense_bytes", info.bytes(), "bytes", "Size of the box as an array.")
      .set(in_json("value_type"), volume::value_type_name(info.type), "Type of a voxel's value.")
      .set("volume_voxels", VoxelBox{{0, 0, 0}, run.result.volume_size}.voxels(), "voxels",
           "Number of voxels of the whole volume.")
      .set("gathers", run.result.sizes.gathers, "",
           "Number of reads in a repetition of `random` and `morton`.")
      .set("picture", run.result.sizes.picture, "pixels",
           "Number of rays along a side of the picture of `cast`.")
      .set("repetitions", run.result.sizes.repetitions, "", "Number of repetitions.")
      .set("interrupted", run.result.interrupted,
           "True if the benchmark was interrupted, so that rows are missing.")
      .set("seconds", run.result.seconds, "s", "Time of the whole benchmark.");
  bricks.put("sets", sets_table(run.result));
  bricks.put("rows", rows_table(run));
  bricks.put("trade_off", trade_off_table(run.result.trade_off));
}

namespace {

// The page that vox-bench bricks writes with --html.

std::string way_of(const ResultRow& row) {
  return row.word("types") + ", " + row.word("access");
}

std::string loop_title(const ResultRow& row) {
  const std::string& loop = row.word("loop");
  if (loop == "cast") return "Rays through the volume";
  if (loop == "mean") return fmt::format("Mean filter of {0} × {0} × {0} voxels", row.text("filter"));
  return loop == "random" ? "Voxels at random" : "Voxels in Morton order";
}

// Adds a figure for each loop, with a line for each way to read bricks.
void add_rates(HtmlPage& page, const ResultTable& table) {
  const FigureAxis axis = {
      .column = "brick_size", .title = "voxels a side of a brick", .scale = ChartScale::Even};
  const auto range = [](const ResultRow& row) { return range_of_rates(row, "lookups"); };
  for (const std::string& title : texts_of(rows_of(table), loop_title)) {
    ResultRows bricks = rows_with(rows_of(table), loop_title, title);
    const ResultRow array = bricks.front();  // the loop over the dense array comes first
    std::erase_if(bricks, [](const ResultRow& row) { return row.number("brick_size") == 0; });
    if (bricks.empty()) continue;  // the run was interrupted after the dense array
    const std::string unit = array.word("loop") == "cast" ? "M rays/s" : "G lookups/s";
    const std::string caption = fmt::format(
        "Higher is faster. Median of the repetitions, with the fastest and the slowest. The dense array: {} "
        "{}.",
        array.text("lookups_per_second", rate_of(array)), unit);
    add_line_figure(page, title, bricks, axis, way_of,
                    {.column = "lookups_per_second",
                     .unit = unit,
                     .caption = caption,
                     .look = rate_of(array),
                     .range = range});
  }
}

// Adds a chart for each size of bricks, with a line for each strategy.
void add_trade_off(HtmlPage& page, const measure::BricksBenchResult& result) {
  if (result.trade_off.empty()) return;
  page.section("Memory against speed");
  std::set<uint32_t> log2_sides;
  for (const measure::BricksTradeOffRow& row : result.trade_off) log2_sides.insert(row.log2_side);
  for (const uint32_t log2_side : log2_sides) {
    const std::string title = fmt::format("Bricks of {0} × {0} × {0} voxels", 1u << log2_side),
                      caption =
                          "Bricks replaced by dense ones, by several strategies: further down is faster.";
    LineChart chart = {.title = title,
                       .description = caption,
                       .x_title = "% of the dense volume",
                       .y_title = "ms, mean filter of 3³"};
    std::vector<measure::BricksTradeOffRow> rows;
    std::ranges::copy_if(result.trade_off, std::back_inserter(rows),
                         [&](const measure::BricksTradeOffRow& row) { return row.log2_side == log2_side; });
    for (const measure::BricksTradeOffRow& row : rows) {
      if (chart.series.empty() || chart.series.back().name != row.strategy)
        chart.series.push_back({row.strategy, {}});
      chart.series.back().points.push_back(
          {100 * static_cast<double>(row.bytes) / static_cast<double>(result.info.bytes()),
           row.time.median * 1e3, row.time.min * 1e3, row.time.max * 1e3});
    }
    page.figure(title, caption, draw(chart), page_table(trade_off_table(rows)));
  }
}

// Returns the cells of the kd-tree, which some sets lack.
CellOfRow cell_of_tree(const std::string& column, const Look& look) {
  return [=](const ResultRow& row) { return row.number("leaves") > 0 ? row.cell(column, look) : HtmlCell(); };
}

void add_sizes(HtmlPage& page, const ResultTable& sets) {
  const auto compilation = [](const ResultRow& row) {
    return row.number("leaves") > 0 && row.number("compiled") == 0
               ? HtmlCell("interpreted")
               : cell_of_tree("compile_ms", Look::fixed(1))(row);
  };
  page.section("Bricks").table(
      "Sizes, and what it takes to make them and their code",
      page_table(rows_of(sets), {{{"side", "voxels", HtmlTable::Kind::Words}, cell_in("brick_size")},
                                 {{"types", "", HtmlTable::Kind::Words}, cell_in("types")},
                                 {{"bricks"}, cell_in("bricks", Look::count())},
                                 {{"size", "MiB"}, cell_in("bytes", Look::mib())},
                                 {{"of dense", "%"}, cell_in("of_dense", Look::fixed(2, 100))},
                                 {{"construction", "ms"}, cell_in("build_ms", Look::fixed(1))},
                                 {{"kd leaves"}, cell_of_tree("leaves", Look::count())},
                                 {{"depth"}, cell_of_tree("depth", Look::count())},
                                 {{"kd tree", "ms"}, cell_of_tree("kd_ms", Look::fixed(1))},
                                 {{"compilation", "ms"}, compilation}}));
}

}  // namespace

HtmlPage page_of(const BricksBenchRun& run) {
  HtmlPage page(fmt::format("Bricks of {}", run.result.info.source),
                fmt::format("{}, on {}. Measured in {}.{}", volume_text(run.result), run.device_text,
                            format_seconds(run.result.seconds),
                            run.result.interrupted ? " Interrupted: what was measured until then." : ""));
  page.section("Reading");
  add_rates(page, rows_table(run));
  add_trade_off(page, run.result);
  add_sizes(page, sets_table(run.result));
  return page;
}

}  // namespace vox
