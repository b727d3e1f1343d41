// Bricks on the page that vox-stats writes.
#include <fmt/format.h>

#include <algorithm>

#include "libvox/base/units.h"
#include "tools/common/report_cells.h"
#include "tools/vox-stats/bricks.h"

namespace vox {
namespace {

void add_types(HtmlPage& page, const FrozenBricks& bricks) {
  BarChart chart = {.title = "Share of each type of bricks",
                    .description = "For each type its share of the bricks, and of their bytes, in per cent",
                    .unit = "%",
                    .series = {{"bricks", {}}, {"bytes", {}}}};
  HtmlTable table({{"type", "", HtmlTable::Kind::Name}, {"bricks"}, {"of all", "%"}, {"size", "bytes"}});
  const auto all = static_cast<double>(std::max<uint64_t>(1, bricks.bricks()));
  const auto bytes = static_cast<double>(std::max<uint64_t>(1, bricks.bytes()));
  for (uint32_t type = 0; type < kBrickTypeCount; ++type) {
    const uint64_t size = bricks.type_bytes(type);
    const double share = static_cast<double>(bricks.counts[type]) / all * 100;
    const std::string name(BrickTypes::kNames[type]);
    chart.rows.push_back(name);
    chart.series[0].values.push_back(share);
    chart.series[1].values.push_back(static_cast<double>(size) / bytes * 100);
    table.row({name, count_cell(bricks.counts[type]), number_cell(share, 1), count_cell(size)});
  }
  const uint64_t root = bricks.root.size() * sizeof(uint32_t);
  chart.rows.push_back("root grid");
  chart.series[0].values.push_back(0);
  chart.series[1].values.push_back(static_cast<double>(root) / bytes * 100);
  table.row({"root grid", "", "", count_cell(root)});
  table.total({"all", count_cell(bricks.bricks()), number_cell(100, 1), count_cell(bricks.bytes())});
  page.figure(fmt::format("Types of the bricks of {0} × {0} × {0} voxels", bricks.shape().side()),
              "Each brick has the form that takes least memory.", draw(chart), table);
}

void add_sizes(HtmlPage& page, const BricksStats& stats) {
  BarChart chart = {
      .title = "Size for each side of the bricks",
      .description =
          "For each side of the bricks what the sets of types take, in per cent of the dense volume",
      .unit = "% of the dense volume"};
  const auto dense = static_cast<double>(std::max<uint64_t>(1, stats.bricks.info.bytes()));
  std::vector<HtmlTable::Column> columns = {{"side", "voxels", HtmlTable::Kind::Name}};
  for (const BrickTypesRow& row : stats.rows) {
    chart.series.push_back({row.name, {}});
    columns.push_back({row.name, "bytes"});
  }
  columns.push_back({"thesis", "bytes"});
  HtmlTable table(std::move(columns));
  for (size_t size = 0; size < stats.rows[0].sizes.size(); ++size) {
    const BrickTotals& first = stats.rows[0].sizes[size];
    const std::string side = std::to_string(1u << first.log2_side);
    chart.rows.push_back(side);
    std::vector<HtmlCell> cells = {side};
    for (size_t row = 0; row < stats.rows.size(); ++row) {
      const uint64_t bytes = stats.rows[row].sizes[size].total_bytes();
      chart.series[row].values.push_back(static_cast<double>(bytes) / dense * 100);
      cells.push_back(count_cell(bytes));
    }
    cells.push_back(count_cell(first.thesis_bytes));
    table.row(std::move(cells));
  }
  page.figure("What other sides and types would take",
              fmt::format("Bricks of one type beside empty ones, of the thesis's four, and of all. The dense "
                          "volume has {}.",
                          format_bytes(stats.bricks.info.bytes())),
              draw(chart), table);
}

// Of all types.
void add_shares(HtmlPage& page, const BricksStats& stats) {
  BarChart chart = {.title = "Types for each side of the bricks",
                    .description = "For each side of the bricks the share of each type, in per cent",
                    .unit = "% of the volume",
                    .bars = BarChart::Bars::EndToEnd};
  std::vector<HtmlTable::Column> columns = {{"side", "voxels", HtmlTable::Kind::Name}};
  for (const std::string_view name : BrickTypes::kNames) {
    chart.series.push_back({std::string(name), {}});
    columns.push_back({std::string(name), "%"});
  }
  HtmlTable table(std::move(columns));
  for (const BrickTotals& totals : stats.rows.back().sizes) {
    const std::string side = std::to_string(1u << totals.log2_side);
    chart.rows.push_back(side);
    std::vector<HtmlCell> cells = {side};
    for (uint32_t type = 0; type < kBrickTypeCount; ++type) {
      const double share = 100 * share_of(type, totals);
      chart.series[type].values.push_back(share);
      cells.push_back(number_cell(share, 1));
    }
    table.row(std::move(cells));
  }
  page.figure("Types of other sides", "What the bricks would be, where all types are allowed.", draw(chart),
              table);
}

void add_forms(HtmlPage& page, const BricksStats& stats) {
  if (!stats.svdag_bytes) return;
  BarChart chart = {.title = "Bricks beside the SVDAG",
                    .description = "A bar for the bricks and one for the SVDAG: bits for each filled voxel",
                    .unit = "bits a filled voxel",
                    .series = {{"size", {}}}};
  HtmlTable table({{"form", "", HtmlTable::Kind::Words},
                   {"size", "bytes"},
                   {"a filled voxel", "bits"},
                   {"of the SVDAG", "×"}});
  for (const SceneSize& form : stats.forms()) {
    const double bits = bits_per_voxel(form, stats.bricks.filled);
    chart.rows.push_back(form.text);
    chart.series[0].values.push_back(bits);
    chart.notes.push_back(format_bytes(form.bytes));
    table.row(
        {form.text, count_cell(form.bytes), number_cell(bits, 3), number_cell(stats.to_svdag(form), 2)});
  }
  page.figure("Beside the SVDAG of the same voxels", "What access to each needs in memory.", draw(chart),
              table);
}

}  // namespace

void add_bricks(HtmlPage& page, const BricksStats& stats) {
  page.section("Bricks").facts(
      {{"filled", fmt::format("{:.2f} % of the volume", 100 * stats.filled_share())},
       {"bytes", fmt::format("{}, {:.1f} % of the dense volume", format_bytes(stats.bricks.bytes()),
                             100 * stats.dense_share())},
       {"overhead", fmt::format("{:.2f} bits for each filled voxel", stats.overhead_bits())}});
  add_forms(page, stats);
  add_types(page, stats.bricks);
  add_sizes(page, stats);
  add_shares(page, stats);
}

}  // namespace vox
