// Shows the measurements of each command to people and to programs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/pages/html_page.h"
#include "formats/results/views.h"
#include "libvox/measure/bricks_bench.h"
#include "libvox/measure/compression.h"
#include "libvox/measure/convert_bench.h"
#include "libvox/measure/edit_bench.h"
#include "libvox/measure/forms_bench.h"
#include "libvox/measure/hash_bench.h"
#include "libvox/measure/intersect_bench.h"
#include "libvox/measure/keys_bench.h"
#include "libvox/measure/machine_bench.h"
#include "libvox/measure/match_bench.h"
#include "libvox/measure/rays_bench.h"
#include "tools/common/reports.h"
#include "tools/vox-bench/command_line.h"
#include "tools/vox-bench/results.h"

namespace vox {

// Each command has a run: a struct of its results. For every run these functions are defined beside the command, or
// in a file COMMAND_report.cpp:
//
//   table_text()     the results as tables for people
//   set_results()    sets all results as the values and tables of a group; in a report its name is Run::kGroup
//   rows_table()     the table for --csv, by which two runs are compared
//   page_of()        the results as a page with charts
//
// Run::compared() returns the columns of rows_table() by which two runs are compared.

// A figure that a paper states or that follows from such figures, and the same figure measured here.
struct PublishedRow {
  std::string part, paper, where, machine, unit;
  double published = 0;
  std::optional<double> here = {};  // absent if the part has failed or was not run
};

struct PartOfAll {
  std::string name, command;
  double seconds = 0;
  std::string error = {};  // the reason if the part failed or was interrupted
  bool interrupted = false;
  std::optional<BenchReport> report = {};  // its results, even if they were found to be wrong
};

struct AllResult {
  std::string scale;
  std::vector<PartOfAll> parts = {};
  std::vector<PublishedRow> published = {};
  double seconds = 0;

  uint64_t failed() const;
  bool interrupted() const { return !parts.empty() && parts.back().interrupted; }
};

// A report has a group for each part beside the group `all`.
struct AllRun : BenchRun {
  static constexpr const char* kGroup = "all";
  AllResult result;
  static ComparedColumns compared() { return {{"part"}, {"command", "error"}}; }
};
std::string table_text(const AllRun& run);
void set_results(ResultGroup& group, const AllRun& run);
ResultTable rows_table(const AllRun& run);
HtmlPage page_of(const AllRun& run);
// Adds the results of all parts, each as a group with its name.
void set_parts(ResultGroup& results, const AllRun& run);

struct BricksBenchRun : BenchRun {
  static constexpr const char* kGroup = "bricks";
  measure::BricksBenchResult result;
  static ComparedColumns compared() {
    return {{"types", "brick_size", "access", "loop", "filter"}, {"lookups", "bytes"}};
  }
};
std::string table_text(const BricksBenchRun& run);
void set_results(ResultGroup& group, const BricksBenchRun& run);
ResultTable rows_table(const BricksBenchRun& run);
HtmlPage page_of(const BricksBenchRun& run);

// One form of a scene at one resolution.
struct CompressionRow {
  uint32_t resolution = 0;
  uint64_t voxels = 0;
  measure::CompressionForm form;
  double seconds = 0;  // for all forms of this resolution
};

struct CompressionResult {
  std::string source;
  std::vector<CompressionRow> rows;
  double seconds = 0;
};

struct CompressionRun : BenchRun {
  static constexpr const char* kGroup = "compression";
  CompressionResult result;
  static ComparedColumns compared() { return {{"resolution", "form"}, {"voxels", "nodes", "bytes"}}; }
};
std::string table_text(const CompressionRun& run);
void set_results(ResultGroup& group, const CompressionRun& run);
ResultTable rows_table(const CompressionRun& run);
HtmlPage page_of(const CompressionRun& run);

struct ConvertBenchRun : BenchRun {
  static constexpr const char* kGroup = "convert";
  measure::ConvertBenchResult result;
  static ComparedColumns compared() {
    return {{"mesh", "coverage", "materials", "resolution"}, {"triangles", "voxels", "svo_nodes", "nodes"}};
  }
};
std::string table_text(const ConvertBenchRun& run);
void set_results(ResultGroup& group, const ConvertBenchRun& run);
ResultTable rows_table(const ConvertBenchRun& run);
HtmlPage page_of(const ConvertBenchRun& run);

struct EditBenchRun : BenchRun {
  static constexpr const char* kGroup = "edit";
  std::string source;
  measure::EditBenchResult result;
  // The number of nodes that an edit makes on its way may differ; its result may not.
  static ComparedColumns compared() {
    return {{"series", "order", "size", "batch", "edits", "table"},
            {"changed_voxels", "nodes_new", "leaves_new", "items_after"}};
  }
};
std::string table_text(const EditBenchRun& run);
void set_results(ResultGroup& group, const EditBenchRun& run);
ResultTable rows_table(const EditBenchRun& run);
HtmlPage page_of(const EditBenchRun& run);

struct FormsBenchRun : BenchRun {
  static constexpr const char* kGroup = "forms";
  std::string source;
  measure::FormsBenchResult result;
  static ComparedColumns compared() {
    return {{"form", "brick_size", "load_factor", "layout", "loop"}, {"lookups", "filled", "checksum"}};
  }
};
std::string table_text(const FormsBenchRun& run);
void set_results(ResultGroup& group, const FormsBenchRun& run);
ResultTable rows_table(const FormsBenchRun& run);
HtmlPage page_of(const FormsBenchRun& run);

struct HashBenchRun : BenchRun {
  static constexpr const char* kGroup = "hash";
  measure::HashBenchResult result;
  static ComparedColumns compared() {
    return {{"table", "item_words", "load_factor", "op", "hit_rate"}, {"items"}};
  }
};
std::string table_text(const HashBenchRun& run);
void set_results(ResultGroup& group, const HashBenchRun& run);
ResultTable rows_table(const HashBenchRun& run);
HtmlPage page_of(const HashBenchRun& run);

struct IntersectRun : BenchRun {
  static constexpr const char* kGroup = "intersect";
  std::string first, second;  // names of the meshes
  measure::IntersectOptions options;
  measure::IntersectResult result;
  static ComparedColumns compared() {
    return {{"table", "frame"},
            {"first_voxels", "second_voxels", "common_voxels", "candidates", "meeting", "kept_voxels"}};
  }
};
std::string table_text(const IntersectRun& run);
void set_results(ResultGroup& group, const IntersectRun& run);
ResultTable rows_table(const IntersectRun& run);
HtmlPage page_of(const IntersectRun& run);

struct KeysBenchRun : BenchRun {
  static constexpr const char* kGroup = "keys";
  measure::KeysBenchResult result;
  static ComparedColumns compared() {
    return {{"table", "set", "layout", "key_bits", "value_bits", "keys", "load_factor", "multiplicity", "op",
             "hit_rate"},
            {"items"}};
  }
};
std::string table_text(const KeysBenchRun& run);
void set_results(ResultGroup& group, const KeysBenchRun& run);
ResultTable rows_table(const KeysBenchRun& run);  // if nothing else was measured, the ages
HtmlPage page_of(const KeysBenchRun& run);

// Tables that the text and the page of `vox-bench keys` share. The summary has, for each table of keys, the mean age,
// the age of 99 % of the keys, and the greatest age.
ResultTable keys_rows_table(const std::vector<measure::KeysBenchRow>& rows);
ResultTable ages_table(const std::vector<measure::KeyAgesRow>& rows);
ResultTable failures_table(const std::vector<measure::KeyFailuresRow>& rows);
ResultTable ages_summary(const std::vector<measure::KeyAgesRow>& rows);
// Returns the text that the rows of one table for people share: "image, morton, 524,288 keys of 64 bits".
std::string set_text(const ResultRow& row);
std::string set_text(const measure::KeyTablePoint& point);
// Returns a text such as "find 50 %".
std::string op_text(const ResultRow& row);

struct MachineRun : BenchRun {
  static constexpr const char* kGroup = "limits";
  measure::MachineBenchResult result;
  static ComparedColumns compared() { return {{"test", "memory_bytes"}, {"operations"}}; }
};
std::string table_text(const MachineRun& run);
void set_results(ResultGroup& group, const MachineRun& run);
ResultTable rows_table(const MachineRun& run);
HtmlPage page_of(const MachineRun& run);

struct MatchRun : BenchRun {
  static constexpr const char* kGroup = "match";
  measure::MatchBenchResult result;
  std::vector<match::Similarity> known;  // for each query, if pictures are generated
  std::vector<std::string> queries;      // names of the pictures
  std::string reference;
  scene::Image overlay;  // for the first query; without pixels if it is not asked for

  static ComparedColumns compared() { return {{"table"}, {"items", "keys", "votes"}}; }
  // Returns the distance in pixels, at a corner of the query, between the similarity that was found and the known one.
  std::optional<double> off(size_t query) const;
};
std::string table_text(const MatchRun& run);
void set_results(ResultGroup& group, const MatchRun& run);
ResultTable rows_table(const MatchRun& run);
HtmlPage page_of(const MatchRun& run);

struct RaysBenchRun : BenchRun {
  static constexpr const char* kGroup = "rays";
  std::string source;
  measure::RaysBenchResult result;
  static ComparedColumns compared() { return {{"table", "state", "view", "bounces"}, {"rays", "checksum"}}; }
};
std::string table_text(const RaysBenchRun& run);
void set_results(ResultGroup& group, const RaysBenchRun& run);
ResultTable rows_table(const RaysBenchRun& run);
HtmlPage page_of(const RaysBenchRun& run);

// Returns all results of a run.
template <class Run>
ResultGroup results_of(const Run& run) {
  ResultGroup results;
  set_run(results, run);
  set_results(results.group({".", Run::kGroup}), run);
  if constexpr (std::is_same_v<Run, AllRun>) set_parts(results, run);
  return results;
}

// Passes the results of a command to the sink.
template <class Run>
void report(const BenchCommand& command, const Run& run, const std::vector<device::KernelTime>& kernels,
            const ReportSink& sink) {
  const BenchRun& made = run;
  BenchReport all = {made,         results_of(run), rows_table(run), Run::compared(),
                     page_of(run), table_text(run), command.files,   command.json};
  set_origin(all.page, run.origin);
  if (command.engine.profile) all.profile = kernels;
  all.seconds = run.result.seconds;
  sink(std::move(all));
}

// The parts of `vox-bench all`: the commands that it runs, and the papers' figures for comparison.

// A figure of a paper.
struct PublishedFigure {
  std::string where;  // its place and subject: "Table 2: insertion, 6 words, atomic64"
  double value = 0;   // in the unit above
  std::string unit;
  std::string machine;
  // Returns the same figure from the rows of the part's command, if they have it.
  std::function<std::optional<double>(const ResultRows&)> here;
};

// One run of a command of vox-bench. Its sizes are for a processor of two cores, or for a GPU.
struct BenchPart {
  std::string name;         // one word, the name of its group in a report
  std::string paper;        // "Molenaar & Eisemann 2024"; empty if no paper has the figures
  std::string command;      // "edit --series gc", with the arguments of every run
  std::string small, full;  // further arguments of each scale
  std::vector<PublishedFigure> published = {};
};

std::vector<BenchPart> bench_parts();

// A table or figure that another program makes, and its command.
struct OtherFigure {
  std::string paper, where, command;
};
std::vector<OtherFigure> other_figures();

}  // namespace vox
