// Bricks of a volume, for memory alone or between memory and speed, and again as others were made.
#pragma once

#include <optional>

#include "libvox/engine/engine.h"

namespace vox::measure {

struct BricksRecipe {
  bricks::BricksOptions options;
  // Dense where the time that a mean filter of 3³ saves, measured on the device, is worth so much memory, see
  // worth_replacing(). None: each brick as small as can be.
  std::optional<double> slope;
};

// What bricks are made for: little memory, fast access (dense and empty ones alone), or what lies between.
enum class Optimize { Memory, Speed, Balanced };

// `slope` is that of Optimize::Balanced.
BricksRecipe recipe_for(Optimize goal, bricks::BricksOptions options, double slope);

// Throws as Engine::build_bricks() does.
bricks::BricksResult make_bricks(Engine& engine, const volume::Volume& volume, const BricksRecipe& recipe);

// How these were made, as far as they tell: not of which threshold.
BricksRecipe recipe_of(const bricks::FrozenBricks& bricks);

}  // namespace vox::measure
