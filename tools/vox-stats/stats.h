// The knowledge of vox-stats about a scene, and the ways to show it.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "formats/io/overwrite.h"
#include "formats/pages/html_page.h"
#include "formats/results/results.h"
#include "formats/results/views.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/compression.h"
#include "libvox/measure/hash_bench.h"
#include "libvox/measure/stats.h"
#include "libvox/render/render.h"
#include "tools/common/command_line.h"

namespace vox {

// The part of vox-stats on bricks: those of the file, and the memory that others would take.

// Tables for people: the memory that other bricks would take, the types for each size, and the forms side by
// side.
ResultTable sizes_table(const measure::BricksStats& stats);
ResultTable shares_table(const measure::BricksStats& stats);
ResultTable forms_table(const measure::BricksStats& stats);

std::string bricks_text(const measure::BricksStats& stats);
void set_bricks_stats(ResultGroup& results, const measure::BricksStats& stats);
void add_bricks(HtmlPage& page, const measure::BricksStats& stats);

// The bricks of several files as one table, as Labschütz, Tables 6.1 and 6.3.

struct BricksOfFile {
  std::string file;
  measure::BricksStats stats;
};

ResultTable files_table(const std::vector<BricksOfFile>& files);
// All of it. In a report it is /files.
ResultGroup files_results(const std::vector<BricksOfFile>& files, const std::string& command);

// The command line of vox-stats.

enum class Section { Scene, Materials, Levels, Sharing, Sizes, Memory, Bricks, Compression };

struct StatsOptions {
  std::filesystem::path scene;
  std::vector<std::filesystem::path> others;  // further files, whose bricks are compared with the first one's
  std::optional<std::filesystem::path> against;  // another scene, with which this one is compared
  std::optional<std::filesystem::path> output;   // the report; with `against`, the voxels that both fill
  std::optional<std::filesystem::path> html;
  bool viewer = false;  // the page has a viewer instead of a picture
  std::set<Section> sections;
  std::set<Section> asked;  // the sections that --only names, which the file must have
  measure::TablesQuery tables;
  bool geometry_tables = false;  // also measure the tables of the scene without materials
  EngineOptions engine;
  bool json = false;
  Overwrite overwrite = Overwrite::OwnFiles;
  std::vector<Option> given;  // options on the command line
  std::string command;

  bool shows(Section section) const { return sections.count(section) > 0; }
};

// The traits of a run, for the rules of options: what it shows.
enum StatsTrait : uint32_t { kShowsSections = 1, kShowsMemory = 2, kShowsPicture = 4 };

ToolDescription stats_description();

// Throws UsageError, and Error if a scene is missing.
StatsOptions read_stats_options(const CommandLine& arguments);

// The columns of a table of levels: only what a scene file states about its levels, or also what shows how nodes are
// shared, which is counted.
enum class LevelColumns { Stated, All };

// The measurements of a scene. Sections that were not asked for are empty.
struct SceneStats {
  std::string file;
  std::string device;          // empty if none was needed
  std::string device_text;     // the same in words
  std::string command;         // the command line
  bool has_scene = true;       // false for a file that holds bricks alone
  dag::VoxelScene scene;       // as read
  std::set<Section> sections;  // the sections that are filled
  std::optional<measure::DagStats> dag;
  std::optional<measure::DagStats> geometry;  // the scene without its materials, if it has any
  std::vector<measure::SceneSize> sizes;
  std::vector<measure::TableReport> tables;
  std::vector<measure::TableReport> geometry_tables;  // the same for the scene without materials
  std::optional<measure::CompressionStats> compression;
  std::optional<render::Picture> picture;  // for the page; a scene without voxels has none
  std::string viewer;                      // the page that is shown in place of the picture
  std::optional<measure::BricksStats> bricks;
  std::optional<measure::SceneSize> hash;       // the scene as a spatial hash, if the file has one
  std::optional<measure::SceneSize> symmetric;  // its symmetric form, likewise
  std::vector<device::KernelTime> kernels;

  bool has(Section section) const { return sections.count(section) > 0; }
  LevelColumns level_columns() const {
    return has(Section::Sharing) ? LevelColumns::All : LevelColumns::Stated;
  }
};

// All that was measured, as JSON and reports show it.
ResultGroup results_of(const SceneStats& stats);
std::string screen_text(const SceneStats& stats);
HtmlPage page_of(const SceneStats& stats);

// The parts of a page that say what a scene looks like. `materials` is what used_materials() gives.
render::Picture picture_of(Engine& engine, const dag::VoxelScene& scene);
std::string viewer_of(const dag::VoxelScene& scene, const StatsOptions& options);
void add_materials_figure(HtmlPage& page, const std::string& title, const std::string& caption,
                          const ResultTable& materials);

// The tables that screen, page and files share.
ResultTable materials_table(const scene::Palette& palette, const measure::DagStats& stats,
                            const std::vector<uint32_t>& entries);  // entries of the palette
ResultTable used_materials(const scene::Palette& palette, const measure::DagStats& stats);
ResultTable sizes_table(const SceneStats& stats);
// Adds a row for each form with its name and size, for people as in `bytes`.
void add_forms(ResultTable& table, const std::vector<measure::SceneSize>& forms, uint64_t voxels,
               const ResultName& text, const Headings& bytes);

// The levels of a scene, or all of them as one row.
struct LevelRow {
  uint64_t level, side;
  measure::LevelStats stats;
};
std::vector<LevelRow> level_rows(const dag::FrozenDag& dag, const measure::DagStats& stats);
std::vector<LevelRow> all_levels(const measure::DagStats& stats);
// `geometry` has the same rows without materials, or is empty.
ResultTable levels_table(const std::vector<LevelRow>& rows, const std::vector<LevelRow>& geometry,
                         LevelColumns columns);

// The names of a level's columns begin with these texts, in JSON and in a report.
struct LevelsOf {
  std::string json, report;
  Headings nodes = {}, reduction = {}, bytes = {}, pointers = {}, places = {};
};
void add_levels(ResultTable& table, const std::vector<LevelRow>& rows, const LevelsOf& of,
                LevelColumns columns = LevelColumns::All);

// A hash table with one load factor.
struct TableRow {
  const measure::TableReport* report;
  hash::TableMemory memory, prediction;  // for all sizes of items
  double overhead;                       // 0.2 if it takes a fifth more than nodes and leaves alone
};
std::vector<TableRow> table_rows(const SceneStats& stats);
std::vector<TableRow> geometry_table_rows(const SceneStats& stats);
// Returns the bytes of the scene's nodes and leaves without materials, which must have been counted.
uint64_t geometry_bytes(const SceneStats& stats);
ResultTable memory_table(const std::vector<TableRow>& rows);
// The columns of it that say what the bytes are for. They add up to the table's total.
inline const ColumnNames kPurposes = {"items_bytes", "empty_bytes",   "fingerprint_bytes",
                                      "link_bytes",  "padding_bytes", "bucket_bytes"};
// Sets for files what a table holds, also for each size of items, and all tables.
void set_table(ResultGroup& group, const dag::FrozenDag& dag, const TableRow& row);
void set_tables(ResultGroup& tables, const dag::FrozenDag& dag, const std::vector<TableRow>& rows);
std::string memory_text(const SceneStats& stats);  // the section of the screen

// The section on compression.
void set_compression(ResultGroup& results, const SceneStats& stats);
std::string compression_text(const SceneStats& stats);
void add_compression(HtmlPage& page, const SceneStats& stats);

// The comparison of two scenes by vox-stats --against: the voxels that both fill.

// One of the two.
struct ComparedScene {
  std::string file;
  dag::VoxelScene scene;  // without the words of its DAG once it has been compared
};

// Two scenes of one grid.
struct Comparison {
  ComparedScene first, second;
  dag::VoxelScene both;  // the voxels that both fill
  measure::SceneOverlap overlap;
  std::string device, device_text;
  std::optional<render::Picture> picture;  // a picture of these voxels, for the page; none if there are none
  std::vector<device::KernelTime> kernels;
};

ResultGroup results_of(const Comparison& comparison);
std::string screen_text(const Comparison& comparison);
HtmlPage page_of(const Comparison& comparison);

// Does all that --against asks for.
void run_against(const StatsOptions& options);

}  // namespace vox
