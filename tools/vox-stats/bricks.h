// The part of vox-stats on bricks: those of the file, and the memory that others would take.
#pragma once

#include <string>

#include "formats/pages/html_page.h"
#include "libvox/measure/bricks_stats.h"
#include "libvox/measure/results.h"

namespace vox {

// Tables for people: the memory that other bricks would take, the types for each size, and the forms side by
// side.
measure::ResultTable sizes_table(const measure::BricksStats& stats);
measure::ResultTable shares_table(const measure::BricksStats& stats);
measure::ResultTable forms_table(const measure::BricksStats& stats);

std::string bricks_text(const measure::BricksStats& stats);
void set_bricks_stats(measure::ResultGroup& results, const measure::BricksStats& stats);
void add_bricks(HtmlPage& page, const measure::BricksStats& stats);

}  // namespace vox
