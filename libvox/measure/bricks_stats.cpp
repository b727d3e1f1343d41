#include "libvox/measure/bricks_stats.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "libvox/bricks/types/type_sets.h"

namespace vox::measure {
namespace {

double ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::vector<SceneSize> BricksStats::forms() const {
  std::vector<SceneSize> forms = {
      {"bricks", fmt::format("bricks of {}³", bricks.shape().side()), bricks.bytes()}};
  if (svdag_bytes) forms.push_back({"svdag", "SVDAG", *svdag_bytes});
  if (hash_bytes) forms.push_back({"hash", "spatial hash", *hash_bytes});
  return forms;
}

double BricksStats::to_svdag(const SceneSize& form) const {
  return ratio(form.bytes, svdag_bytes.value_or(0));
}

double BricksStats::filled_share() const {
  return ratio(bricks.filled, bricks.info.box().voxels());
}

double BricksStats::dense_share() const {
  return ratio(bricks.bytes(), bricks.info.bytes());
}

double BricksStats::overhead_bits() const {
  if (bricks.filled == 0) return 0;
  const double values = static_cast<double>(bricks.filled) * volume::value_bytes(bricks.info.type);
  return (static_cast<double>(bricks.bytes()) - values) * 8 / static_cast<double>(bricks.filled);
}

double share_of(uint32_t type, const bricks::BrickTotals& totals) {
  return ratio(totals.voxels[type], std::accumulate(totals.voxels.begin(), totals.voxels.end(), uint64_t{0}));
}

BricksStats measure_bricks(bricks::FrozenBricks bricks, Engine& engine) {
  BricksStats stats = {.bricks = std::move(bricks), .rows = {}, .svdag_bytes = {}, .hash_bytes = {}};
  const volume::Volume volume = bricks::bricks_volume(stats.bricks);
  for (const bricks::BrickTypeSet& set : bricks::kBrickTypeSets) {
    bricks::BricksOptions options;
    options.types = set.types;
    stats.rows.push_back({set.title, engine.measure_bricks(volume, options)});
  }
  return stats;
}

}  // namespace vox::measure
