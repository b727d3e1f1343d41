// Bricks between least memory and most speed, measured on the device at hand.
#pragma once

#include "libvox/bricks/trade_off.h"
#include "libvox/engine/engine.h"

namespace vox {

struct TradeOffRun {
  BricksResult least;  // memory
  FrozenBricks dense;  // and empty
  BrickGains gains;
};

inline constexpr int32_t kTradeOffRadius = 1;  // of the mean filter that is timed

// Throws as build_bricks() does. Readers of both are made and given up again.
TradeOffRun run_trade_off(Engine& engine, const Volume& volume, const BricksOptions& options);

}  // namespace vox
