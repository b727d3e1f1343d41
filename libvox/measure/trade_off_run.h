// Makes bricks for least memory and dense ones, and measures on the device what replacing each would gain.
#pragma once

#include "libvox/bricks/trade_off.h"
#include "libvox/engine/engine.h"

namespace vox::measure {

struct TradeOffRun {
  bricks::BricksResult least;  // the bricks that take least memory
  bricks::FrozenBricks dense;  // the dense bricks, and the empty ones
  bricks::BrickGains gains;
};

inline constexpr int32_t kTradeOffRadius = 1;  // of the mean filter that is timed

// Throws as Engine::build_bricks() does. The readers of both are gone when it returns.
TradeOffRun run_trade_off(Engine& engine, const volume::Volume& volume, const bricks::BricksOptions& options);

}  // namespace vox::measure
