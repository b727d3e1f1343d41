// Statistics of bricks: how they compare with the dense volume and with the SVDAG of the same voxels, and the
// memory that bricks of other sizes and types would take.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libvox/engine/engine.h"
#include "libvox/measure/scene_sizes.h"

namespace vox::measure {

// The memory that bricks of some types take, for each of their sizes.
struct BrickTypesRow {
  std::string name;
  std::vector<bricks::BrickTotals> sizes;  // 4 to 64 voxels a side
};

struct BricksStats {
  bricks::FrozenBricks bricks;
  std::vector<BrickTypesRow> rows;      // the last row allows all types
  std::optional<uint64_t> svdag_bytes;  // of the same voxels, where it is known
  std::optional<uint64_t> hash_bytes;   // of a spatial hash of them, likewise

  const std::vector<bricks::BrickTotals>& all_types() const { return rows.back().sizes; }

  // The sizes of the bricks, the SVDAG and the spatial hash, where there are any, and a form's size divided
  // by the SVDAG's.
  std::vector<SceneSize> forms() const;
  double to_svdag(const SceneSize& form) const;

  double filled_share() const;   // of the volume's voxels
  double dense_share() const;    // the bytes divided by those of the dense volume
  double overhead_bits() const;  // beyond the filled values, for each of them; 0 where nothing is filled
};

// The share of the volume's voxels in bricks of a type.
double share_of(uint32_t type, const bricks::BrickTotals& totals);

// Measures dense, octree and list bricks alone, the thesis's four types and all. Labschütz, Figure 6.1 and
// Table 6.3.
BricksStats measure_bricks(bricks::FrozenBricks bricks, Engine& engine);

}  // namespace vox::measure
