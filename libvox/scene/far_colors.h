// Gives small areas whose colours are far from a palette's a place in it. K-means spends all of its means on
// the large areas: a sixteenth shade of grey saves more squared distance than a red that covers a thousandth
// of the surface, and that the eye is drawn to.
#pragma once

#include <vector>

#include "libvox/scene/cluster.h"

namespace vox::scene {

// Returns the means, of which there may be `count`, after exchanges. A group of colours that are all further
// than kFarInOklab from every mean, but not from the colour in its middle, gets the place of one of the means
// that can best be spared, where the exchange leaves less area so far away. A group that covers less than a
// ten-thousandth of the surface gets no place. `areas` and `pull` are the same points with two weights: the
// area of each, and how much it draws the means.
std::vector<Vec3d> with_far_colors(const std::vector<WeightedPoint>& areas,
                                   const std::vector<WeightedPoint>& pull, std::vector<Vec3d> means,
                                   uint32_t count);

}  // namespace vox::scene
