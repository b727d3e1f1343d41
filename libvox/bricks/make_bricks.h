// Makes bricks from a volume: for least memory, for a balance of memory and speed, or with the parameters of
// other bricks.
#pragma once

#include <optional>
#include <vector>

#include "libvox/bricks/frozen_bricks.h"
#include "libvox/bricks/reader.h"
#include "libvox/device/handle.h"
#include "libvox/volume/volume.h"

namespace vox::bricks {

struct BricksRecipe {
  BricksOptions options;
  // If set, bricks become dense if that saves enough time for the additional memory (see worth_replacing()). The
  // time is that of a mean filter of 3³, measured on the device. If absent, each brick is as small as possible.
  std::optional<double> slope;
};

// The goal of a recipe: little memory, fast access (only dense and empty bricks), or a balance of both.
enum class Optimize { Memory, Speed, Balanced };

// `slope` is used only by Optimize::Balanced.
BricksRecipe recipe_for(Optimize goal, BricksOptions options, double slope);

// Makes bricks by a recipe. Throws as build_bricks() does.
BricksResult make_bricks(device::DeviceHandle device, const volume::Volume& volume,
                         const BricksRecipe& recipe);
BricksResult make_bricks(device::DeviceHandle device, const dag::VoxelScene& scene,
                         const BricksRecipe& recipe);

// Returns the recipe of existing bricks, as far as they show it. The threshold is lost.
BricksRecipe recipe_of(const FrozenBricks& bricks);

// Coarser levels of a volume, each with half the resolution of the one before, for pictures of volumes that do not fit into
// memory (Labschütz, §8.1).

inline constexpr uint32_t kMostLevels = 16;

// Returns how many coarser levels there are until the longest side has at most 64 voxels.
uint32_t levels_to_the_coarsest(Int3 size);
// Returns this many coarser levels (volume::coarser_volume), with bricks of the same side and types. Empty voxels count
// as the background.
std::vector<FrozenBricks> coarser_levels(device::DeviceHandle device, const FrozenBricks& bricks,
                                         uint32_t count);

// Two sets of bricks of one volume, and what is gained if dense bricks replace those that take least memory.
struct TradeOffRun {
  BricksResult least;  // the bricks that take least memory
  FrozenBricks dense;  // dense bricks and empty ones
  BrickGains gains;
};

inline constexpr int32_t kTradeOffRadius = 1;  // radius of the mean filter that is timed

// Makes both sets, and measures the gains on the device. Throws the same errors as build_bricks(). The readers of
// both are gone when it returns.
TradeOffRun run_trade_off(device::DeviceHandle device, const volume::Volume& volume,
                          const BricksOptions& options);

}  // namespace vox::bricks
