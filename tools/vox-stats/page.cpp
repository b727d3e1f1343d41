// The page that vox-stats writes with --html: the numbers of the other reports, with pictures.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "formats/pages/scene_page.h"
#include "formats/results/views.h"
#include "formats/scene/any_scene.h"
#include "libvox/base/units.h"
#include "libvox/dag/walk.h"
#include "libvox/render/camera.h"
#include "libvox/render/picture_share.h"
#include "libvox/render/volume_render.h"
#include "tools/common/reports.h"
#include "tools/vox-stats/stats.h"

namespace vox {
namespace {

constexpr double kMiB = 1024 * 1024;

std::vector<double> mebibytes(const ResultColumn& bytes) {
  std::vector<double> values = bytes.numbers();
  for (double& value : values) value /= kMiB;
  return values;
}

void add_scene(HtmlPage& page, const SceneStats& stats) {
  const VoxelBox& box = stats.dag->filled;
  const std::string digest = dag::to_string(stats.scene.dag.digest);
  if (stats.picture)
    page.picture(stats.picture->image, fmt::format("The scene from its default view. Digest {}.", digest));
  else if (!stats.viewer.empty())
    page.page_within(stats.viewer,
                     fmt::format("The scene: drag to turn it, ? says more. Digest {}.", digest));
  else
    page.paragraph("The scene is empty: no voxel is filled, there is nothing to see.");
  HtmlPage::Facts facts = scene_facts(stats.scene);
  if (!box.empty()) facts.emplace_back("filled box", box_text(box));
  page.section("Scene").facts(facts);
}

void add_levels(HtmlPage& page, const dag::FrozenDag& dag, const measure::DagStats& stats,
                const std::string& title, const std::string& caption) {
  const ResultTable levels = levels_table(level_rows(dag, stats), {}, LevelColumns::Stated);
  BarChart chart = {.title = title,
                    .description =
                        "For each level its unique nodes, those of the octree, and how many octree nodes "
                        "there are for each unique one",
                    .unit = "nodes (logarithmic)",
                    .scale = ChartScale::Log,
                    .rows = shown_texts(levels["side"], Look()),
                    .series = {{"unique nodes", levels["unique_nodes"].numbers()},
                               {"octree nodes", levels["svo_nodes"].numbers()}},
                    .notes = shown_texts(levels["reduction"], Look::fixed(2))};
  for (std::string& note : chart.notes) note += "×";
  page.figure(title, caption, draw(chart),
              page_table(levels, "all", levels_table(all_levels(stats), {}, LevelColumns::Stated)));
}

void add_levels(HtmlPage& page, const SceneStats& stats) {
  page.section("Deduplication");
  add_levels(page, stats.scene.dag, *stats.dag, "Nodes of each level",
             "By the side of a node's cube; 4 are the leaves. The further the two bars of a level are apart, "
             "the more is shared: how many octree nodes there are for each unique one is said beside them.");
  if (stats.geometry)
    add_levels(page, stats.scene.dag, *stats.geometry, "The same without materials",
               "Leaves reduced to which voxels are filled, and deduplicated again: what colors cost.");
}

void add_sizes(HtmlPage& page, const SceneStats& stats) {
  const ResultTable sizes = sizes_table(stats);
  BarChart chart = {.title = "Size of the scene in other forms",
                    .description = "A bar for each form, in MiB",
                    .unit = "MiB (logarithmic)",
                    .scale = ChartScale::Log,
                    .rows = shown_texts(sizes["what"], Look()),
                    .series = {{"size", mebibytes(sizes["bytes"])}},
                    .notes = shown_texts(sizes["bytes"], Look::bytes())};
  page.section("Sizes").figure("The same voxels in other forms", "What each form takes in memory.",
                               draw(chart), page_table(sizes));
}

// A chart of the memory of tables with one load factor.
Chart memory_chart(uint64_t alone, const ResultTable& memory) {
  BarChart chart = {.title = "Memory of each hash table",
                    .description = "For each table what it takes, divided by purpose",
                    .unit = "MiB",
                    .bars = BarChart::Bars::EndToEnd,
                    .mark = BarChart::Mark{"nodes and leaves alone", static_cast<double>(alone) / kMiB}};
  for (const std::string& purpose : kPurposes)
    chart.series.push_back({*memory[purpose].shown.page.title, {}});
  const auto total = [](const ResultRow& row) { return row.text("total_bytes", Look::mib()); };
  add_bars(chart, rows_of(memory), text_in("table"), kPurposes, 1 / kMiB, total);
  return draw(chart);
}

// Adds a figure for each load factor. `what` ends the titles.
void add_tables(HtmlPage& page, const SceneStats& stats, const std::vector<TableRow>& all, uint64_t alone,
                const std::string& what) {
  for (const std::string& load_factor : texts_of(rows_of(memory_table(all)), text_in("load_factor"))) {
    std::vector<TableRow> rows;
    std::ranges::copy_if(all, std::back_inserter(rows), [&](const TableRow& row) {
      return std::to_string(row.report->load_factor) == load_factor;
    });
    const ResultTable memory = memory_table(rows);
    std::erase_if(rows, [](const TableRow& row) { return !row.report->built; });
    page.figure(
        fmt::format("Memory with {} items a bucket{}", load_factor, what),
        fmt::format(
            "What each table takes that holds the scene, measured on {}: what is right of the dashed line is "
            "overhead. Bitmaps and slack, which the allocator holds besides, are in the table alone.",
            stats.device_text),
        memory_chart(alone, memory_table(rows)), turned_page_table(memory));
  }
}

void add_memory(HtmlPage& page, const SceneStats& stats) {
  page.section("Hash tables");
  add_tables(page, stats, table_rows(stats), stats.scene.dag.bytes(), "");
  if (!stats.geometry_tables.empty())
    add_tables(page, stats, geometry_table_rows(stats), geometry_bytes(stats), ", without materials");
}

}  // namespace

void add_materials_figure(HtmlPage& page, const std::string& title, const std::string& caption,
                          const ResultTable& materials) {
  BarChart chart = {
      .title = "Share of each material",
      .description = "One bar for each palette entry, in its color: per cent of the filled voxels",
      .unit = "% of the filled voxels",
      .series = {{"share", {}}}};
  const auto note = [](const ResultRow& row) { return row.text("share", Look::fixed(1, 100)); };
  add_bars(chart, rows_of(materials), text_in("material"), {"share"}, 100, note);
  chart.colors = shown_texts(materials["color"], Look());
  page.figure(title, caption, draw(chart), page_table(materials));
}

render::Picture picture_of(Engine& engine, const dag::VoxelScene& scene) {
  render::RenderOptions options;
  options.size = {1280, 720};
  options.samples = 4;
  options.ao_rays = 8;
  options.colors = render::LevelColors::Mean;
  options.normals = render::Normals::Auto;
  options.skies = render::Sky::Gradient;
  const render::VolumeSpace space(dag::scene_volume(scene).info);  // in which voxels need not be cubes
  std::vector<VoxelBox> boxes = render::outline(scene.dag);
  for (VoxelBox& box : boxes) box = space.around(box);
  options.pose = render::framing(boxes, render::view_names().front(), 0, options.pose.fov, options.size);
  return render::make_renderer(
             engine.handles(), scene.dag, scene.palette,
             {.voxel_size = scene.voxel_size, .colors = scene.colors ? &*scene.colors : nullptr})
      ->render(options);
}

std::string viewer_of(const dag::VoxelScene& scene, const StatsOptions& options) {
  constexpr uint64_t kMostBytes = uint64_t{8} << 20;
  return make_scene_page(scene, {.title = options.scene.filename().string(),
                                 .command = options.command,
                                 .start = "view=" + render::view_names().front(),
                                 .most_bytes = kMostBytes,
                                 .memory_limit = options.engine.memory_limit})
      .text;
}

HtmlPage page_of(const SceneStats& stats) {
  const dag::FrozenDag& dag = stats.scene.dag;
  HtmlPage page(stats.file, stats.has_scene
                                ? fmt::format("{} voxels in {}³", format_count(dag.voxels), dag.resolution)
                                : bricks_line(stats.bricks->bricks));
  if (stats.has(Section::Scene)) add_scene(page, stats);
  if (dag.voxels > 0) {
    if (stats.has(Section::Materials)) {
      page.section("Palette");
      add_materials_figure(page, "Materials", "How much of the scene has which color.",
                           used_materials(stats.scene.palette, *stats.dag));
    }
    if (stats.has(Section::Levels) || stats.has(Section::Sharing)) add_levels(page, stats);
    if (stats.has(Section::Sizes)) add_sizes(page, stats);
    if (stats.has(Section::Memory)) add_memory(page, stats);
    if (stats.has(Section::Compression)) add_compression(page, stats);
  }
  if (stats.has(Section::Bricks)) add_bricks(page, *stats.bricks);
  return page;
}

}  // namespace vox
