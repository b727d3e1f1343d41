// The normal of a surface of voxels at a voxel, derived from which of its 26 neighbours are filled.
#pragma once

#include "formats/voxels/bordered_cube.h"
#include "libvox/base/vec.h"

namespace vox {

// Returns a vector of length 1. If the filled neighbours lie on one side, as at the border of something
// solid, it points to the other side, against the mean direction of the neighbours. If they lie around a
// plane, as in a wall one voxel thick, it is the direction in which they extend least. Its sign then points
// to the side with fewer neighbours or, if the sides are equal, makes its largest coordinate positive.
Vec3<float> normal_of_voxel(const BorderedCube& cube, const Int3& at);

}  // namespace vox
