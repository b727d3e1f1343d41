#include "libvox/bricks/make_bricks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "libvox/base/log.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/dag/walk.h"

namespace vox::bricks {

BricksRecipe recipe_for(Optimize goal, BricksOptions options, double slope) {
  if (goal == Optimize::Speed) options.types = kFastBrickTypes;
  BricksRecipe recipe = {.options = options, .slope = {}};
  if (goal == Optimize::Balanced) recipe.slope = slope;
  return recipe;
}

BricksResult make_bricks(device::DeviceHandle device, const volume::Volume& volume,
                         const BricksRecipe& recipe) {
  if (!recipe.slope) return build_bricks(device, volume, recipe.options);
  const Stopwatch watch;
  TradeOffRun run = run_trade_off(device, volume, recipe.options);
  const std::vector<uint32_t> list = worth_replacing(run.gains, *recipe.slope);
  log_info("{} of {} bricks became dense, where faster filters of 3³ are worth the memory",
           format_count(list.size()), format_count(run.least.bricks.bricks()));
  run.least.bricks = replaced(run.least.bricks, run.dense, list);
  run.least.bricks.slope = recipe.slope;
  run.least.seconds = watch.seconds() - run.least.read_seconds;
  return std::move(run.least);
}

BricksResult make_bricks(device::DeviceHandle device, const dag::VoxelScene& scene,
                         const BricksRecipe& recipe) {
  if (!recipe.slope) return build_bricks(device, scene, recipe.options);
  return make_bricks(device, dag::scene_volume(scene), recipe);
}

BricksRecipe recipe_of(const FrozenBricks& bricks) {
  BricksRecipe recipe;
  recipe.options.log2_side = bricks.log2_side;
  recipe.options.types = bricks.allowed_types;
  recipe.options.root = bricks.is_sparse() ? BrickRoot::Sparse : BrickRoot::Dense;
  recipe.slope = bricks.slope;
  return recipe;
}

uint32_t levels_to_the_coarsest(Int3 size) {
  constexpr int32_t kCoarsest = 64;
  uint32_t levels = 0;
  for (int32_t side = std::max({size.x, size.y, size.z}); side > kCoarsest; side = (side + 1) / 2) ++levels;
  return levels;
}

std::vector<FrozenBricks> coarser_levels(device::DeviceHandle device, const FrozenBricks& bricks,
                                         uint32_t count) {
  std::vector<FrozenBricks> levels;
  levels.reserve(count);  // a level is made of the one before
  for (uint32_t level = 0; level < count; ++level) {
    throw_if_cancelled();
    const volume::Volume coarse =
        volume::coarser_volume(bricks_volume(levels.empty() ? bricks : levels.back()));
    levels.push_back(
        build_bricks(device, coarse,
                     {.log2_side = bricks.log2_side, .types = bricks.allowed_types, .threshold = {}})
            .bricks);
  }
  return levels;
}

TradeOffRun run_trade_off(device::DeviceHandle device, const volume::Volume& volume,
                          const BricksOptions& options) {
  TradeOffRun run;
  BricksOptions least = options;
  least.root = BrickRoot::Dense;  // each brick is timed
  run.least = build_bricks(device, volume, least);
  BricksOptions dense = options;
  dense.log2_side = run.least.bricks.log2_side;
  dense.types = kFastBrickTypes;
  dense.root = BrickRoot::Dense;
  run.dense = build_bricks(device, volume, dense).bricks;
  const auto reader = make_bricks_reader(device, run.least.bricks, {}),
             dense_reader = make_bricks_reader(device, run.dense, {});
  run.gains = measure_gains(run.least.bricks, *reader, run.dense, *dense_reader, kTradeOffRadius);
  return run;
}

}  // namespace vox::bricks
