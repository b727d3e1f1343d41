// Makes bricks of a volume: for least memory, for a balance of memory and speed, or as other bricks were
// made.
#pragma once

#include <optional>

#include "libvox/engine/engine.h"

namespace vox::measure {

struct BricksRecipe {
  bricks::BricksOptions options;
  // Bricks become dense where the time that a mean filter of 3³ saves by it, measured on the device, is worth
  // so much memory, see worth_replacing(). Where this is absent, each brick is as small as can be.
  std::optional<double> slope;
};

// What bricks are made for: little memory, fast access (dense and empty bricks alone), or a balance of both.
enum class Optimize { Memory, Speed, Balanced };

// `slope` is used by Optimize::Balanced alone.
BricksRecipe recipe_for(Optimize goal, bricks::BricksOptions options, double slope);

// Throws as Engine::build_bricks() does.
bricks::BricksResult make_bricks(Engine& engine, const volume::Volume& volume, const BricksRecipe& recipe);

// How these bricks were made, as far as they tell: they do not tell the threshold.
BricksRecipe recipe_of(const bricks::FrozenBricks& bricks);

}  // namespace vox::measure
