// The page that vox-stats writes with --html: the numbers of the other reports, with pictures.
#include <fmt/format.h>

#include <algorithm>

#include "libvox/base/units.h"
#include "tools/common/bricks_report.h"
#include "tools/common/report_cells.h"
#include "tools/common/scene_report.h"
#include "tools/common/text_table.h"
#include "tools/vox-stats/stats.h"

namespace vox {
namespace {

constexpr double kMiB = 1024 * 1024;

void add_scene(HtmlPage& page, const SceneStats& stats) {
  const VoxelBox& box = stats.dag->filled;
  if (stats.picture)
    page.picture(stats.picture->image, fmt::format("The scene from its default view. Digest {}.",
                                                   to_string(stats.scene.dag.digest)));
  else
    page.paragraph("The scene is empty: no voxel is filled, there is nothing to see.");
  HtmlPage::Facts facts = scene_facts(stats.scene);
  if (!box.empty())
    facts.emplace_back("filled box",
                       fmt::format("x {} to {}, y {} to {}, z {} to {}", box.min.x, box.max.x - 1, box.min.y,
                                   box.max.y - 1, box.min.z, box.max.z - 1));
  page.section("Scene").facts(facts);
}

// Better ones than the colours themselves.
bool has_names(const Palette& palette) {
  for (uint32_t i = 0; i < palette.count; ++i)
    if (palette.names[i] != hex_name(palette.colors[i])) return true;
  return false;
}

void add_materials(HtmlPage& page, const SceneStats& stats) {
  BarChart chart = {
      .title = "Share of each material",
      .description = "One bar for each palette entry, in its colour: per cent of the filled voxels",
      .unit = "% of the filled voxels",
      .series = {{"share", {}}}};
  const Palette& palette = stats.scene.palette;
  std::vector<HtmlTable::Column> columns = {{"material", "", HtmlTable::Kind::Name},
                                            {"colour", "", HtmlTable::Kind::Words},
                                            {"voxels"},
                                            {"share", "%"}};
  if (has_names(palette)) columns.push_back({"name", "", HtmlTable::Kind::Words});
  HtmlTable table(std::move(columns));
  const auto all = static_cast<double>(std::max<uint64_t>(1, stats.dag->voxels));
  for (uint32_t i = 0; i < kPaletteSize; ++i) {
    const uint64_t voxels = stats.dag->material_voxels[i];
    if (i >= palette.count && voxels == 0) continue;
    const double share = static_cast<double>(voxels) / all * 100;
    chart.rows.push_back(std::to_string(i));
    chart.series[0].values.push_back(share);
    chart.notes.push_back(fmt::format("{:.1f}", share));
    chart.colors.push_back(hex_name(palette.colors[i]));
    HtmlCell color = hex_name(palette.colors[i]);
    color.swatch = palette.colors[i];
    table.row({std::to_string(i), color, count_cell(voxels), number_cell(share, 1), palette.names[i]});
  }
  page.section("Palette").figure("Materials", "How much of the scene has which colour.", draw(chart), table);
}

std::vector<HtmlCell> level_cells(const std::string& side, const LevelStats& level) {
  return {side, count_cell(level.svo_nodes), count_cell(level.unique_nodes),
          number_cell(level.reduction(), 2), mib_cell(level.words * 4)};
}

void add_levels(HtmlPage& page, const FrozenDag& dag, const DagStats& stats, const std::string& title,
                const std::string& caption) {
  BarChart chart = {.title = title,
                    .description =
                        "For each level its unique nodes, those of the octree, and how many octree nodes "
                        "there are for each unique one",
                    .unit = "nodes (logarithmic)",
                    .scale = ChartScale::Log,
                    .series = {{"unique nodes", {}}, {"octree nodes", {}}}};
  HtmlTable table({{"side", "voxels", HtmlTable::Kind::Name},
                   {"octree nodes"},
                   {"unique nodes"},
                   {"reduction", "×"},
                   {"size", "MiB"}});
  for (uint32_t i = 0; i < stats.levels.size(); ++i) {
    const LevelStats& level = stats.levels[i];
    const std::string side = std::to_string(dag.level_side(i));
    chart.rows.push_back(side);
    chart.notes.push_back(fmt::format("{:.2f}×", level.reduction()));
    chart.series[0].values.push_back(static_cast<double>(level.unique_nodes));
    chart.series[1].values.push_back(static_cast<double>(level.svo_nodes));
    table.row(level_cells(side, level));
  }
  table.total(level_cells("all", stats.all_levels()));
  page.figure(title, caption, draw(chart), table);
}

void add_levels(HtmlPage& page, const SceneStats& stats) {
  page.section("Deduplication");
  add_levels(page, stats.scene.dag, *stats.dag, "Nodes of each level",
             "By the side of a node's cube; 4 are the leaves. The further the two bars of a level are apart, "
             "the more "
             "is shared: how many octree nodes there are for each unique one is said beside them.");
  if (stats.geometry)
    add_levels(page, stats.scene.dag, *stats.geometry, "The same without materials",
               "Leaves reduced to which voxels are filled, and deduplicated again: what colours cost.");
}

void add_sizes(HtmlPage& page, const SceneStats& stats) {
  BarChart chart = {.title = "Size of the scene in other forms",
                    .description = "A bar for each form, in MiB",
                    .unit = "MiB (logarithmic)",
                    .scale = ChartScale::Log,
                    .series = {{"size", {}}}};
  HtmlTable table({{"form", "", HtmlTable::Kind::Words}, {"size", "MiB"}, {"a filled voxel", "bits"}});
  for (const SceneSize& size : stats.sizes) {
    const double bits = bits_per_voxel(size, stats.scene.dag.voxels);
    chart.rows.push_back(size.text);
    chart.series[0].values.push_back(static_cast<double>(size.bytes) / kMiB);
    chart.notes.push_back(format_bytes(size.bytes));
    table.row({size.text, mib_cell(size.bytes), number_cell(bits, 3)});
  }
  page.section("Sizes").figure("The same voxels in other forms", "What each form takes in memory.",
                               draw(chart), table);
}

// Of the tables of one load factor: a column for each, a row for each figure.
class MemoryTable {
 public:
  explicit MemoryTable(std::vector<const TableReport*> reports) {
    for (const TableReport* report : reports) {
      reports_.push_back(report);
      memory_.push_back(sum(report->sizes));
    }
  }

  Chart chart(const SceneStats& stats) const {
    BarChart chart = {
        .title = "Memory of each hash table",
        .description = "For each table what it takes, divided by purpose",
        .unit = "MiB",
        .bars = BarChart::Bars::EndToEnd,
        .mark = BarChart::Mark{"nodes and leaves alone", static_cast<double>(stats.dag_bytes()) / kMiB}};
    for (size_t i = 0; i < kPurposesOfTotal; ++i) chart.series.push_back({kMemoryPurposes[i].name, {}});
    for (size_t table = 0; table < reports_.size(); ++table) {
      chart.rows.push_back(reports_[table]->table);
      chart.notes.push_back(format_mib(memory_[table].total_bytes()));
      for (size_t i = 0; i < kPurposesOfTotal; ++i)
        chart.series[i].values.push_back(static_cast<double>(memory_[table].*kMemoryPurposes[i].bytes) /
                                         kMiB);
    }
    return draw(chart);
  }

  HtmlTable table(const SceneStats& stats) const {
    std::vector<HtmlTable::Column> columns = {{"", "", HtmlTable::Kind::Name}};
    for (const TableReport* report : reports_) columns.push_back({report->table});
    HtmlTable table(std::move(columns));
    for (size_t i = 0; i < kMemoryPurposes.size(); ++i) {
      if (i == kPurposesOfTotal) add_totals(table, stats);
      table.row(row(row_head(kMemoryPurposes[i].name, "MiB"),
                    [&](size_t each) { return mib_cell(memory_[each].*kMemoryPurposes[i].bytes); }));
    }
    table.total(row(row_head("allocated", "MiB"),
                    [&](size_t each) { return mib_cell(memory_[each].allocated_bytes()); }));
    table.row(row(row_head("chain, mean", "slabs"),
                  [&](size_t each) { return number_cell(slabs_a_bucket(memory_[each]), 2); }));
    table.row(row(row_head("chain, longest", "slabs"),
                  [&](size_t each) { return count_cell(longest_chain(memory_[each])); }));
    table.row(row(row_head("built in", "s"),
                  [&](size_t each) { return number_cell(reports_[each]->build_seconds, 2); }));
    return table;
  }

 private:
  std::vector<HtmlCell> row(HtmlCell name, const auto& cell) const {
    std::vector<HtmlCell> cells = {std::move(name)};
    for (size_t table = 0; table < reports_.size(); ++table) cells.push_back(cell(table));
    return cells;
  }
  void add_totals(HtmlTable& table, const SceneStats& stats) const {
    table.total(
        row(row_head("total", "MiB"), [&](size_t each) { return mib_cell(memory_[each].total_bytes()); }));
    table.row(row(row_head("overhead", "%"),
                  [&](size_t each) { return number_cell(overhead(stats, memory_[each]) * 100, 1); }));
    table.row(row(row_head("predicted total", "MiB"),
                  [&](size_t each) { return mib_cell(sum(reports_[each]->prediction).total_bytes()); }));
  }

  std::vector<const TableReport*> reports_;
  std::vector<TableMemory> memory_;
};

void add_memory(HtmlPage& page, const SceneStats& stats) {
  page.section("Hash tables");
  std::vector<uint32_t> load_factors;
  for (const TableReport& report : stats.tables)
    if (std::ranges::find(load_factors, report.load_factor) == load_factors.end())
      load_factors.push_back(report.load_factor);
  for (const uint32_t load_factor : load_factors) {
    std::vector<const TableReport*> reports;
    for (const TableReport& report : stats.tables)
      if (report.load_factor == load_factor) reports.push_back(&report);
    const MemoryTable memory(std::move(reports));
    page.figure(
        fmt::format("Memory with {} items a bucket", load_factor),
        fmt::format("What each table takes that holds the scene, measured on {}: what is right of the dashed "
                    "line is overhead. Bitmaps and slack, which the allocator holds besides, are in the "
                    "table alone.",
                    stats.device_text),
        memory.chart(stats), memory.table(stats));
  }
}

}  // namespace

HtmlPage page_of(const SceneStats& stats) {
  const FrozenDag& dag = stats.scene.dag;
  HtmlPage page(stats.file, stats.has_scene
                                ? fmt::format("{} voxels in {}³", format_count(dag.voxels), dag.resolution)
                                : bricks_line(stats.bricks->bricks));
  if (stats.has(Section::Scene)) add_scene(page, stats);
  if (dag.voxels > 0) {
    if (stats.has(Section::Materials)) add_materials(page, stats);
    if (stats.has(Section::Levels)) add_levels(page, stats);
    if (stats.has(Section::Sizes)) add_sizes(page, stats);
    if (stats.has(Section::Memory)) add_memory(page, stats);
  }
  if (stats.has(Section::Bricks)) add_bricks(page, *stats.bricks);
  return page;
}

}  // namespace vox
