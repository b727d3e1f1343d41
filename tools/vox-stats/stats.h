// The measurements of vox-stats of a scene, and the functions that show them.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "formats/io/output_file.h"
#include "formats/pages/html_page.h"
#include "formats/results/results.h"
#include "formats/results/views.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/compression.h"
#include "libvox/measure/hash_bench.h"
#include "libvox/measure/stats.h"
#include "libvox/ranks/ranks.h"
#include "libvox/render/render.h"
#include "tools/common/command_line.h"

namespace vox {

std::string bricks_text(const measure::BricksStats& stats);
void set_bricks_stats(ResultGroup& results, const measure::BricksStats& stats);
void add_bricks(HtmlPage& page, const measure::BricksStats& stats);

// The bricks of one of several files. They are shown in one table, like Tables 6.1 and 6.3 of Labschütz.
struct BricksOfFile {
  std::string file;
  measure::BricksStats stats;
};

ResultTable files_table(const std::vector<BricksOfFile>& files);
// Returns all of it. In a report it is /files.
ResultGroup files_results(const std::vector<BricksOfFile>& files, const std::string& command);

// The sections of a report, which --only names.
enum class Section { Scene, Materials, Levels, Sharing, Sizes, Memory, Bricks, Compression };

struct StatsOptions {
  std::filesystem::path scene;
  std::vector<std::filesystem::path> others;     // more files, whose bricks are compared with the first one's
  std::optional<std::filesystem::path> against;  // another scene to compare with
  std::optional<std::filesystem::path> output;   // the report; with `against`, a scene of the common voxels
  std::optional<std::filesystem::path> html;
  bool viewer = false;  // true if the page has a viewer instead of a picture
  std::set<Section> sections;
  std::set<Section> asked;  // the sections that --only names; the file must have them
  measure::TablesQuery tables;
  bool geometry_tables = false;  // also measure the tables of the scene without materials
  EngineOptions engine;
  bool json = false;
  Overwrite overwrite = Overwrite::OwnFiles;
  std::vector<Option> given;  // options on the command line
  std::string command;

  bool shows(Section section) const { return sections.count(section) > 0; }
  // True if hash tables have to be built, because more is asked for than their sizes.
  bool needs_tables() const { return tables.times || tables.verify; }
};

// The traits of a run, for the rules of options. They say what it shows.
enum StatsTrait : uint32_t { kShowsSections = 1, kShowsMemory = 2, kShowsPicture = 4 };

// The columns of a table of levels: only the counts that a scene file states, or also counts that show how nodes are
// shared, for which all nodes are read.
enum class LevelColumns { Stated, All };

// The measurements of a scene. Sections that were not asked for are empty.
struct SceneStats {
  std::string file;
  std::string device;          // empty if no device was needed
  std::string device_text;     // the same in words
  std::string command;         // the command line
  bool has_scene = true;       // false for a file that holds bricks alone
  dag::VoxelScene scene;       // as read
  std::set<Section> sections;  // the sections that are filled
  std::optional<measure::DagStats> dag;
  std::optional<measure::DagStats> geometry;  // the scene without its materials, if it has materials
  std::vector<measure::SceneSize> sizes;
  std::vector<measure::TableReport> tables;
  std::vector<measure::TableReport> geometry_tables;  // the same for the scene without materials
  std::optional<measure::CompressionStats> compression;
  std::optional<render::Picture> picture;  // for the page; absent if the scene has no voxels
  std::string viewer;                      // the page that replaces the picture
  std::optional<measure::BricksStats> bricks;
  std::optional<measure::SceneSize> hash;       // the size of the spatial hash, if the file has one
  std::optional<measure::SceneSize> symmetric;  // the size of the symmetric form, likewise
  std::vector<device::KernelTime> kernels;

  bool has(Section section) const { return sections.count(section) > 0; }
  LevelColumns level_columns() const {
    return has(Section::Sharing) ? LevelColumns::All : LevelColumns::Stated;
  }
};

// Counts the nodes of a scene that has been read. Collective: each rank counts its share, and rank 0 has the result.
void count_scene(SceneStats& stats, const StatsOptions& options, ranks::Ranks& ranks);
// Measures the other sections of the scene, except its bricks.
void measure_scene(SceneStats& stats, const StatsOptions& options);

// Returns all measurements, in the form for JSON and reports.
ResultGroup results_of(const SceneStats& stats);
std::string screen_text(const SceneStats& stats);
HtmlPage page_of(const SceneStats& stats);

// These return the parts of a page that show a scene. `materials` is the result of used_materials().
render::Picture picture_of(Engine& engine, const dag::VoxelScene& scene);
std::string viewer_of(const dag::VoxelScene& scene, const StatsOptions& options);
void add_materials_figure(HtmlPage& page, const std::string& title, const std::string& caption,
                          const ResultTable& materials);

// The tables that screen, page and files share:
ResultTable materials_table(const scene::Palette& palette, const measure::DagStats& stats,
                            const std::vector<uint32_t>& entries);  // entries of the palette
ResultTable used_materials(const scene::Palette& palette, const measure::DagStats& stats);
ResultTable sizes_table(const SceneStats& stats);
// Adds a row for each form with its name and size, under these headings for people.
void add_forms(ResultTable& table, const std::vector<measure::SceneSize>& forms, uint64_t voxels,
               const ResultName& text, const std::string& title, const Headings& bytes);

inline const Headings kMibHeadings = {.screen = {"MiB", Look::mib()}, .page = {"size", Look::mib(), "MiB"}};
inline const Headings kBitsHeadings = {.screen = {"bits a filled voxel", Look::fixed(3)},
                                       .page = {"a filled voxel", Look::fixed(3), "bits"}};

// One level of a scene, or all levels, as a row.
struct LevelRow {
  uint64_t level, side;
  measure::LevelStats stats;
};
std::vector<LevelRow> level_rows(const dag::FrozenDag& dag, const measure::DagStats& stats);
std::vector<LevelRow> all_levels(const measure::DagStats& stats);
// `geometry` has the same rows without materials, or is empty.
ResultTable levels_table(const std::vector<LevelRow>& rows, const std::vector<LevelRow>& geometry,
                         LevelColumns columns);

// The texts with which the names of a level's columns begin in JSON and in a report.
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
  // 0.2 if the table takes a fifth more than its nodes and leaves; absent if it has not been built
  std::optional<double> overhead;
};
std::vector<TableRow> table_rows(const SceneStats& stats);
std::vector<TableRow> geometry_table_rows(const SceneStats& stats);
// Returns the bytes of the scene's nodes and leaves without materials, which must have been counted.
uint64_t geometry_bytes(const SceneStats& stats);
ResultTable memory_table(const std::vector<TableRow>& rows);
// The columns that show the uses of a table's bytes. They add up to its total.
inline const ColumnNames kPurposes = {"items_bytes", "empty_bytes",   "fingerprint_bytes",
                                      "link_bytes",  "padding_bytes", "bucket_bytes"};
// These set the values for files: those of a table, also for each size of items, and those of all tables.
void set_table(ResultGroup& group, const dag::FrozenDag& dag, const TableRow& row);
void set_tables(ResultGroup& tables, const dag::FrozenDag& dag, const std::vector<TableRow>& rows);
std::string memory_text(const SceneStats& stats);  // the section for the screen

// These make the section on compression.
void set_compression(ResultGroup& results, const SceneStats& stats);
std::string compression_text(const SceneStats& stats);
void add_compression(HtmlPage& page, const SceneStats& stats);

// One of the two scenes that `vox-stats --against` compares by the voxels that both fill.
struct ComparedScene {
  std::string file;
  dag::VoxelScene scene;  // its DAG loses its words after the comparison
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

void run_against(const StatsOptions& options);

}  // namespace vox
