// The tables of vox-stats that people and files share: a line for each column.
#include <fmt/format.h>

#include <algorithm>

#include "tools/vox-stats/stats.h"

namespace vox {
namespace {

// Better ones than the colours themselves.
bool has_names(const Palette& palette) {
  for (uint32_t i = 0; i < palette.count; ++i)
    if (palette.names[i] != hex_name(palette.colors[i])) return true;
  return false;
}

// How often nodes are used.
void add_uses(ResultTable& table, const std::vector<LevelRow>& rows, UseCounts LevelStats::*uses,
              const ResultName& group, Headings most) {
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

// What the levels of a scene and those of its geometry are called.
struct LevelsOf {
  std::string json, report;  // before all names
  Headings nodes, reduction, bytes, pointers = {}, places = {};
};

void add_levels(ResultTable& table, const std::vector<LevelRow>& rows, const LevelsOf& of) {
  const auto name = [&](const std::string& json, const std::string& report) {
    return ResultName(of.json + json, of.report + report);
  };
  const auto stat = [](auto LevelStats::*value) {
    return [=](const LevelRow& row) { return row.stats.*value; };
  };
  table.column(name("unique_nodes", "unique_nodes"), "nodes", rows, stat(&LevelStats::unique_nodes), of.nodes)
      .column(
          name("reduction", "reduction"), "octree nodes per unique node", rows,
          [](const LevelRow& row) { return row.stats.reduction(); }, of.reduction)
      .column(
          name("bytes", "bytes"), "bytes", rows, [](const LevelRow& row) { return row.stats.words * 4; },
          of.bytes);
  for (uint32_t words = kMinItemWords; words <= kMaxItemWords; ++words)
    table.column(name(fmt::format("items_by_words/{}", words), fmt::format("item_sizes/words_{:02}", words)),
                 "nodes", rows, [&](const LevelRow& row) { return row.stats.item_sizes[words]; });
  add_uses(table, rows, &LevelStats::pointers, name("pointers", "pointers"), of.pointers);
  add_uses(table, rows, &LevelStats::places, name("places", "places"), of.places);
}

}  // namespace

std::vector<uint32_t> used_entries(const SceneStats& stats) {
  std::vector<uint32_t> entries;
  for (uint32_t i = 0; i < kPaletteSize; ++i)
    if (i < stats.scene.palette.count || stats.dag->material_voxels[i] > 0) entries.push_back(i);
  return entries;
}

ResultTable materials_table(const SceneStats& stats, const std::vector<uint32_t>& entries) {
  const Palette& palette = stats.scene.palette;
  const auto voxels = [&](uint32_t i) { return stats.dag->material_voxels[i]; };
  const auto share = [&](uint32_t i) {
    return static_cast<double>(voxels(i)) / static_cast<double>(std::max<uint64_t>(1, stats.dag->voxels));
  };
  const auto color = [&](uint32_t i) { return hex_name(palette.colors[i]); };
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

std::vector<LevelRow> level_rows(const FrozenDag& dag, const DagStats& stats) {
  std::vector<LevelRow> rows;
  for (uint32_t level = 0; level < stats.levels.size(); ++level)
    rows.push_back({level, dag.level_side(level), stats.levels[level]});
  return rows;
}

std::vector<LevelRow> all_levels(const DagStats& stats) {
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
  const auto bits = [&](const SceneSize& size) { return bits_per_voxel(size, stats.scene.dag.voxels); };
  ResultTable table;
  table.column("name", "", stats.sizes, &SceneSize::name)
      .column("what", "", stats.sizes, &SceneSize::text, both({"form", Look::words()}))
      .column("bytes", "bytes", stats.sizes, &SceneSize::bytes,
              {.screen = {"MiB", Look::mib()}, .page = {"size", Look::mib(), "MiB"}})
      .column("bits_per_voxel", "bits per filled voxel", stats.sizes, bits,
              {.screen = {"bits a filled voxel", Look::fixed(3)},
               .page = {"a filled voxel", Look::fixed(3), "bits"}});
  return table;
}

}  // namespace vox
