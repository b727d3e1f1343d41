// Makes the bricks that take least memory, and dense ones, and measures on the device the gain of replacing
// each.
#pragma once

#include "libvox/bricks/trade_off.h"
#include "libvox/engine/engine.h"

namespace vox::measure {

struct TradeOffRun {
  bricks::BricksResult least;  // the bricks that take least memory
  bricks::FrozenBricks dense;  // dense bricks and empty ones
  bricks::BrickGains gains;
};

inline constexpr int32_t kTradeOffRadius = 1;  // radius of the mean filter that is timed

// Throws the same errors as Engine::build_bricks(). The readers of both are destroyed when it returns.
TradeOffRun run_trade_off(Engine& engine, const volume::Volume& volume, const bricks::BricksOptions& options);

}  // namespace vox::measure
