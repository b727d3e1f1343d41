// How much of a scene's visible surface has which colour. Palettes are chosen from it and measured by it.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/scene/cluster.h"
#include "libvox/scene/color_tally.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/surface_paint.h"

namespace vox::scene {

struct ColorHistogram {
  std::vector<ColorArea> few;  // every colour as it is, where there are at most kPaletteSize; else empty
  // The surface as points in Oklab, with areas as their weights: one for each of `few`; else the sRGB cube is
  // cut into 32³ cells, and each cell that has colours gives a point at their mean. Areas are whole numbers
  // below 2^53, so that their sums are exact.
  std::vector<WeightedPoint> points;
};

// With paint, of the surface as painted. Expects that bake_base_colors(scene) has been called where there are vertex colours; so does all code that
// looks at colours.
ColorHistogram count_colors(const Scene& scene, const SurfacePaint* paint = nullptr);

// Of what is counted already. The sum of all weights is less than 2^47.
ColorHistogram count_colors(ColorTally tally);

// How far the surface is from the palette's nearest entries, in ΔE: 100 times the distance in Oklab, of which
// the eye notices about 2 where colours touch.
struct PaletteError {
  double mean = 0;     // over the area
  double over_10 = 0;  // share of the area that is off by more than 10
};

// Where colours are counted in cells, the mean of a cell stands for all of its colours, which hides up to 0.2
// of a mean ΔE.
PaletteError palette_error(const ColorHistogram& histogram, const Palette& palette);

}  // namespace vox::scene
