// The maximum ages of a table of voxel keys as a picture (García et al. 2011, Figure 4).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libvox/scene/scene.h"

namespace vox::measure {

// Returns a picture with one pixel for each slot, row by row, in the paper's colours: age 0 is black, 1 blue,
// 2 green, 3 yellow, and greater ones red. Pixels behind the last slot are white. Without a width the picture
// is roughly square.
scene::Image picture_of_ages(const std::vector<uint8_t>& ages, std::optional<uint32_t> width);

// Returns the pictures side by side, with a gap between them.
scene::Image side_by_side(const std::vector<const scene::Image*>& images);

}  // namespace vox::measure
