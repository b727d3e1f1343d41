#include "libvox/measure/trade_off_run.h"

namespace vox::measure {

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

}  // namespace vox::measure
