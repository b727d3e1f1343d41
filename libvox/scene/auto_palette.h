// A palette that is chosen from the colours of a scene.
#pragma once

#include "libvox/scene/color_histogram.h"

namespace vox::scene {

struct PaletteOptions {
  // A colour's weight is its share of the area to this power, from 0 to 1. At 0, each of the 32³ cells of the
  // sRGB cube that has colours counts alike. Small areas get their places in another way (far_colors.h), so
  // lower powers cost more on average than small areas gain: docs/measurements.md, "Palettes".
  double area_power = 1;
};

// Clusters the weighted texel colours of the scene (base colours and vertex colours too) in Oklab into at
// most 16 entries, of which some go to small areas that are far from all others (far_colors.h). The same
// scene gives the same palette, whatever the number of threads. At most 16 different colours are taken as
// they are; equal entries are merged; the entry with the largest area comes first. A scene without visible
// surface gets one black entry.
Palette auto_palette(const ColorHistogram& histogram, const PaletteOptions& options = {});
Palette auto_palette(const Scene& scene, const PaletteOptions& options = {});

}  // namespace vox::scene
