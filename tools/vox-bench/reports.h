// The measurements of each command, for people and for programs.
#pragma once

#include <optional>
#include <string>
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
#include "libvox/measure/match_bench.h"
#include "libvox/measure/rays_bench.h"
#include "tools/vox-bench/results.h"

namespace vox {

// The measurements of vox-bench all, for people and for programs.

// A figure that a paper states, or that follows from figures which it states, and the same measured here.
struct PublishedRow {
  std::string part, paper, where, machine, unit;
  double published = 0;
  std::optional<double> here = {};  // absent if the part has failed or was not run
};

struct PartOfAll {
  std::string name, command;
  double seconds = 0;
  std::string error = {};  // the reason if the part has failed or was interrupted
  bool interrupted = false;
  std::optional<BenchReport> report = {};  // its results, also if they were found to be wrong
};

struct AllResult {
  std::string scale;
  std::vector<PartOfAll> parts = {};
  std::vector<PublishedRow> published = {};
  double seconds = 0;

  uint64_t failed() const;
  bool interrupted() const { return !parts.empty() && parts.back().interrupted; }
};

struct AllRun : BenchRun {
  AllResult result;
};

// A table for people with a line for each part, and one of the papers' figures.
std::string table_text(const AllRun& run);

// All that was measured. In a report /all holds the tables `rows` (of parts) and `published`, and a group for each part
// the results of its command.
ResultGroup results_of(const AllRun& run);
ResultTable rows_table(const AllRun& run);

// The columns of the rows by which two runs are compared.
inline ComparedColumns compared_columns(const AllRun& /*run*/) {
  return {{"part"}, {"command", "error"}};
}

// The pages of all parts as one.
HtmlPage page_of(const AllRun& run);

// The measurements of vox-bench bricks, for people and for programs.

struct BricksBenchRun : BenchRun {
  measure::BricksBenchResult result;
};

// "256 x 256 x 256 voxels of u8, 12.3 % filled", and the larger volume of which this is the middle.
std::string volume_text(const measure::BricksBenchResult& result);

// Tables for people: sizes, code, and the rate of every loop.
std::string table_text(const BricksBenchRun& run);

// All that was measured. In a report the volume's sizes are attributes of /bricks, which holds the tables
// `sets`, `rows` and `trade_off`.
ResultGroup results_of(const BricksBenchRun& run);
ResultTable rows_table(const BricksBenchRun& run);
ResultTable trade_off_table(const std::vector<measure::BricksTradeOffRow>& rows);

// The columns of the rows by which two runs are compared.
inline ComparedColumns compared_columns(const BricksBenchRun& /*run*/) {
  return {{"types", "brick_size", "access", "loop", "filter"}, {"lookups", "bytes"}};
}

// The results as a page, with the figures of the thesis's chapter 6.
HtmlPage page_of(const BricksBenchRun& run);

// The sizes that vox-bench compression counts, for people and for programs.

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
  CompressionResult result;
};

// Tables for people: bits for each voxel, sizes and nodes, with a line for each form.
std::string table_text(const CompressionRun& run);

// All that was counted. In a report /compression holds the table `rows`.
ResultGroup results_of(const CompressionRun& run);
ResultTable rows_table(const CompressionRun& run);

// The columns of the rows by which two runs are compared.
inline ComparedColumns compared_columns(const CompressionRun& /*run*/) {
  return {{"resolution", "form"}, {"voxels", "nodes", "bytes"}};
}

// The results as a page with curves over the resolutions.
HtmlPage page_of(const CompressionRun& run);

// The measurements of vox-bench convert, for people and for programs.

struct ConvertBenchRun : BenchRun {
  measure::ConvertBenchResult result;
};

// A table for people with a line for each row.
std::string table_text(const ConvertBenchRun& run);

// All that was measured. In a report the sizes are attributes of /convert, which holds the table `rows` and,
// with a profile, `kernels`.
ResultGroup results_of(const ConvertBenchRun& run);
ResultTable rows_table(const ConvertBenchRun& run);

// The columns of the rows by which two runs are compared.
inline ComparedColumns compared_columns(const ConvertBenchRun& /*run*/) {
  return {{"mesh", "coverage", "materials", "resolution"}, {"triangles", "voxels", "svo_nodes", "nodes"}};
}

// The results as a page with a chart of the times over the resolutions, and of the phases.
HtmlPage page_of(const ConvertBenchRun& run);

// The measurements of vox-bench edit, for people and for programs.

struct EditBenchRun : BenchRun {
  std::string source;
  measure::EditBenchResult result;
};

// A table for people with a line for each row.
std::string table_text(const EditBenchRun& run);

// All that was measured. In a report the sizes are attributes of /edit, which holds the table `rows` and,
// with a profile, `kernels`.
ResultGroup results_of(const EditBenchRun& run);
ResultTable rows_table(const EditBenchRun& run);
ResultTable edit_rows_table(const std::vector<measure::EditBenchRow>& rows);

// The columns of the rows by which two runs are compared. How many nodes an edit makes on its way is not its
// work but its way: what comes of it is.
inline ComparedColumns compared_columns(const EditBenchRun& /*run*/) {
  return {{"series", "order", "size", "batch", "edits", "table"},
          {"changed_voxels", "nodes_new", "leaves_new", "items_after"}};
}

// "45,972,702 voxels in 4096³, 1,234,567 nodes".
std::string edited_scene_text(const measure::EditBenchResult& result);

// The results as a page with a chart for each series, and with a profile another of its kernels.
HtmlPage page_of(const EditBenchRun& run);

// The measurements of vox-bench forms, for people and for programs.

struct FormsBenchRun : BenchRun {
  std::string source;
  measure::FormsBenchResult result;
};

// A table for people with a line for each form.
std::string table_text(const FormsBenchRun& run);

// All that was measured. In a report the sizes are attributes of /forms, which holds the tables `ceilings`,
// `sizes` and `rows`.
ResultGroup results_of(const FormsBenchRun& run);
ResultTable rows_table(const FormsBenchRun& run);

// The columns of the rows by which two runs are compared.
inline ComparedColumns compared_columns(const FormsBenchRun& /*run*/) {
  return {{"form", "brick_size", "load_factor", "layout", "loop"}, {"lookups", "filled", "checksum"}};
}

// The results as a page with a chart for each loop.
HtmlPage page_of(const FormsBenchRun& run);

// "1,234,567 voxels in 512³".
std::string scene_text(const measure::FormsBenchResult& result);

// The measurements of vox-bench hash, for people and for programs.

struct HashBenchRun : BenchRun {
  measure::HashBenchResult result;
};

// Tables for people, as Table 2 and Figure 8: times with their spread and the share of the ceiling that they
// reach.
std::string table_text(const HashBenchRun& run);

// All that was measured. In a report the sizes are attributes of /hash, which holds the tables `ceilings` and
// `rows`.
ResultGroup results_of(const HashBenchRun& run);
ResultTable rows_table(const HashBenchRun& run);

// The columns of the rows by which two runs are compared.
inline ComparedColumns compared_columns(const HashBenchRun& /*run*/) {
  return {{"table", "item_words", "load_factor", "op", "hit_rate"}, {"items"}};
}

// The results as a page with a chart for each operation.
HtmlPage page_of(const HashBenchRun& run);

// The measurements of vox-bench intersect, for people and for programs.

struct IntersectRun : BenchRun {
  std::string first, second;  // names of the meshes
  measure::IntersectOptions options;
  measure::IntersectResult result;
};

// Tables for people: a line for each table of voxel keys, and one for each of some frames.
std::string table_text(const IntersectRun& run);

// All that was measured. In a report the sizes are attributes of /intersect, which holds the tables `tables` and
// `rows`.
ResultGroup results_of(const IntersectRun& run);
ResultTable summaries_table(const measure::IntersectResult& result);
ResultTable frames_table(const std::vector<measure::IntersectRow>& rows);
inline ResultTable rows_table(const IntersectRun& run) {
  return frames_table(run.result.rows);
}

// The columns of the rows by which two runs are compared.
inline ComparedColumns compared_columns(const IntersectRun& /*run*/) {
  return {{"table", "frame"},
          {"first_voxels", "second_voxels", "common_voxels", "candidates", "meeting", "kept_voxels"}};
}

// The results as a page with charts over the frames.
HtmlPage page_of(const IntersectRun& run);

// "1,584 frames a second, …": what the paper's figure compares with.
std::string paper_text();

// The measurements of vox-bench keys, for people and for programs.

struct KeysBenchRun : BenchRun {
  measure::KeysBenchResult result;
};

// Tables for people, one for each set of keys: how many keys a second are built and found, with how many
// sectors.
std::string table_text(const KeysBenchRun& run);

// All that was measured. In a report the sizes are attributes of /keys, which holds the tables `ceilings`,
// `rows`, `failures` and `ages`.
ResultGroup results_of(const KeysBenchRun& run);
// The table for --csv: the rows or, if nothing else was measured, the ages.
ResultTable rows_table(const KeysBenchRun& run);
ResultTable keys_rows_table(const std::vector<measure::KeysBenchRow>& rows);
ResultTable ages_table(const std::vector<measure::KeyAgesRow>& rows);
ResultTable failures_table(const std::vector<measure::KeyFailuresRow>& rows);

// For people: of each table how old its keys are in the mean, 99 in a hundred of them, and at most.
ResultTable ages_summary(const std::vector<measure::KeyAgesRow>& rows);

// The columns of the rows by which two runs are compared.
inline ComparedColumns compared_columns(const KeysBenchRun& /*run*/) {
  return {{"table", "set", "layout", "key_bits", "value_bits", "keys", "load_factor", "multiplicity", "op",
           "hit_rate"},
          {"items"}};
}

// The results as a page with charts for each set of keys.
HtmlPage page_of(const KeysBenchRun& run);

// The description that the rows of one table for people share: "image, morton, 524,288 keys of 64 bits".
std::string set_text(const ResultRow& row);
std::string set_text(const measure::KeyTablePoint& point);
// "find 50 %".
std::string op_text(const ResultRow& row);

// The results of vox-bench match, for people and for programs.

struct MatchRun : BenchRun {
  measure::MatchBenchResult result;
  std::vector<match::Similarity> known;  // of each query, for generated pictures
  std::vector<std::string> queries;      // names of the pictures
  std::string reference;
  scene::Image overlay;  // of the first query; without pixels where nobody asks for it

  // The distance in pixels, at a corner of the query, between the similarity that was found and the known one.
  std::optional<double> off(size_t query) const;
};

// The match, and a table of the measurements.
std::string table_text(const MatchRun& run);

// All of it. In a report it is /match, with the tables `queries` and `rows`.
ResultGroup results_of(const MatchRun& run);
ResultTable rows_table(const MatchRun& run);

// The columns of the rows by which two runs are compared.
inline ComparedColumns compared_columns(const MatchRun& /*run*/) {
  return {{"table"}, {"items", "keys", "votes"}};
}

// The results as a page with the overlay and a chart of the times.
HtmlPage page_of(const MatchRun& run);

// The measurements of vox-bench rays, for people and for programs.

struct RaysBenchRun : BenchRun {
  std::string source;
  measure::RaysBenchResult result;
};

// A table for people for each state and view, with a line for each hash table.
std::string table_text(const RaysBenchRun& run);

// All that was measured. In a report the sizes are attributes of /rays, which holds the table `rows`.
ResultGroup results_of(const RaysBenchRun& run);
ResultTable rows_table(const RaysBenchRun& run);

// The columns of the rows by which two runs are compared.
inline ComparedColumns compared_columns(const RaysBenchRun& /*run*/) {
  return {{"table", "state", "view", "bounces"}, {"rays", "checksum"}};
}

// The results as a page with two charts for each state and view.
HtmlPage page_of(const RaysBenchRun& run);

}  // namespace vox
