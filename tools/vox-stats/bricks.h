// The part of vox-stats on bricks: those of the file, and the memory that others would take.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/pages/html_page.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/results.h"
#include "libvox/measure/scene_sizes.h"

namespace vox {

// The memory that bricks of some types take, for each of their sizes.
struct BrickTypesRow {
  std::string name;
  std::vector<bricks::BrickTotals> sizes;  // 4 to 64 voxels a side
};

struct BricksStats {
  bricks::FrozenBricks bricks;
  std::vector<BrickTypesRow> rows;      // the last row allows all types
  std::optional<uint64_t> svdag_bytes;  // of the same voxels, where the file holds both

  // The sizes of the bricks and of the SVDAG, where there is one, and a form's size divided by the SVDAG's.
  std::vector<measure::SceneSize> forms() const;
  double to_svdag(const measure::SceneSize& form) const;

  double filled_share() const;
  double dense_share() const;    // the bytes divided by those of the dense volume
  double overhead_bits() const;  // beyond the filled values, for each of them; 0 where nothing is filled
};

// The share of the volume's voxels in bricks of a type.
double share_of(uint32_t type, const bricks::BrickTotals& totals);

// Measures dense, octree and list bricks alone, the thesis's four types and all. Labschütz, Figure 6.1 and
// Table 6.3.
BricksStats measure_bricks(bricks::FrozenBricks bricks, Engine& engine);

// Tables for people: the memory that other bricks would take, the types for each size, and the forms side by
// side.
measure::ResultTable sizes_table(const BricksStats& stats);
measure::ResultTable shares_table(const BricksStats& stats);
measure::ResultTable forms_table(const BricksStats& stats);

std::string bricks_text(const BricksStats& stats);
void set_bricks_stats(measure::ResultGroup& results, const BricksStats& stats);
void add_bricks(HtmlPage& page, const BricksStats& stats);

}  // namespace vox
