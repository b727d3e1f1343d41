// Shows the measurements of each command to people and to programs.
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
#include "libvox/measure/machine_bench.h"
#include "libvox/measure/match_bench.h"
#include "libvox/measure/rays_bench.h"
#include "tools/vox-bench/results.h"

namespace vox {

// The next part shows the measurements of `vox-bench all`.

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

struct AllRun : BenchRun {
  AllResult result;
};

// Returns tables for people: one with a line for each part, and one of the papers' figures.
std::string table_text(const AllRun& run);

// Returns all measurements. In a report, /all holds the tables `rows` (of parts) and `published`, and a group for each
// part with the results of its command.
ResultGroup results_of(const AllRun& run);
ResultTable rows_table(const AllRun& run);

// Returns the columns by which rows of two runs are compared.
inline ComparedColumns compared_columns(const AllRun& /*run*/) {
  return {{"part"}, {"command", "error"}};
}

// Returns the pages of all parts as one page.
HtmlPage page_of(const AllRun& run);

// The next part shows the measurements of `vox-bench bricks`.

struct BricksBenchRun : BenchRun {
  measure::BricksBenchResult result;
};

// Returns "256 x 256 x 256 voxels of u8, 12.3 % filled", and the larger volume of which this is the middle.
std::string volume_text(const measure::BricksBenchResult& result);

// Returns tables for people: sizes, code, and the rate of every loop.
std::string table_text(const BricksBenchRun& run);

// Returns all measurements. In a report, the volume's sizes are attributes of /bricks, which holds the tables
// `sets`, `rows` and `trade_off`.
ResultGroup results_of(const BricksBenchRun& run);
ResultTable rows_table(const BricksBenchRun& run);
ResultTable trade_off_table(const std::vector<measure::BricksTradeOffRow>& rows);

// Returns the columns by which rows of two runs are compared.
inline ComparedColumns compared_columns(const BricksBenchRun& /*run*/) {
  return {{"types", "brick_size", "access", "loop", "filter"}, {"lookups", "bytes"}};
}

// Returns the results as a page, with the figures of the thesis's chapter 6.
HtmlPage page_of(const BricksBenchRun& run);

// The next part shows the sizes that `vox-bench compression` counts.

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

// Returns tables for people: bits for each voxel, sizes and nodes, with a line for each form.
std::string table_text(const CompressionRun& run);

// Returns all counts. In a report, /compression holds the table `rows`.
ResultGroup results_of(const CompressionRun& run);
ResultTable rows_table(const CompressionRun& run);

// Returns the columns by which rows of two runs are compared.
inline ComparedColumns compared_columns(const CompressionRun& /*run*/) {
  return {{"resolution", "form"}, {"voxels", "nodes", "bytes"}};
}

// Returns the results as a page with curves over the resolutions.
HtmlPage page_of(const CompressionRun& run);

// The next part shows the measurements of `vox-bench convert`.

struct ConvertBenchRun : BenchRun {
  measure::ConvertBenchResult result;
};

// Returns a table for people with a line for each row.
std::string table_text(const ConvertBenchRun& run);

// Returns all measurements. In a report, the sizes are attributes of /convert, which holds the table `rows` and,
// with a profile, `kernels`.
ResultGroup results_of(const ConvertBenchRun& run);
ResultTable rows_table(const ConvertBenchRun& run);

// Returns the columns by which rows of two runs are compared.
inline ComparedColumns compared_columns(const ConvertBenchRun& /*run*/) {
  return {{"mesh", "coverage", "materials", "resolution"}, {"triangles", "voxels", "svo_nodes", "nodes"}};
}

// Returns the results as a page with charts of the times over the resolutions and of the phases.
HtmlPage page_of(const ConvertBenchRun& run);

// The next part shows the measurements of `vox-bench edit`.

struct EditBenchRun : BenchRun {
  std::string source;
  measure::EditBenchResult result;
};

// Returns a table for people with a line for each row.
std::string table_text(const EditBenchRun& run);

// Returns all measurements. In a report, the sizes are attributes of /edit, which holds the table `rows` and,
// with a profile, `kernels`.
ResultGroup results_of(const EditBenchRun& run);
ResultTable rows_table(const EditBenchRun& run);
ResultTable edit_rows_table(const std::vector<measure::EditBenchRow>& rows);

// Returns the columns by which rows of two runs are compared. The number of nodes that an edit makes on its way
// may differ; its result may not.
inline ComparedColumns compared_columns(const EditBenchRun& /*run*/) {
  return {{"series", "order", "size", "batch", "edits", "table"},
          {"changed_voxels", "nodes_new", "leaves_new", "items_after"}};
}

// Returns "45,972,702 voxels in 4096³, 1,234,567 nodes".
std::string edited_scene_text(const measure::EditBenchResult& result);

// Returns the results as a page with a chart for each series and, with a profile, another chart of its kernels.
HtmlPage page_of(const EditBenchRun& run);

// The next part shows the measurements of `vox-bench forms`.

struct FormsBenchRun : BenchRun {
  std::string source;
  measure::FormsBenchResult result;
};

// Returns a table for people with a line for each form.
std::string table_text(const FormsBenchRun& run);

// Returns all measurements. In a report, the sizes are attributes of /forms, which holds the tables `ceilings`,
// `sizes` and `rows`.
ResultGroup results_of(const FormsBenchRun& run);
ResultTable rows_table(const FormsBenchRun& run);

// Returns the columns by which rows of two runs are compared.
inline ComparedColumns compared_columns(const FormsBenchRun& /*run*/) {
  return {{"form", "brick_size", "load_factor", "layout", "loop"}, {"lookups", "filled", "checksum"}};
}

// Returns the results as a page with a chart for each loop.
HtmlPage page_of(const FormsBenchRun& run);

// Returns "1,234,567 voxels in 512³".
std::string scene_text(const measure::FormsBenchResult& result);

// The next part shows the measurements of `vox-bench hash`.

struct HashBenchRun : BenchRun {
  measure::HashBenchResult result;
};

// Returns tables for people, like Table 2 and Figure 8: times with their spread, and the share of the
// ceiling that they reach.
std::string table_text(const HashBenchRun& run);

// Returns all measurements. In a report, the sizes are attributes of /hash, which holds the tables `ceilings` and
// `rows`.
ResultGroup results_of(const HashBenchRun& run);
ResultTable rows_table(const HashBenchRun& run);

// Returns the columns by which rows of two runs are compared.
inline ComparedColumns compared_columns(const HashBenchRun& /*run*/) {
  return {{"table", "item_words", "load_factor", "op", "hit_rate"}, {"items"}};
}

// Returns the results as a page with a chart for each operation.
HtmlPage page_of(const HashBenchRun& run);

// The next part shows the measurements of `vox-bench intersect`.

struct IntersectRun : BenchRun {
  std::string first, second;  // names of the meshes
  measure::IntersectOptions options;
  measure::IntersectResult result;
};

// Returns tables for people: a line for each table of voxel keys, and a line for each of some frames.
std::string table_text(const IntersectRun& run);

// Returns all measurements. In a report, the sizes are attributes of /intersect, which holds the tables `tables` and
// `rows`.
ResultGroup results_of(const IntersectRun& run);
ResultTable summaries_table(const measure::IntersectResult& result);
ResultTable frames_table(const std::vector<measure::IntersectRow>& rows);
inline ResultTable rows_table(const IntersectRun& run) {
  return frames_table(run.result.rows);
}

// Returns the columns by which rows of two runs are compared.
inline ComparedColumns compared_columns(const IntersectRun& /*run*/) {
  return {{"table", "frame"},
          {"first_voxels", "second_voxels", "common_voxels", "candidates", "meeting", "kept_voxels"}};
}

// Returns the results as a page with charts over the frames.
HtmlPage page_of(const IntersectRun& run);

// Returns the text about the paper's figure: "1,584 frames a second, …".
std::string paper_text();

// The next part shows the measurements of `vox-bench keys`.

struct KeysBenchRun : BenchRun {
  measure::KeysBenchResult result;
};

// Returns tables for people, one for each set of keys: the keys that are built and found in a second,
// and the sectors that this takes.
std::string table_text(const KeysBenchRun& run);

// Returns all measurements. In a report, the sizes are attributes of /keys, which holds the tables `ceilings`,
// `rows`, `failures` and `ages`.
ResultGroup results_of(const KeysBenchRun& run);
// Returns the table for --csv: the rows or, if nothing else was measured, the ages.
ResultTable rows_table(const KeysBenchRun& run);
ResultTable keys_rows_table(const std::vector<measure::KeysBenchRow>& rows);
ResultTable ages_table(const std::vector<measure::KeyAgesRow>& rows);
ResultTable failures_table(const std::vector<measure::KeyFailuresRow>& rows);

// Returns for people, for each table of keys, the mean age, the age of 99 % of the keys, and the greatest age.
ResultTable ages_summary(const std::vector<measure::KeyAgesRow>& rows);

// Returns the columns by which rows of two runs are compared.
inline ComparedColumns compared_columns(const KeysBenchRun& /*run*/) {
  return {{"table", "set", "layout", "key_bits", "value_bits", "keys", "load_factor", "multiplicity", "op",
           "hit_rate"},
          {"items"}};
}

// Returns the results as a page with charts for each set of keys.
HtmlPage page_of(const KeysBenchRun& run);

// Returns the text that the rows of one table for people share: "image, morton, 524,288 keys of 64 bits".
std::string set_text(const ResultRow& row);
std::string set_text(const measure::KeyTablePoint& point);
// Returns a text such as "find 50 %".
std::string op_text(const ResultRow& row);

// The next part shows the results of `vox-bench machine`.

struct MachineRun : BenchRun {
  measure::MachineBenchResult result;
};

// Returns a table for people with a line for each row.
std::string table_text(const MachineRun& run);

// Returns all that was measured. In a report, /limits holds the table `rows`.
ResultGroup results_of(const MachineRun& run);
ResultTable rows_table(const MachineRun& run);

// Returns the columns of the rows by which two runs are compared.
inline ComparedColumns compared_columns(const MachineRun& /*run*/) {
  return {{"test", "memory_bytes"}, {"operations"}};
}

// Returns the results as a page.
HtmlPage page_of(const MachineRun& run);

// The next part shows the results of `vox-bench match`.

struct MatchRun : BenchRun {
  measure::MatchBenchResult result;
  std::vector<match::Similarity> known;  // for each query, if pictures are generated
  std::vector<std::string> queries;      // names of the pictures
  std::string reference;
  scene::Image overlay;  // for the first query; without pixels if it is not asked for

  // Returns the distance in pixels, at a corner of the query, between the similarity that was found and the known one.
  std::optional<double> off(size_t query) const;
};

// Returns the match and a table of the measurements.
std::string table_text(const MatchRun& run);

// Returns all results. In a report they are /match, with the tables `queries` and `rows`.
ResultGroup results_of(const MatchRun& run);
ResultTable rows_table(const MatchRun& run);

// Returns the columns by which rows of two runs are compared.
inline ComparedColumns compared_columns(const MatchRun& /*run*/) {
  return {{"table"}, {"items", "keys", "votes"}};
}

// Returns the results as a page with the overlay and a chart of the times.
HtmlPage page_of(const MatchRun& run);

// The next part shows the measurements of `vox-bench rays`.

struct RaysBenchRun : BenchRun {
  std::string source;
  measure::RaysBenchResult result;
};

// Returns a table for people for each state and view, with a line for each hash table.
std::string table_text(const RaysBenchRun& run);

// Returns all measurements. In a report, the sizes are attributes of /rays, which holds the table `rows`.
ResultGroup results_of(const RaysBenchRun& run);
ResultTable rows_table(const RaysBenchRun& run);

// Returns the columns by which rows of two runs are compared.
inline ComparedColumns compared_columns(const RaysBenchRun& /*run*/) {
  return {{"table", "state", "view", "bounces"}, {"rays", "checksum"}};
}

// Returns the results as a page with two charts for each state and view.
HtmlPage page_of(const RaysBenchRun& run);

}  // namespace vox
