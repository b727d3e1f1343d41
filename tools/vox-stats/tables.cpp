// The tables of vox-stats that people and files share: a line for each column.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "formats/results/tables.h"
#include "libvox/base/json.h"
#include "libvox/base/units.h"
#include "tools/common/reports.h"
#include "tools/vox-stats/stats.h"

namespace vox {
namespace {

// True if any entry has a better name than its colour.
bool has_names(const scene::Palette& palette) {
  for (uint32_t i = 0; i < palette.count; ++i)
    if (palette.names[i] != scene::hex_name(palette.colors[i])) return true;
  return false;
}

// Adds columns on how often nodes are used.
void add_uses(ResultTable& table, const std::vector<LevelRow>& rows,
              measure::UseCounts measure::LevelStats::*uses, const ResultName& group, Headings most) {
  table.column(
      {group.json + "/most", group.report + "/most"}, "uses", rows,
      [&](const LevelRow& row) { return (row.stats.*uses).most; }, std::move(most));
  table.column(in_json(group.json + "/bins"), "nodes", rows, [&](const LevelRow& row) {
    const auto& bins = (row.stats.*uses).bins;
    size_t last = bins.size();
    while (last > 0 && bins[last - 1] == 0) --last;
    return ResultColumn::List(bins.begin(), bins.begin() + static_cast<std::ptrdiff_t>(last));
  });
  size_t last = 1;
  for (size_t bin = 0; bin < 64; ++bin)
    for (const LevelRow& row : rows)
      if ((row.stats.*uses).bins[bin] > 0) last = bin + 1;
  for (size_t bin = 0; bin < last; ++bin)
    table.column(in_report(fmt::format("{}/from_{}", group.report, uint64_t{1} << bin)), "nodes", rows,
                 [&](const LevelRow& row) { return (row.stats.*uses).bins[bin]; });
}

// The names of columns for the levels of a scene, or for those of its geometry.
struct LevelsOf {
  std::string json, report;  // they stand before all names
  Headings nodes, reduction, bytes, pointers = {}, places = {};
};

void add_levels(ResultTable& table, const std::vector<LevelRow>& rows, const LevelsOf& of) {
  const auto name = [&](const std::string& json, const std::string& report) {
    return ResultName(of.json + json, of.report + report);
  };
  const auto stat = [](auto measure::LevelStats::*value) {
    return [=](const LevelRow& row) { return row.stats.*value; };
  };
  table
      .column(name("unique_nodes", "unique_nodes"), "nodes", rows, stat(&measure::LevelStats::unique_nodes),
              of.nodes)
      .column(
          name("reduction", "reduction"), "octree nodes per unique node", rows,
          [](const LevelRow& row) { return row.stats.reduction(); }, of.reduction)
      .column(
          name("bytes", "bytes"), "bytes", rows, [](const LevelRow& row) { return row.stats.words * 4; },
          of.bytes);
  for (uint32_t words = hash::kMinItemWords; words <= hash::kMaxItemWords; ++words)
    table.column(name(fmt::format("items_by_words/{}", words), fmt::format("item_sizes/words_{:02}", words)),
                 "nodes", rows, [&](const LevelRow& row) { return row.stats.item_sizes[words]; });
  add_uses(table, rows, &measure::LevelStats::pointers, name("pointers", "pointers"), of.pointers);
  add_uses(table, rows, &measure::LevelStats::places, name("places", "places"), of.places);
}

}  // namespace

ResultTable materials_table(const scene::Palette& palette, const measure::DagStats& stats,
                            const std::vector<uint32_t>& entries) {
  const auto voxels = [&](uint32_t i) { return stats.material_voxels[i]; };
  const auto share = [&](uint32_t i) {
    return static_cast<double>(voxels(i)) / static_cast<double>(std::max<uint64_t>(1, stats.voxels));
  };
  const auto color = [&](uint32_t i) { return scene::hex_name(palette.colors[i]); };
  const auto name = [&](uint32_t i) { return palette.names[i]; };
  Headings shown_name = {.screen = {"name"}};
  if (has_names(palette)) shown_name.page = {"name"};
  ResultTable table;
  table.column(for_people(), "", entries, std::identity(), both({"material"}))
      .column("color", "", entries, color, {.screen = {"color"}, .page = {"colour", Look::color()}})
      .column("name", "", entries, name)
      .column("voxels", "voxels", entries, voxels, both({"voxels", Look::count()}))
      .column(for_people(), "", entries, share, both({"share", Look::fixed(1, 100), "%"}))
      .column(for_people(), "", entries, name, shown_name);
  return table;
}

ResultTable used_materials(const scene::Palette& palette, const measure::DagStats& stats) {
  std::vector<uint32_t> entries;
  for (uint32_t i = 0; i < scene::kPaletteSize; ++i)
    if (i < palette.count || stats.material_voxels[i] > 0) entries.push_back(i);
  return materials_table(palette, stats, entries);
}

std::vector<LevelRow> level_rows(const dag::FrozenDag& dag, const measure::DagStats& stats) {
  std::vector<LevelRow> rows;
  for (uint32_t level = 0; level < stats.levels.size(); ++level)
    rows.push_back({level, dag.level_side(level), stats.levels[level]});
  return rows;
}

std::vector<LevelRow> all_levels(const measure::DagStats& stats) {
  return {{0, 0, stats.all_levels()}};
}

ResultTable levels_table(const std::vector<LevelRow>& rows, const std::vector<LevelRow>& geometry) {
  const auto svo_nodes = [](const LevelRow& row) { return row.stats.svo_nodes; };
  ResultTable table;
  table.column(in_json("level"), "", rows, &LevelRow::level)
      .column({"side", "levels/side"}, "voxels", rows, &LevelRow::side,
              {.screen = {"side"}, .page = {"side", {}, "voxels"}})
      .column({"svo_nodes", "levels/svo_nodes"}, "nodes", rows, svo_nodes,
              both({"octree nodes", Look::count()}));
  add_levels(
      table, rows,
      {.json = "",
       .report = "levels/",
       .nodes = both({"unique nodes", Look::count()}),
       .reduction = {.screen = {"reduction", Look::fixed(2)}, .page = {"reduction", Look::fixed(2), "×"}},
       .bytes = {.screen = {"MiB", Look::mib()}, .page = {"size", Look::mib(), "MiB"}},
       .pointers = {.screen = {"most pointers", Look::count()}},
       .places = {.screen = {"most places", Look::count()}}});
  if (geometry.empty()) return table;
  table.column(in_report("levels_geometry/side"), "voxels", geometry, &LevelRow::side)
      .column(in_report("levels_geometry/svo_nodes"), "nodes", geometry, svo_nodes);
  add_levels(table, geometry,
             {.json = "geometry/",
              .report = "levels_geometry/",
              .nodes = {.screen = {"geometry only", Look::count()}},
              .reduction = {.screen = {"reduction", Look::fixed(2)}},
              .bytes = {.screen = {"MiB", Look::mib()}}});
  return table;
}

ResultTable sizes_table(const SceneStats& stats) {
  const auto bits = [&](const measure::SceneSize& size) {
    return measure::bits_per_voxel(size, stats.scene.dag.voxels);
  };
  ResultTable table;
  table.column("name", "", stats.sizes, &measure::SceneSize::name)
      .column("what", "", stats.sizes, &measure::SceneSize::text, both({"form", Look::words()}))
      .column("bytes", "bytes", stats.sizes, &measure::SceneSize::bytes,
              {.screen = {"MiB", Look::mib()}, .page = {"size", Look::mib(), "MiB"}})
      .column("bits_per_voxel", "bits per filled voxel", stats.sizes, bits,
              {.screen = {"bits a filled voxel", Look::fixed(3)},
               .page = {"a filled voxel", Look::fixed(3), "bits"}});
  return table;
}

namespace {

// All measurements of vox-stats, as JSON and reports have them.

using Numbers = std::vector<uint64_t>;

Numbers along(const Int3& v) {
  return {static_cast<uint64_t>(v.x), static_cast<uint64_t>(v.y), static_cast<uint64_t>(v.z)};
}

void set_scene(ResultGroup& scene, const SceneStats& stats) {
  const dag::FrozenDag& dag = stats.scene.dag;
  scene.set(in_report("file"), stats.file)
      .set("digest", dag::to_string(dag.digest))
      .set("resolution", dag.resolution, "voxels")
      .set(in_json("side"), dag.side(), "voxels")
      .set("depth", dag.depth(), "levels")
      .set("voxels", dag.voxels, "voxels")
      .set("material_bits", dag.materials ? 4u : 0u, "bits")
      .set("dag_bytes", stats.scene.dag.bytes(), "bytes");
  if (!stats.has(Section::Scene)) return;
  const VoxelBox& box = stats.dag->filled;
  ResultGroup& filled = scene.group("filled");
  filled.set(in_json("min"), along(box.min), "voxels").set(in_json("end"), along(box.max), "voxels");
  filled.table(in_report("."))
      .column("axis", "", std::vector<std::string>{"x", "y", "z"})
      .column("min", "voxels", along(box.min))
      .column("end", "voxels", along(box.max));
}

}  // namespace

ResultGroup results_of(const SceneStats& stats) {
  ResultGroup results;
  results.set(in_report("tool"), "vox-stats").set(in_json("file"), stats.file);
  if (!stats.device.empty()) results.set(in_json("device"), stats.device);
  results.set(in_report("device"), stats.device);
  std::vector<uint32_t> palette(scene::kPaletteSize);
  std::iota(palette.begin(), palette.end(), 0);
  if (stats.has_scene) {
    ResultGroup& scene = results.group("scene");
    set_scene(scene, stats);
    if (stats.has(Section::Materials))
      scene.put(in_json("materials"), materials_table(stats.scene.palette, *stats.dag, palette));
  }
  if (stats.has(Section::Materials))
    results.put(in_report("materials"), materials_table(stats.scene.palette, *stats.dag, palette));
  if (stats.has(Section::Levels)) {
    const dag::FrozenDag& dag = stats.scene.dag;
    std::vector<LevelRow> geometry;
    if (stats.geometry) geometry = level_rows(dag, *stats.geometry);
    results.put({"levels", "."}, levels_table(level_rows(dag, *stats.dag), geometry));
  }
  if (stats.has(Section::Sizes)) results.put("sizes", sizes_table(stats), TableShape::ByName);
  if (stats.has(Section::Memory)) set_tables(results.group("tables"), stats);
  if (stats.bricks) set_bricks_stats(results, *stats.bricks);
  set_profile(results, stats.kernels);
  return results;
}

namespace {

// The text that vox-stats prints.

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
  const ResultTable figures = figures_table(table_rows(stats));
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
