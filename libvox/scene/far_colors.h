// Places among a palette's colours for small areas that are far from all of them. K-means spends all of its
// means on the large areas: the sixteenth shade of grey saves more squared distances than a red that covers a
// thousandth of the surface, and that the eye is drawn to.
#pragma once

#include <vector>

#include "libvox/scene/cluster.h"

namespace vox::scene {

// The means, of which there may be `count`, after exchanges: a colour that is further than kFarInOklab from
// all of them, with what is as near to it, gets the place of a mean that can best be spared, where that
// leaves less area that far away. What covers less than a ten-thousandth of the surface gets none. `areas`
// and `pull` are the same points with two weights: the area of each, and what means are drawn by.
std::vector<Vec3d> with_far_colors(const std::vector<WeightedPoint>& areas,
                                   const std::vector<WeightedPoint>& pull, std::vector<Vec3d> means,
                                   uint32_t count);

}  // namespace vox::scene
