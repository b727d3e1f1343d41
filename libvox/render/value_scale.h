// The colours of amounts: of the values of a volume, from the lowest to the highest, and of all else that is measured.
#pragma once

#include <span>
#include <vector>

#include "libvox/scene/palette.h"

namespace vox::render {

// Two colours or more, evenly spaced.
using ValueScale = std::vector<scene::Rgb8>;

ValueScale gray_scale();     // from black to white
ValueScale bone_scale();     // the same, bluish between, as X-rays are
ValueScale viridis_scale();  // those of ramp_color()
// A scale through these colours, of which there are two at least.
ValueScale scale_through(std::span<const scene::Rgb8> stops);

// The colour that is nearest to this share of the way, 0 to 1.
scene::Rgb8 scale_color(const ValueScale& scale, double share);

// The colour between two stops, where they differ evenly for the eye; `at` counts stops.
scene::Rgb8 color_between(std::span<const scene::Rgb8> stops, double at);

}  // namespace vox::render
