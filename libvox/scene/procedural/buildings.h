// Parts of buildings that the village and the city share.
#pragma once

#include "libvox/scene/procedural/shapes.h"

namespace vox::scene {

// A gabled roof on the box from `lo` to `hi`. The ridge runs along x, `rise` above hi.y. The two sides of the
// roof are `thickness` thick and overhang the walls; the gables take the wall's surface.
struct Roof {
  double rise, overhang, thickness;
};
void add_gable_roof(SceneBuilder& builder, const Placement& at, Vec3d lo, Vec3d hi, Roof roof, Surface tiles,
                    Surface wall);

// A window on the wall z = 0 of `at`, with its sill at the origin: a picture in a frame that stands out, with
// a sill.
struct Window {
  double width, height;
  bool shutters;
};
void add_window(SceneBuilder& builder, const Placement& at, Window window, Surface glass, Surface frame);

// Adds a row of merlons on the top edge of a wall that runs along local x from 0 to `length`.
void add_battlement(SceneBuilder& builder, const Placement& at, double length, Surface stone);

// Adds a trunk and a crown of alpha-cut cards.
void add_tree(SceneBuilder& builder, const Placement& at, double height, Random& random, Surface bark,
              Surface leaves);

// Adds steps that rise along -z from the origin; `count` steps reach the height `rise`.
void add_stairs(SceneBuilder& builder, const Placement& at, double width, double rise, double run, int count,
                Surface stone);

}  // namespace vox::scene
