// Counts how much of a scene's visible surface has each colour. Palettes are chosen from this histogram and
// measured by it.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/scene/cluster.h"
#include "libvox/scene/color_tally.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/surface_paint.h"

namespace vox::scene {

struct ColorHistogram {
  std::vector<ColorArea> few;  // every colour as it is, if there are at most kPaletteSize; otherwise empty
  // The surface as points in Oklab, with areas as their weights: one for each of `few`. If `few` is empty,
  // the sRGB cube is cut into 32³ cells, and each cell that has colours gives a point at their mean. Areas
  // are whole numbers below 2^53, so that their sums are exact.
  std::vector<WeightedPoint> points;
};

// Counts the colours of a scene's surface, with `paint` those of the painted surface. If there are vertex
// colours, bake_base_colors(scene) must have been called, as for all code that reads colours.
ColorHistogram count_colors(const Scene& scene, const SurfacePaint* paint = nullptr);

// Makes a histogram of a finished tally. The sum of all weights must be less than 2^47.
ColorHistogram count_colors(ColorTally tally);

// The distance of the surface from the palette's nearest entries, in ΔE: 100 times the distance in Oklab. The
// eye notices about 2 where colours touch.
struct PaletteError {
  double mean = 0;     // over the whole area
  double over_10 = 0;  // the share of the area that is off by more than 10
};

// If colours are counted in cells, the mean of a cell stands for all of its colours, which hides up to 0.2 of
// a mean ΔE.
PaletteError palette_error(const ColorHistogram& histogram, const Palette& palette);

}  // namespace vox::scene
