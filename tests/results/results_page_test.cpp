// Tests that docs/results.md lists the fields of all programs as the code states them: names, units and sentences. With
// VOX_WRITE_DOCS the test writes the list instead (the target `results_page`).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "formats/results/files.h"
#include "tools/common/reports.h"
#include "tools/vox-bench/reports.h"
#include "tools/vox-convert/scenes.h"
#include "tools/vox-edit/edit.h"
#include "tools/vox-render/frames.h"
#include "tools/vox-scene/results.h"
#include "tools/vox-stats/stats.h"

namespace vox {
namespace {

using Fields = std::vector<ResultField>;
using Sections = std::vector<ResultSection>;

bool same_place(const ResultField& a, const ResultField& b) {
  return a.json == b.json && a.report == b.report;
}

// Returns the fields of several trees, each once and without those of `left_out`.
Fields fields_of_all(const std::vector<ResultGroup>& trees, const Fields& left_out = {}) {
  Fields all;
  for (const ResultGroup& tree : trees)
    for (const ResultField& field : fields_of(tree)) {
      const auto is_here = [&](const ResultField& other) { return same_place(field, other); };
      if (std::ranges::none_of(all, is_here) && std::ranges::none_of(left_out, is_here)) all.push_back(field);
    }
  return all;
}

// Returns the fields of JSON alone, for programs that write no reports.
Fields json_fields(const std::vector<ResultGroup>& trees) {
  Fields fields = fields_of_all(trees);
  for (ResultField& field : fields) field.report.clear();
  std::erase_if(fields, [](const ResultField& field) { return field.json.empty(); });
  return fields;
}

// The fields at the root of every report, and those of every benchmark besides.

Fields fields_of_reports() {
  Fields fields = {{"", "/@format", "", "`vox-report`, as in every report."},
                   {"", "/@version", "", "1, the version of the report's layout."}};
  ResultGroup results;
  set_origin(results, RunOrigin());
  set_conditions(results, conditions_of(std::vector<std::filesystem::path>()), in_report);
  std::ranges::copy(fields_of(results), std::back_inserter(fields));
  return fields;
}

Fields fields_of_benchmarks() {
  ResultGroup results;
  set_run(results, BenchRun());
  return fields_of_all({results}, fields_of_reports());
}

// Runs that have every value that a run can have. Tables need no rows.

template <class Run>
ResultSection benchmark(const std::string& command, const Run& run, const std::string& text = "") {
  Fields common = fields_of_reports();
  std::ranges::copy(fields_of_benchmarks(), std::back_inserter(common));
  return {"vox-bench " + command, text, fields_of_all({results_of(run)}, common)};
}

KeysBenchRun keys_run() {
  KeysBenchRun run;
  run.result.rows.emplace_back().kernels.emplace_back();
  run.result.ages.emplace_back();
  run.result.failures.emplace_back();
  return run;
}

template <class Run>
Run run_with_kernels() {
  Run run;
  run.result.rows.emplace_back().kernels.emplace_back();
  return run;
}

// The results of a part are those of its command, which another section lists.
AllRun all_run() {
  AllRun run;
  run.result.parts.push_back({.name = "table2", .command = ""});
  run.result.published.emplace_back();
  return run;
}

MatchRun match_run() {
  MatchRun run;
  run.result.queries.emplace_back().match.emplace();
  run.known.emplace_back();
  run.queries.emplace_back();
  return run;
}

dag::VoxelScene some_scene() {
  dag::VoxelScene scene;
  scene.dag.resolution = 4;
  scene.dag.levels.emplace_back();
  scene.named_colors.emplace_back();
  return scene;
}

dag::VoxelScene scene_with_colors() {
  dag::VoxelScene scene = some_scene();
  scene.colors.emplace();
  return scene;
}

measure::DagStats some_counts() {
  measure::DagStats counts;
  counts.levels.emplace_back();
  counts.filled = {{0, 0, 0}, {1, 1, 1}};
  return counts;
}

TableRow some_table() {
  static const measure::TableReport report = {.table = "sector",
                                              .load_factor = 1,
                                              .sizes = {{}},
                                              .prediction = {{}},
                                              .build_seconds = 0,
                                              .levels = {{}}};
  return {&report, {}, {}, 0};
}

ResultGroup stats_results() {
  SceneStats stats;
  stats.device = "cpu";
  stats.scene = scene_with_colors();
  stats.sections = {Section::Scene, Section::Materials, Section::Levels, Section::Sharing,
                    Section::Sizes, Section::Memory,    Section::Bricks};
  stats.dag = stats.geometry = some_counts();
  stats.tables = stats.geometry_tables = {*some_table().report};
  stats.compression.emplace();
  stats.compression->forms.push_back({.size = {"svdag_4", "an SVDAG", 1}});
  stats.compression->materials.push_back({"leaves", "in the leaves", 1});
  stats.compression->octree_nodes.resize(stats.scene.dag.levels.size());
  stats.compression->moved_nodes.resize(stats.scene.dag.levels.size());
  stats.compression->moved_stored.resize(stats.scene.dag.levels.size());
  stats.compression->lossy_changed_voxels = 0;
  for (std::optional<measure::SharedDag>& shared : stats.compression->shared)
    shared.emplace().levels.resize(stats.scene.dag.levels.size());
  stats.bricks.emplace();
  stats.bricks->rows.push_back({"dense", {{}}});
  stats.bricks->svdag_bytes = 1;
  stats.kernels.emplace_back();
  return results_of(stats);
}

std::vector<BricksOfFile> some_bricks_of_files() {
  std::vector<BricksOfFile> files(1);
  files[0].stats.rows = {{"four types", {{}}}, {"all types", {{}}}};
  return files;
}

ResultGroup comparison_results() {
  Comparison comparison;
  comparison.first.scene = comparison.second.scene = comparison.both = some_scene();
  comparison.overlap.both_of_first = some_counts();
  comparison.overlap.first = comparison.overlap.second = some_counts();
  comparison.overlap.both_of_second = some_counts();
  comparison.kernels.emplace_back();
  return results_of(comparison);
}

ResultGroup convert_results() {
  const dag::VoxelScene scene = scene_with_colors();
  const bricks::FrozenBricks bricks;
  const spatial::FrozenHash hash;
  const dag::SymmetricDag symmetric;
  Conversion conversion;
  conversion.palette_error.emplace();
  conversion.painting.emplace();
  conversion.combined.emplace();
  conversion.spill.emplace();
  conversion.ranks.emplace_back();
  conversion.kernels.emplace_back();
  const VolumeConversion volume;
  SceneFigures figures = scene;
  figures.normals = AttributeInfo{0, dag::Digest{}};
  if (figures.colors) figures.colors->digest.emplace();
  ResultGroup results = results_of({.file = "",
                                    .verified = true,
                                    .scene = figures,
                                    .forms = {&bricks, &hash, &symmetric},
                                    .conversion = &conversion,
                                    .volume = &volume,
                                    .lossy = LossyFigures()});
  set_conditions(results, conditions_of(std::vector<std::filesystem::path>()), in_json);
  return results;
}

EditLog some_log() {
  EditLog log(KeepRows::Yes);
  log.add(edit::PassRecord());
  return log;
}

ResultGroup edit_results() {
  const EditOptions options;
  const dag::VoxelScene scene = some_scene();
  const bricks::FrozenBricks bricks;
  return results_of({options, scene, &bricks, some_log(), {}, edit_seconds(0, 0, 0), "", {{}}});
}

ResultGroup volume_edit_results() {
  const EditOptions options;
  const bricks::FrozenBricks bricks;
  return results_of({options, bricks, {{}}, edit_seconds(0, 0, 0), "", {{}}});
}

std::vector<ResultGroup> check_results() {
  edit::ScriptFindings found;
  found.tools["copy"] = 1;
  return {check_results(EditOptions(), 0, found),
          check_results(EditOptions(), 0, std::vector<std::string>())};
}

ResultGroup picture_results(const std::optional<render::SliceOptions>& slice) {
  RenderToolOptions options;
  options.slice = slice;
  options.render.samples = 2;
  options.render.sampling = render::Sampling::Edges;
  Frame frame;
  frame.pose.up = {1, 0, 0};
  ResultGroup results;
  set_picture(results, frame, {}, {}, options);
  return results;
}

// The results of a scene's pictures, of a slice of a volume and of a page.
std::vector<ResultGroup> render_results() {
  RenderToolOptions options;
  ResultGroup pictures = scene_results(options, some_scene(), "");
  pictures.append("pictures") = picture_results({});
  pictures.append("pictures") = picture_results(render::SliceOptions());
  set_profile(pictures, {{}});
  ResultGroup slice = volume_results(options);
  set_range(slice, 0, 1);
  options.page = "";
  return {pictures, slice, picture_results(render::SliceOptions()), page_results(options, {}),
          stream_results(options, {})};
}

Sections programs() {
  const Fields reports = fields_of_reports();
  ResultGroup comparison;
  set_against(comparison, Against());
  return {
      {"every report",
       "The root of every report has these attributes, the group `machine` and the table `inputs`.", reports},
      {"vox-convert", "", json_fields({convert_results()})},
      {"vox-edit", "`--log` writes the report.", fields_of_all({edit_results()}, reports)},
      {"vox-edit of a volume", "`--log` writes the report.", fields_of_all({volume_edit_results()}, reports)},
      {"vox-edit --check", "", json_fields(check_results())},
      {"vox-render", "", json_fields(render_results())},
      {"vox-scene", "", json_fields({results_of(scene::Scene(), "", 0, 0)})},
      {"vox-stats", "`-o` writes the report.", fields_of_all({stats_results()}, reports)},
      {"vox-stats of several files", "With `--only bricks`; `-o` writes the report.",
       fields_of_all({files_results(some_bricks_of_files(), "")}, reports)},
      {"vox-stats --against", "", json_fields({comparison_results()})},
      {"every benchmark", "", fields_of_benchmarks()},
      benchmark("all", all_run(),
                "The results of a part are those of its command, in an object or a group with its name."),
      benchmark("hash", HashBenchRun()),
      benchmark("keys", keys_run()),
      benchmark("intersect", IntersectRun()),
      benchmark("convert", run_with_kernels<ConvertBenchRun>()),
      benchmark("compression", CompressionRun()),
      benchmark("edit", run_with_kernels<EditBenchRun>()),
      benchmark("forms", FormsBenchRun()),
      benchmark("machine", MachineRun()),
      benchmark("match", match_run()),
      benchmark("rays", RaysBenchRun()),
      benchmark("bricks", BricksBenchRun()),
      {"a comparison", "With `--against`, the results of every benchmark have it.", fields_of(comparison)}};
}

// The fields that several programs, or several places of their results, have.
Sections parts() {
  const dag::VoxelScene scene = some_scene();
  const std::vector<LevelRow> levels = level_rows(scene.dag, some_counts());
  ResultGroup of_scene, of_bricks, of_hash, of_kernels, of_work, of_level, of_table;
  set_scene(of_scene, scene);
  set_bricks(of_bricks, {});
  set_hash(of_hash, {});
  set_profile(of_kernels, {{}});
  of_work.put(".", some_log().total_table(ToolColumns::Times), TableShape::Record);
  add_levels(of_level.table("."), levels, {});
  set_table(of_table, scene.dag, some_table());
  return {{"a scene", "", json_fields({of_scene})},
          {"bricks", "", fields_of(of_bricks)},
          {"spatial hash", "", json_fields({of_hash})},
          {"kernels", "", json_fields({of_kernels})},
          {"work", "", json_fields({of_work})},
          {"a level", "", fields_of(of_level)},
          {"a hash table", "", fields_of(of_table)},
          {"a picture", "", json_fields({picture_results({}), picture_results(render::SliceOptions())})}};
}

std::string list_text() {
  return sections_text(programs(), parts()) + "\n";
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(ResultsPage, ListsTheFieldsOfAllPrograms) {
  const char* docs = std::getenv("VOX_DOCS");
  if (docs == nullptr) GTEST_SKIP() << "VOX_DOCS names no folder";
  const std::string path = std::string(docs) + "/results.md", page = text_of_file(path);
  const std::string begin = "<!-- the fields of all programs: begin -->\n",
                    end = "<!-- the fields of all programs: end -->\n";
  ASSERT_NE(page.find(begin), std::string::npos);
  ASSERT_NE(page.find(end), std::string::npos);
  const size_t first = page.find(begin) + begin.size();
  const std::string list = list_text();
  if (std::getenv("VOX_WRITE_DOCS") != nullptr) {
    std::ofstream(path, std::ios::binary) << page.substr(0, first) << list << page.substr(page.find(end));
    return;
  }
  const std::vector<std::string> lines = lines_of(page.substr(first, page.find(end) - first)),
                                 stated = lines_of(list);
  EXPECT_EQ(lines.size(), stated.size()) << "the target results_page writes the list";
  for (size_t line = 0; line < std::min(lines.size(), stated.size()); ++line)
    ASSERT_EQ(lines[line], stated[line]) << "the target results_page writes the list";
}

TEST(ResultsPage, EveryFieldHasASentence) {
  for (const ResultSection& section : programs()) {
    EXPECT_GT(section.fields.size(), 1u) << section.title;
    for (const ResultField& field : section.fields)
      EXPECT_TRUE(field.about.ends_with('.')) << section.title << ": " << field.json << " " << field.report;
  }
}

}  // namespace
}  // namespace vox
