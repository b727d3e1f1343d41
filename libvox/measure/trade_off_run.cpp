#include "libvox/measure/trade_off_run.h"

namespace vox {

TradeOffRun run_trade_off(Engine& engine, const Volume& volume, const BricksOptions& options) {
  TradeOffRun run;
  run.least = engine.build_bricks(volume, options);
  BricksOptions dense = options;
  dense.log2_side = run.least.bricks.log2_side;
  dense.types = kFastBrickTypes;
  run.dense = engine.build_bricks(volume, dense).bricks;
  const auto reader = engine.bricks_reader(run.least.bricks, {}),
             dense_reader = engine.bricks_reader(run.dense, {});
  run.gains = measure_gains(run.least.bricks, *reader, run.dense, *dense_reader, kTradeOffRadius);
  return run;
}

}  // namespace vox
