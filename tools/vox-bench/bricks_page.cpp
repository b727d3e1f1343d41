// The page that vox-bench bricks writes with --html.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "formats/results/page_table.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/bricks_report.h"

namespace vox {
namespace {

using BricksRow = measure::BricksBenchRow;
using Set = measure::BricksBenchSet;

std::string series_of(const BricksRow& row) {
  return fmt::format("{}, {}", row.types, measure::kAccessNames[static_cast<size_t>(row.access)]);
}

// The measurements of one loop, with a line for each way to read bricks.
class Lines {
 public:
  explicit Lines(const measure::BricksBenchResult& result) {
    for (const Set& set : result.sets) sides_.insert(1u << set.log2_side);
  }

  void add(const BricksRow& row) {
    if (row.access == bricks::Access::Dense)
      array_ = &row;
    else
      add(series_of(row), 1u << row.log2_side, row);
  }

  bool empty() const { return series_.empty(); }

  // `scale` is the rate's unit.
  void figure(HtmlPage& page, const std::string& title, const std::string& unit, double scale) const {
    const std::string caption = fmt::format(
        "Higher is faster. Median of the repetitions, with the fastest and the slowest. The dense array: "
        "{:.2f} {}.",
        array_->lookups_per_second() / scale, unit);
    LineChart chart = {.title = title,
                       .description = caption,
                       .x_title = "voxels a side of a brick",
                       .y_title = unit,
                       .x_scale = ChartScale::Even};
    std::vector<HtmlTable::Column> columns = {{"side", "voxels", HtmlTable::Kind::Words}};
    for (const auto& [name, rows] : series_) {
      columns.push_back({name, unit});
      LineChart::Series& line = chart.series.emplace_back(LineChart::Series{name, {}});
      for (const auto& [side, row] : rows) {
        const auto rate = [&](double seconds) { return static_cast<double>(row->lookups) / seconds / scale; };
        line.points.push_back(
            {static_cast<double>(side), rate(row->time.median), rate(row->time.max), rate(row->time.min)});
      }
    }
    HtmlTable table(std::move(columns));
    for (const uint32_t side : sides_) {
      std::vector<HtmlCell> cells = {std::to_string(side)};
      for (const auto& [name, rows] : series_) {
        const auto found = std::ranges::find(rows, side, &Point::first);
        cells.push_back(found == rows.end() ? HtmlCell()
                                            : number_cell(found->second->lookups_per_second() / scale, 2));
      }
      table.row(std::move(cells));
    }
    page.figure(title, caption, draw(chart), table);
  }

 private:
  using Point = std::pair<uint32_t, const BricksRow*>;

  void add(const std::string& name, uint32_t side, const BricksRow& row) {
    auto found = std::ranges::find(series_, name, [](const auto& series) { return series.first; });
    if (found == series_.end()) found = series_.insert(found, {name, {}});
    found->second.emplace_back(side, &row);
    std::ranges::sort(found->second, {}, &Point::first);
  }

  std::set<uint32_t> sides_;
  const BricksRow* array_ = nullptr;  // the row of the dense array, which always exists
  std::vector<std::pair<std::string, std::vector<Point>>> series_;
};

void add_rates(HtmlPage& page, const measure::BricksBenchResult& result) {
  std::vector<std::pair<std::string, uint32_t>> loops;
  for (const BricksRow& row : result.rows)
    if (const std::pair loop = {row.loop, row.filter}; std::ranges::find(loops, loop) == loops.end())
      loops.push_back(loop);
  for (const auto& [loop, filter] : loops) {
    Lines lines(result);
    for (const BricksRow& row : result.rows)
      if (row.loop == loop && row.filter == filter) lines.add(row);
    if (lines.empty()) continue;  // the run was interrupted after the dense array
    if (loop == "cast")
      lines.figure(page, "Rays through the volume", "M rays/s", 1e6);
    else if (filter > 0)
      lines.figure(page, fmt::format("Mean filter of {0} × {0} × {0} voxels", filter), "G lookups/s", 1e9);
    else
      lines.figure(page, loop == "random" ? "Voxels at random" : "Voxels in Morton order", "G lookups/s",
                   1e9);
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

void add_sizes(HtmlPage& page, const measure::BricksBenchResult& result) {
  HtmlTable table({{"side", "voxels", HtmlTable::Kind::Words},
                   {"types", "", HtmlTable::Kind::Words},
                   {"bricks"},
                   {"size", "MiB"},
                   {"of dense", "%"},
                   {"construction", "ms"},
                   {"kd leaves"},
                   {"depth"},
                   {"kd tree", "ms"},
                   {"compilation", "ms"}});
  for (const Set& set : result.sets) {
    std::vector<HtmlCell> cells = {
        std::to_string(1u << set.log2_side),
        set.types,
        count_cell(set.bricks),
        mib_cell(set.bytes),
        number_cell(100 * static_cast<double>(set.bytes) / static_cast<double>(result.info.bytes()), 2),
        number_cell(set.build_seconds * 1e3, 1)};
    if (set.jit.leaves > 0)
      cells.insert(
          cells.end(),
          {count_cell(set.jit.leaves), count_cell(set.jit.depth), number_cell(set.jit.tree_seconds * 1e3, 1),
           set.jit.compiled ? number_cell(set.jit.compile_seconds * 1e3, 1) : HtmlCell("interpreted")});
    table.row(std::move(cells));
  }
  page.section("Bricks").table("Sizes, and what it takes to make them and their code", table);
}

}  // namespace

HtmlPage page_of(const BricksBenchRun& run) {
  HtmlPage page(fmt::format("Bricks of {}", run.result.info.source),
                fmt::format("{}, on {}. Measured in {}.{}", volume_text(run.result), run.device_text,
                            format_seconds(run.result.seconds),
                            run.result.interrupted ? " Interrupted: what was measured until then." : ""));
  page.section("Reading");
  add_rates(page, run.result);
  add_trade_off(page, run.result);
  add_sizes(page, run.result);
  set_run(page, run);
  return page;
}

}  // namespace vox
