// The colours of amounts: of a volume's values from the lowest to the highest, and of other measured values.
#pragma once

#include <span>
#include <vector>

#include "libvox/scene/palette.h"

namespace vox::render {

// A scale of two or more colours, evenly spaced.
using ValueScale = std::vector<scene::Rgb8>;

ValueScale gray_scale();     // from black to white
ValueScale bone_scale();     // the same with bluish colours in between, like X-rays
ValueScale viridis_scale();  // the colours of ramp_color()
// Returns a scale through these colours. There must be at least two.
ValueScale scale_through(std::span<const scene::Rgb8> stops);

// Returns the colour that is nearest to this share of the way, from 0 to 1.
scene::Rgb8 scale_color(const ValueScale& scale, double share);

// Returns the colour between two stops, which changes evenly to the eye. `at` counts stops.
scene::Rgb8 color_between(std::span<const scene::Rgb8> stops, double at);

}  // namespace vox::render
