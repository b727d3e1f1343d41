// How much of a scene's visible surface has which colour: what a palette is chosen from and measured by.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/scene/cluster.h"
#include "libvox/scene/palette.h"

namespace vox::scene {

struct ColorArea {
  Rgb8 color;
  uint64_t area;  // of kAreaUnits
};

struct ColorHistogram {
  std::vector<ColorArea> few;  // every colour as it is, where there are at most kPaletteSize; else empty
  // The surface as points in Oklab, their weights its areas: one for each of `few`, else one for each cell
  // that has colours of 32³ that the sRGB cube is cut into, at their mean. Areas are whole numbers below
  // 2^53, so that their sums are exact.
  std::vector<WeightedPoint> points;
};

// Expects bake_base_colors(scene) where there are vertex colours, as all that looks at colours does.
ColorHistogram count_colors(const Scene& scene);

// How far the surface is from the palette's nearest entries, in ΔE: 100 times the distance in Oklab, of which
// the eye notices about 2 where colours touch.
struct PaletteError {
  double mean = 0;     // over the area
  double over_10 = 0;  // share of the area that is off by more than 10
};

// Of colours in cells, their mean stands for all of them, which hides up to 0.2 of a mean ΔE.
PaletteError palette_error(const ColorHistogram& histogram, const Palette& palette);

}  // namespace vox::scene
