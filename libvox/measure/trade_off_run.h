// Bricks between least memory and most speed, measured on the device at hand.
#pragma once

#include "libvox/bricks/trade_off.h"
#include "libvox/engine/engine.h"

namespace vox::measure {

struct TradeOffRun {
  bricks::BricksResult least;  // memory
  bricks::FrozenBricks dense;  // and empty
  bricks::BrickGains gains;
};

inline constexpr int32_t kTradeOffRadius = 1;  // of the mean filter that is timed

// Throws as build_bricks() does. Readers of both are made and given up again.
TradeOffRun run_trade_off(Engine& engine, const volume::Volume& volume, const bricks::BricksOptions& options);

}  // namespace vox::measure
