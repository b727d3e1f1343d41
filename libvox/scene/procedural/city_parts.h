// The parts of one block of the city, and the towers of its wall.
#pragma once

#include <vector>

#include "libvox/scene/procedural/buildings.h"

namespace vox::scene::city {

inline constexpr double kInner = 40;  // the side of a block without its streets
inline constexpr double kStorey = 3.2;

struct Surfaces {
  Surface cobble, grass, stone, brick, planks, bark, leaves, window, door, slate, tiles;
  std::vector<Surface> walls;  // the walls of houses
};
Surfaces add_surfaces(SceneBuilder& builder, uint32_t texture_size, uint64_t seed);

// Adds houses around a courtyard. `at` is the block's centre on the ground.
void add_houses(SceneBuilder& builder, const Placement& at, Random& random, const Surfaces& s);
void add_plaza(SceneBuilder& builder, const Placement& at, Random& random, const Surfaces& s);
void add_cathedral(SceneBuilder& builder, const Placement& at, Random& random, const Surfaces& s);

// A round tower with windows, battlements and, if `roofed`, a pointed turret.
struct Tower {
  double radius, height;
  bool roofed;
};
void add_tower(SceneBuilder& builder, const Placement& at, Tower tower, const Surfaces& s);

}  // namespace vox::scene::city
