#include "libvox/engine/make_bricks.h"

#include <utility>
#include <vector>

#include "libvox/base/log.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"

namespace vox {

BricksRecipe recipe_for(Optimize goal, bricks::BricksOptions options, double slope) {
  if (goal == Optimize::Speed) options.types = bricks::kFastBrickTypes;
  BricksRecipe recipe = {.options = options, .slope = {}};
  if (goal == Optimize::Balanced) recipe.slope = slope;
  return recipe;
}

bricks::BricksResult make_bricks(Engine& engine, const volume::Volume& volume, const BricksRecipe& recipe) {
  if (!recipe.slope) return engine.build_bricks(volume, recipe.options);
  const Stopwatch watch;
  TradeOffRun run = run_trade_off(engine, volume, recipe.options);
  const std::vector<uint32_t> list = bricks::worth_replacing(run.gains, *recipe.slope);
  log_info("{} of {} bricks became dense, where faster filters of 3³ are worth the memory",
           format_count(list.size()), format_count(run.least.bricks.bricks()));
  run.least.bricks = bricks::replaced(run.least.bricks, run.dense, list);
  run.least.bricks.slope = recipe.slope;
  run.least.seconds = watch.seconds() - run.least.read_seconds;
  return std::move(run.least);
}

BricksRecipe recipe_of(const bricks::FrozenBricks& bricks) {
  BricksRecipe recipe;
  recipe.options.log2_side = bricks.log2_side;
  recipe.options.types = bricks.allowed_types;
  recipe.slope = bricks.slope;
  return recipe;
}

TradeOffRun run_trade_off(Engine& engine, const volume::Volume& volume,
                          const bricks::BricksOptions& options) {
  TradeOffRun run;
  run.least = engine.build_bricks(volume, options);
  bricks::BricksOptions dense = options;
  dense.log2_side = run.least.bricks.log2_side;
  dense.types = bricks::kFastBrickTypes;
  run.dense = engine.build_bricks(volume, dense).bricks;
  const auto reader = engine.bricks_reader(run.least.bricks, {}),
             dense_reader = engine.bricks_reader(run.dense, {});
  run.gains = bricks::measure_gains(run.least.bricks, *reader, run.dense, *dense_reader, kTradeOffRadius);
  return run;
}

}  // namespace vox
