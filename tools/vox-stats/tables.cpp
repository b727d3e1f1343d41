// The tables of vox-stats that people and files share: a line for each column.
#include <fmt/format.h>

#include <algorithm>

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
void add_uses(measure::ResultTable& table, const std::vector<LevelRow>& rows,
              measure::UseCounts measure::LevelStats::*uses, const measure::ResultName& group,
              measure::Headings most) {
  table.column(
      {group.json + "/most", group.report + "/most"}, "uses", rows,
      [&](const LevelRow& row) { return (row.stats.*uses).most; }, std::move(most));
  table.column(measure::in_json(group.json + "/bins"), "nodes", rows, [&](const LevelRow& row) {
    const auto& bins = (row.stats.*uses).bins;
    size_t last = bins.size();
    while (last > 0 && bins[last - 1] == 0) --last;
    return measure::ResultColumn::List(bins.begin(), bins.begin() + static_cast<std::ptrdiff_t>(last));
  });
  size_t last = 1;
  for (size_t bin = 0; bin < 64; ++bin)
    for (const LevelRow& row : rows)
      if ((row.stats.*uses).bins[bin] > 0) last = bin + 1;
  for (size_t bin = 0; bin < last; ++bin)
    table.column(measure::in_report(fmt::format("{}/from_{}", group.report, uint64_t{1} << bin)), "nodes",
                 rows, [&](const LevelRow& row) { return (row.stats.*uses).bins[bin]; });
}

// The names of columns for the levels of a scene, or for those of its geometry.
struct LevelsOf {
  std::string json, report;  // they stand before all names
  measure::Headings nodes, reduction, bytes, pointers = {}, places = {};
};

void add_levels(measure::ResultTable& table, const std::vector<LevelRow>& rows, const LevelsOf& of) {
  const auto name = [&](const std::string& json, const std::string& report) {
    return measure::ResultName(of.json + json, of.report + report);
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

measure::ResultTable materials_table(const scene::Palette& palette, const measure::DagStats& stats,
                                     const std::vector<uint32_t>& entries) {
  const auto voxels = [&](uint32_t i) { return stats.material_voxels[i]; };
  const auto share = [&](uint32_t i) {
    return static_cast<double>(voxels(i)) / static_cast<double>(std::max<uint64_t>(1, stats.voxels));
  };
  const auto color = [&](uint32_t i) { return scene::hex_name(palette.colors[i]); };
  const auto name = [&](uint32_t i) { return palette.names[i]; };
  measure::Headings shown_name = {.screen = {"name"}};
  if (has_names(palette)) shown_name.page = {"name"};
  measure::ResultTable table;
  table.column(measure::for_people(), "", entries, std::identity(), measure::both({"material"}))
      .column("color", "", entries, color, {.screen = {"color"}, .page = {"colour", measure::Look::color()}})
      .column("name", "", entries, name)
      .column("voxels", "voxels", entries, voxels, measure::both({"voxels", measure::Look::count()}))
      .column(measure::for_people(), "", entries, share,
              measure::both({"share", measure::Look::fixed(1, 100), "%"}))
      .column(measure::for_people(), "", entries, name, shown_name);
  return table;
}

measure::ResultTable used_materials(const scene::Palette& palette, const measure::DagStats& stats) {
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

measure::ResultTable levels_table(const std::vector<LevelRow>& rows, const std::vector<LevelRow>& geometry) {
  const auto svo_nodes = [](const LevelRow& row) { return row.stats.svo_nodes; };
  measure::ResultTable table;
  table.column(measure::in_json("level"), "", rows, &LevelRow::level)
      .column({"side", "levels/side"}, "voxels", rows, &LevelRow::side,
              {.screen = {"side"}, .page = {"side", {}, "voxels"}})
      .column({"svo_nodes", "levels/svo_nodes"}, "nodes", rows, svo_nodes,
              measure::both({"octree nodes", measure::Look::count()}));
  add_levels(
      table, rows,
      {.json = "",
       .report = "levels/",
       .nodes = measure::both({"unique nodes", measure::Look::count()}),
       .reduction = {.screen = {"reduction", measure::Look::fixed(2)},
                     .page = {"reduction", measure::Look::fixed(2), "×"}},
       .bytes = {.screen = {"MiB", measure::Look::mib()}, .page = {"size", measure::Look::mib(), "MiB"}},
       .pointers = {.screen = {"most pointers", measure::Look::count()}},
       .places = {.screen = {"most places", measure::Look::count()}}});
  if (geometry.empty()) return table;
  table.column(measure::in_report("levels_geometry/side"), "voxels", geometry, &LevelRow::side)
      .column(measure::in_report("levels_geometry/svo_nodes"), "nodes", geometry, svo_nodes);
  add_levels(table, geometry,
             {.json = "geometry/",
              .report = "levels_geometry/",
              .nodes = {.screen = {"geometry only", measure::Look::count()}},
              .reduction = {.screen = {"reduction", measure::Look::fixed(2)}},
              .bytes = {.screen = {"MiB", measure::Look::mib()}}});
  return table;
}

measure::ResultTable sizes_table(const SceneStats& stats) {
  const auto bits = [&](const measure::SceneSize& size) {
    return measure::bits_per_voxel(size, stats.scene.dag.voxels);
  };
  measure::ResultTable table;
  table.column("name", "", stats.sizes, &measure::SceneSize::name)
      .column("what", "", stats.sizes, &measure::SceneSize::text,
              measure::both({"form", measure::Look::words()}))
      .column("bytes", "bytes", stats.sizes, &measure::SceneSize::bytes,
              {.screen = {"MiB", measure::Look::mib()}, .page = {"size", measure::Look::mib(), "MiB"}})
      .column("bits_per_voxel", "bits per filled voxel", stats.sizes, bits,
              {.screen = {"bits a filled voxel", measure::Look::fixed(3)},
               .page = {"a filled voxel", measure::Look::fixed(3), "bits"}});
  return table;
}

}  // namespace vox
