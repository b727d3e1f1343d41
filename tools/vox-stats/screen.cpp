// The text that vox-stats prints.
#include <fmt/format.h>

#include <algorithm>

#include "formats/results/text_table.h"
#include "libvox/base/plain_text.h"
#include "libvox/base/units.h"
#include "tools/vox-stats/stats.h"

namespace vox {
namespace {

std::string title_line(const SceneStats& stats) {
  const dag::FrozenDag& dag = stats.scene.dag;
  return fmt::format("{}: {} voxels in {}³, digest {}\n", escape_line(stats.file), format_count(dag.voxels),
                     dag.resolution, dag::to_string(dag.digest));
}

std::string scene_section(const SceneStats& stats) {
  const dag::FrozenDag& dag = stats.scene.dag;
  const VoxelBox& box = stats.dag->filled;
  std::string text = fmt::format(
      "\nScene\n"
      "  resolution  {} voxels along the longest side, cube of {}, {} levels of nodes above the leaves\n"
      "  voxels      {} filled, {}\n",
      dag.resolution, dag.side(), dag.depth(), format_count(dag.voxels),
      dag.materials ? "4-bit materials" : "no materials");
  if (!box.empty())
    text += fmt::format("  filled box  x {} to {}, y {} to {}, z {} to {}\n", box.min.x, box.max.x - 1,
                        box.min.y, box.max.y - 1, box.min.z, box.max.z - 1);
  return text;
}

std::string level_table(const SceneStats& stats) {
  const dag::FrozenDag& dag = stats.scene.dag;
  std::vector<LevelRow> geometry, all_geometry;
  if (stats.geometry) geometry = level_rows(dag, *stats.geometry), all_geometry = all_levels(*stats.geometry);
  return text_table(levels_table(level_rows(dag, *stats.dag), geometry), "all",
                    levels_table(all_levels(*stats.dag), all_geometry))
      .text();
}

std::string item_size_table(const SceneStats& stats) {
  std::vector<std::string> titles = {"words"}, items = {"unique nodes"}, geometry = {"geometry only"};
  const hash::SizeCounts counts = stats.dag->all_levels().item_sizes;
  const hash::SizeCounts bare = stats.geometry ? stats.geometry->all_levels().item_sizes : hash::SizeCounts{};
  for (uint32_t words = hash::kMinItemWords; words <= hash::kMaxItemWords; ++words) {
    titles.push_back(std::to_string(words));
    items.push_back(format_count(counts[words]));
    geometry.push_back(format_count(bare[words]));
  }
  TextTable table(std::move(titles));
  table.row(std::move(items));
  if (stats.geometry) table.row(std::move(geometry));
  return table.text();
}

// Shows bins 0 to 6 alone, then three at a time and the rest: the text is short, JSON and HDF5 have all bins.
std::string use_table(const SceneStats& stats) {
  const measure::LevelStats all = stats.dag->all_levels();
  const auto bare = stats.geometry ? stats.geometry->all_levels() : measure::LevelStats();
  TextTable table({"used", "by pointers", "by places", stats.geometry ? "geometry: by pointers" : "",
                   stats.geometry ? "by places" : ""});
  const auto count = [](const measure::UseCounts& uses, size_t begin, size_t end) {
    uint64_t sum = 0;
    for (size_t bin = begin; bin < end; ++bin) sum += uses.bins[bin];
    return sum;
  };
  constexpr size_t kEdges[] = {0, 1, 2, 3, 4, 7, 10, 20, 64};
  for (size_t i = 0; i + 1 < std::size(kEdges); ++i) {
    const size_t begin = kEdges[i], end = kEdges[i + 1];
    std::string name = format_count(uint64_t{1} << begin);
    if (end == 64) name += " and more";
    if (end < 64 && end > 1) name += " to " + format_count((uint64_t{1} << end) - 1);
    std::vector<std::string> cells = {name, format_count(count(all.pointers, begin, end)),
                                      format_count(count(all.places, begin, end))};
    if (stats.geometry)
      cells.insert(cells.end(), {format_count(count(bare.pointers, begin, end)),
                                 format_count(count(bare.places, begin, end))});
    table.row(std::move(cells));
  }
  return table.text();
}

std::string levels_section(const SceneStats& stats) {
  return "\nDeduplication (pointers: of the DAG, that lead to a node; places: nodes of the octree it stands "
         "for)\n" +
         level_table(stats) + "\nItem sizes\n" + item_size_table(stats) + "\nUses of unique nodes\n" +
         use_table(stats);
}

// The paper's Table 1, with more rows of the same kind.
std::string total_table(const SceneStats& stats) {
  const measure::ResultTable figures = figures_table(table_rows(stats));
  TextTable table(screen_titles(figures));
  table.row({"Nodes/Leaves Only", "", format_mib(stats.scene.dag.bytes())});
  for (size_t row = 0; row < figures.rows(); ++row) table.row(screen_cells(figures, row));
  return table.text();
}

bool has_times(const SceneStats& stats) {
  return std::any_of(stats.tables.begin(), stats.tables.end(), [](const measure::TableReport& report) {
    return std::any_of(report.levels.begin(), report.levels.end(),
                       [](const measure::LevelTimes& level) { return level.find_seconds > 0; });
  });
}

// The times with the first load factor.
std::string time_table(const SceneStats& stats) {
  std::vector<const measure::TableReport*> reports;
  std::vector<std::string> titles = {"side", "items"};
  for (const measure::TableReport& report : stats.tables)
    if (report.load_factor == stats.tables[0].load_factor) {
      reports.push_back(&report);
      titles.push_back(report.table + " insert");
      titles.push_back("find");
    }
  TextTable table(std::move(titles));
  const auto milliseconds = [](double seconds) { return fmt::format("{:.3f}", seconds * 1e3); };
  for (size_t level = 0; level < stats.scene.dag.levels.size(); ++level) {
    std::vector<std::string> cells = {
        std::to_string(stats.scene.dag.level_side(static_cast<uint32_t>(level))),
        format_count(reports[0]->levels[level].items)};
    for (const measure::TableReport* report : reports) {
      cells.push_back(milliseconds(report->levels[level].insert_seconds));
      cells.push_back(milliseconds(report->levels[level].find_seconds));
    }
    table.row(std::move(cells));
  }
  return table.text();
}

std::string memory_section(const SceneStats& stats) {
  std::string text = fmt::format("\nHash tables on {}, MiB\n{}\n{}", stats.device, total_table(stats),
                                 text_table(purposes_table(table_rows(stats))).text());
  if (has_times(stats))
    text += fmt::format("\nMilliseconds a level, load factor {}\n{}", stats.tables[0].load_factor,
                        time_table(stats));
  return text;
}

}  // namespace

std::string screen_text(const SceneStats& stats) {
  std::string text = stats.has_scene ? title_line(stats) : escape_line(stats.file) + "\n";
  if (stats.has(Section::Scene)) text += scene_section(stats);
  if (stats.has(Section::Materials))
    text += "\nMaterials\n" + text_table(used_materials(stats.scene.palette, *stats.dag)).text();
  if (stats.has(Section::Levels)) text += levels_section(stats);
  if (stats.has(Section::Sizes)) text += "\nSizes\n" + text_table(sizes_table(stats)).text();
  if (stats.has(Section::Memory)) text += memory_section(stats);
  if (stats.bricks) text += bricks_text(*stats.bricks);
  return text;
}

}  // namespace vox
