// The measurements of vox-bench keys, for people and for programs.
#pragma once

#include <string>

#include "formats/pages/html_page.h"
#include "libvox/measure/keys_bench.h"
#include "tools/vox-bench/results.h"

namespace vox {

struct KeysBenchRun : BenchRun {
  measure::KeysBenchResult result;
};

// Tables for people, one for each set of keys: how many keys a second are built and found, with how many
// sectors.
std::string table_text(const KeysBenchRun& run);

// All that was measured. In a report the sizes are attributes of /keys, which holds the tables `ceilings`,
// `rows`, `failures` and `ages`.
measure::ResultGroup results_of(const KeysBenchRun& run);
// The table for --csv: the rows or, if nothing else was measured, the ages.
measure::ResultTable rows_table(const KeysBenchRun& run);
measure::ResultTable failures_table(const std::vector<measure::KeyFailuresRow>& rows);

// For people: of each table how old its keys are in the mean, 99 in a hundred of them, and at most.
measure::ResultTable ages_summary(const std::vector<measure::KeyAgesRow>& rows);

// The columns of the rows by which two runs are compared.
inline measure::ComparedColumns compared_columns(const KeysBenchRun& /*run*/) {
  return {{"table", "set", "layout", "key_bits", "value_bits", "keys", "load_factor", "multiplicity", "op",
           "hit_rate"},
          {"items"}};
}

// The results as a page with charts for each set of keys.
HtmlPage page_of(const KeysBenchRun& run);

// The description that the rows of one table for people share: "image, morton, 524,288 keys of 64 bits".
std::string set_text(const measure::KeyTablePoint& row);
std::string set_text(const measure::KeysBenchRow& row);
// "find 50 %".
std::string op_text(const measure::KeysBenchRow& row);

}  // namespace vox
