// The tables of vox-stats that people and files share: a line for each column.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "formats/results/views.h"
#include "libvox/base/json.h"
#include "libvox/base/units.h"
#include "tools/common/reports.h"
#include "tools/vox-stats/stats.h"

namespace vox {
namespace {

// True if any entry has a better name than its color.
bool has_names(const scene::Palette& palette) {
  for (uint32_t i = 0; i < palette.count; ++i)
    if (palette.names[i] != scene::hex_name(palette.colors[i])) return true;
  return false;
}

// Adds columns on how often nodes are used; `used` says how the uses are counted.
void add_uses(ResultTable& table, const std::vector<LevelRow>& rows,
              measure::UseCounts measure::LevelStats::*uses, const std::string& used, const ResultName& group,
              Headings most) {
  table.column(
      {group.json + "/most", group.report + "/most"}, "uses", rows,
      [&](const LevelRow& row) { return (row.stats.*uses).most; }, std::move(most),
      "Number of uses of the node that is used most: " + used + ".");
  table.column(
      in_json(group.json + "/bins"), "nodes", rows,
      [&](const LevelRow& row) {
        const auto& bins = (row.stats.*uses).bins;
        size_t last = bins.size();
        while (last > 0 && bins[last - 1] == 0) --last;
        return ResultColumn::List(bins.begin(), bins.begin() + static_cast<std::ptrdiff_t>(last));
      },
      "Bin i is the number of nodes with 2^i to 2^(i + 1) − 1 uses: " + used + ".");
  size_t last = 1;
  for (size_t bin = 0; bin < 64; ++bin)
    for (const LevelRow& row : rows)
      if ((row.stats.*uses).bins[bin] > 0) last = bin + 1;
  for (size_t bin = 0; bin < last; ++bin)
    table.column(
        listed_as("N", in_report(fmt::format("{}/from_{}", group.report, uint64_t{1} << bin))), "nodes", rows,
        [&](const LevelRow& row) { return (row.stats.*uses).bins[bin]; },
        "Number of nodes with N to 2 N − 1 uses: " + used + ".");
}

}  // namespace

void add_levels(ResultTable& table, const std::vector<LevelRow>& rows, const LevelsOf& of,
                LevelColumns columns) {
  const auto name = [&](const std::string& json, const std::string& report) {
    return ResultName(of.json + json, of.report + report);
  };
  const auto stat = [](auto measure::LevelStats::*value) {
    return [=](const LevelRow& row) { return row.stats.*value; };
  };
  table
      .column(name("unique_nodes", "unique_nodes"), "nodes", rows, stat(&measure::LevelStats::unique_nodes),
              of.nodes, "Number of nodes in the DAG.")
      .column(
          name("reduction", "reduction"), "octree nodes per unique node", rows,
          [](const LevelRow& row) { return row.stats.reduction(); }, of.reduction,
          "Number of octree nodes for each unique one.")
      .column(
          name("bytes", "bytes"), "bytes", rows, [](const LevelRow& row) { return row.stats.words * 4; },
          of.bytes, "Size of the unique nodes.");
  if (columns == LevelColumns::Stated) return;
  for (uint32_t words = hash::kMinItemWords; words <= hash::kMaxItemWords; ++words)
    table.column(
        listed_as(
            "N", name(fmt::format("items_by_words/{}", words), fmt::format("item_sizes/words_{:02}", words))),
        "nodes", rows, [&](const LevelRow& row) { return row.stats.item_sizes[words]; },
        "Number of nodes of N words of 32 bits.");
  add_uses(table, rows, &measure::LevelStats::pointers, "child pointers that lead to it",
           name("pointers", "pointers"), of.pointers);
  add_uses(table, rows, &measure::LevelStats::places, "nodes of the octree that it stands for",
           name("places", "places"), of.places);
}

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
  return table.column(for_people("material"), "", entries, std::identity(), both({"material"}))
      .column("color", "", entries, color, {.screen = {"color"}, .page = {"color", Look::color()}},
              "The color of an entry of the palette, as `#rrggbb`.")
      .column("name", "", entries, name, shown_name,
              "Its name, which is the color if there is no better one.")
      .column("voxels", "voxels", entries, voxels, both({"voxels", Look::count()}),
              "Number of voxels that have the material.")
      .column(for_people("share"), "", entries, share, both({"share", Look::fixed(1, 100), "%"}));
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

ResultTable levels_table(const std::vector<LevelRow>& rows, const std::vector<LevelRow>& geometry,
                         LevelColumns columns) {
  const auto svo_nodes = [](const LevelRow& row) { return row.stats.svo_nodes; };
  ResultTable table;
  table.column(in_json("level"), "", rows, &LevelRow::level, "Number of the level; that of the root is 0.")
      .column({"side", "levels/side"}, "voxels", rows, &LevelRow::side,
              {.screen = {"side"}, .page = {"side", {}, "voxels"}}, "Side of a node's cube.")
      .column({"svo_nodes", "levels/svo_nodes"}, "nodes", rows, svo_nodes,
              both({"octree nodes", Look::count()}), "Number of nodes in the octree.");
  add_levels(
      table, rows,
      {.json = "",
       .report = "levels/",
       .nodes = both({"unique nodes", Look::count()}),
       .reduction = {.screen = {"reduction", Look::fixed(2)}, .page = {"reduction", Look::fixed(2), "×"}},
       .bytes = {.screen = {"MiB", Look::mib()}, .page = {"size", Look::mib(), "MiB"}},
       .pointers = {.screen = {"most pointers", Look::count()}},
       .places = {.screen = {"most places", Look::count()}}},
      columns);
  if (geometry.empty()) return table;
  table
      .column(in_report("levels_geometry/side"), "voxels", geometry, &LevelRow::side,
              "Side of a node's cube, in the scene without its materials.")
      .column(in_report("levels_geometry/svo_nodes"), "nodes", geometry, svo_nodes,
              "Number of nodes in its octree.");
  add_levels(table, geometry,
             {.json = "geometry/",
              .report = "levels_geometry/",
              .nodes = {.screen = {"geometry only", Look::count()}},
              .reduction = {.screen = {"reduction", Look::fixed(2)}},
              .bytes = {.screen = {"MiB", Look::mib()}}});
  return table;
}

void add_forms(ResultTable& table, const std::vector<measure::SceneSize>& forms, uint64_t voxels,
               const ResultName& text, const std::string& title, const Headings& bytes) {
  const auto bits = [&](const measure::SceneSize& form) { return measure::bits_per_voxel(form, voxels); };
  table.column("name", "", forms, &measure::SceneSize::name, "Name of a form of the scene or its materials.")
      .column(text, "", forms, &measure::SceneSize::text, both({title, Look::words()}), "The form in words.")
      .column("bytes", "bytes", forms, &measure::SceneSize::bytes, bytes, "Size in this form.")
      .column("bits_per_voxel", "bits per filled voxel", forms, bits, kBitsHeadings,
              "The same for each filled voxel.");
}

ResultTable sizes_table(const SceneStats& stats) {
  ResultTable table;
  add_forms(table, stats.sizes, stats.scene.dag.voxels, "what", "form", kMibHeadings);
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
  scene.set(in_report("file"), stats.file, "The file that was read.");
  set_identity(scene, dag, stats.scene.dag.bytes());
  if (stats.scene.colors)
    scene.set(
        "color_bytes", stats.scene.colors->bytes(), "bytes",
        "Size of the voxels' 24-bit colors, which are stored apart from the nodes (`--materials colors`).");
  scene.set(in_json("side"), dag.side(), "voxels", "Side of the cube, a power of two.");
  if (!stats.has(Section::Scene)) return;
  const VoxelBox& box = stats.dag->filled;
  const char *least = "Lower corner of the box around all filled voxels: x, y, z.",
             *end = "Its upper corner, which lies outside.";
  ResultGroup& filled = scene.group("filled");
  filled.set(in_json("min"), along(box.min), "voxels", least);
  filled.set(in_json("end"), along(box.max), "voxels", end);
  filled.table(in_report("."))
      .column("axis", "", std::vector<std::string>{"x", "y", "z"}, "An axis: `x`, `y` or `z`.")
      .column("min", "voxels", along(box.min), least)
      .column("end", "voxels", along(box.max), end);
}

}  // namespace

ResultGroup results_of(const SceneStats& stats) {
  ResultGroup results;
  set_origin(results, origin_of(stats.command));
  results.set(in_report("tool"), "vox-stats", "Name of the program.")
      .set(in_json("file"), stats.file, "The file that was read.");
  if (!stats.device.empty()) set_device(results, stats.device);
  results.set(in_report("device"), stats.device, "Name of the device; empty if the run needed none.");
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
  if (stats.has(Section::Levels) || stats.has(Section::Sharing)) {
    const dag::FrozenDag& dag = stats.scene.dag;
    std::vector<LevelRow> geometry;
    if (stats.geometry) geometry = level_rows(dag, *stats.geometry);
    results.put({"levels", "."}, levels_table(level_rows(dag, *stats.dag), geometry, stats.level_columns()));
  }
  if (stats.has(Section::Sizes))
    results.put(listed_as("FORM", "sizes"), sizes_table(stats), TableShape::ByName);
  if (stats.has(Section::Memory)) set_tables(results.group("tables"), stats.scene.dag, table_rows(stats));
  if (!stats.geometry_tables.empty())
    set_tables(results.group("tables_geometry"), stats.scene.dag, geometry_table_rows(stats));
  if (stats.compression) set_compression(results, stats);
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
  HtmlPage::Facts facts = {
      {"resolution",
       fmt::format("{} voxels along the longest side, cube of {}, {} levels of nodes above the leaves",
                   dag.resolution, dag.side(), dag.depth())},
      {"voxels", fmt::format("{} filled, {}", format_count(dag.voxels),
                             dag.materials        ? "4-bit materials"
                             : stats.scene.colors ? "24-bit colors"
                                                  : "no materials")}};
  if (stats.scene.colors)
    facts.emplace_back("colors", values_text(stats.scene, {stats.scene.colors->bytes()}));
  if (!stats.dag->filled.empty()) facts.emplace_back("filled box", box_text(stats.dag->filled));
  return "\nScene\n" + facts_text(facts);
}

std::string level_table(const SceneStats& stats) {
  const dag::FrozenDag& dag = stats.scene.dag;
  std::vector<LevelRow> geometry, all_geometry;
  if (stats.geometry) geometry = level_rows(dag, *stats.geometry), all_geometry = all_levels(*stats.geometry);
  const LevelColumns columns = stats.level_columns();
  return text_table(levels_table(level_rows(dag, *stats.dag), geometry, columns), "all",
                    levels_table(all_levels(*stats.dag), all_geometry, columns))
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
  if (!stats.has(Section::Sharing)) return "\nLevels\n" + level_table(stats);
  return "\nDeduplication (pointers: of the DAG, that lead to a node; places: nodes of the octree it stands "
         "for)\n" +
         level_table(stats) + "\nItem sizes\n" + item_size_table(stats) + "\nUses of unique nodes\n" +
         use_table(stats);
}

}  // namespace

std::string screen_text(const SceneStats& stats) {
  std::string text = stats.has_scene ? title_line(stats) : escape_line(stats.file) + "\n";
  if (stats.has(Section::Scene)) text += scene_section(stats);
  if (stats.has(Section::Materials))
    text += "\nMaterials\n" + text_table(used_materials(stats.scene.palette, *stats.dag)).text();
  if (stats.has(Section::Levels) || stats.has(Section::Sharing)) text += levels_section(stats);
  if (stats.has(Section::Sizes)) text += "\nSizes\n" + text_table(sizes_table(stats)).text();
  if (stats.has(Section::Memory)) text += memory_text(stats);
  if (stats.compression) text += compression_text(stats);
  if (stats.bricks) text += bricks_text(*stats.bricks);
  return text;
}

}  // namespace vox
