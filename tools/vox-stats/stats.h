// The knowledge of vox-stats about a scene, and the ways to show it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/pages/html_page.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/measure/dag_stats.h"
#include "libvox/measure/results.h"
#include "libvox/measure/scene_sizes.h"
#include "libvox/measure/table_report.h"
#include "libvox/render/render.h"
#include "tools/vox-stats/bricks.h"
#include "tools/vox-stats/options.h"

namespace vox {

// The measurements of a scene. Sections that were not asked for are empty.
struct SceneStats {
  std::string file;
  std::string device;          // empty if none was needed
  std::string device_text;     // the same in words
  bool has_scene = true;       // false for a file that holds bricks alone
  dag::VoxelScene scene;       // as read
  std::set<Section> sections;  // the sections that are filled
  std::optional<measure::DagStats> dag;
  std::optional<measure::DagStats> geometry;  // the scene without its materials, if it has any
  std::vector<measure::SceneSize> sizes;
  std::vector<measure::TableReport> tables;
  std::optional<render::Picture> picture;  // for the page; a scene without voxels has none
  std::string viewer;                      // the page that is shown in place of the picture
  std::optional<measure::BricksStats> bricks;
  std::optional<measure::SceneSize> hash;  // the scene as a spatial hash, if the file has one
  std::vector<device::KernelTime> kernels;

  bool has(Section section) const { return sections.count(section) > 0; }
};

// All that was measured, as JSON and reports show it.
measure::ResultGroup results_of(const SceneStats& stats);
std::string screen_text(const SceneStats& stats);
HtmlPage page_of(const SceneStats& stats);

// The parts of a page that say what a scene looks like. `materials` is what used_materials() gives.
render::Picture picture_of(Engine& engine, const dag::VoxelScene& scene);
std::string viewer_of(const dag::VoxelScene& scene, const StatsOptions& options);
void add_materials_figure(HtmlPage& page, const std::string& title, const std::string& caption,
                          const measure::ResultTable& materials);

// The tables that screen, page and files share.
measure::ResultTable materials_table(const scene::Palette& palette, const measure::DagStats& stats,
                                     const std::vector<uint32_t>& entries);  // entries of the palette
measure::ResultTable used_materials(const scene::Palette& palette, const measure::DagStats& stats);
measure::ResultTable sizes_table(const SceneStats& stats);

// The levels of a scene, or all of them as one row.
struct LevelRow {
  uint64_t level, side;
  measure::LevelStats stats;
};
std::vector<LevelRow> level_rows(const dag::FrozenDag& dag, const measure::DagStats& stats);
std::vector<LevelRow> all_levels(const measure::DagStats& stats);
// `geometry` has the same rows without materials, or is empty.
measure::ResultTable levels_table(const std::vector<LevelRow>& rows, const std::vector<LevelRow>& geometry);

// A hash table with one load factor.
struct TableRow {
  const measure::TableReport* report;
  hash::TableMemory memory, prediction;  // for all sizes of items
  double overhead;                       // 0.2 if it takes a fifth more than nodes and leaves alone
};
std::vector<TableRow> table_rows(const SceneStats& stats);
measure::ResultTable figures_table(const std::vector<TableRow>& rows);  // for people: all that a page shows
// The table for screens, which says what the bytes are for: the first kPurposesOfTotal of the columns from
// kFirstPurpose on add up to TableMemory::total_bytes().
inline constexpr size_t kFirstPurpose = 2, kPurposesOfTotal = 6;
measure::ResultTable purposes_table(const std::vector<TableRow>& rows);
void set_tables(measure::ResultGroup& tables, const SceneStats& stats);  // for files

}  // namespace vox
