// Gives small areas whose colours are far from a palette's entries a place in the palette. K-means spends all
// of its means on the large areas: a sixteenth shade of grey saves more squared distance than a red that
// covers a thousandth of the surface but attracts the eye.
#pragma once

#include <vector>

#include "libvox/scene/cluster.h"

namespace vox::scene {

// Returns the means, of which there may be `count`, after exchanges. A group consists of colours that are all
// further than kFarInOklab from every mean, but not from the colour in the group's middle. It gets the place
// of one of the means that can best be spared, if the exchange leaves less area so far away. A group that
// covers less than a ten-thousandth of the surface gets no place. `areas` and `pull` are the same points with
// two weights: the area of each, and how much it draws the means.
std::vector<Vec3d> with_far_colors(const std::vector<WeightedPoint>& areas,
                                   const std::vector<WeightedPoint>& pull, std::vector<Vec3d> means,
                                   uint32_t count);

}  // namespace vox::scene
