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

// The memory that bricks of one set of types take, for each brick size.
struct BrickTypesRow {
  std::string name;
  std::vector<bricks::BrickTotals> sizes;  // for sides of 4 to 64 voxels
};

struct BricksStats {
  bricks::FrozenBricks bricks;
  std::vector<BrickTypesRow> rows;      // the last row allows all types
  std::optional<uint64_t> svdag_bytes;  // size of an SVDAG of the same voxels, if known
  std::optional<uint64_t> hash_bytes;   // size of a spatial hash of the same voxels, if known

  const std::vector<bricks::BrickTotals>& all_types() const { return rows.back().sizes; }

  // Returns the sizes of the bricks, the SVDAG and the spatial hash, as far as they are known.
  std::vector<SceneSize> forms() const;
  // Returns a form's size divided by the SVDAG's.
  double to_svdag(const SceneSize& form) const;

  double filled_share() const;   // the share of the volume's voxels that are filled
  double dense_share() const;    // size in bytes divided by that of the dense volume
  double overhead_bits() const;  // bits per filled value beyond the value itself; 0 if nothing is filled
};

// Returns the share of the volume's voxels that lie in bricks of a type.
double share_of(uint32_t type, const bricks::BrickTotals& totals);

// Measures dense, octree and list bricks each alone, the thesis's four types, and all types (Labschütz,
// Figure 6.1 and Table 6.3).
BricksStats measure_bricks(bricks::FrozenBricks bricks, Engine& engine);

}  // namespace vox::measure
