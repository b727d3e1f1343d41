// The normal of a surface of voxels at one of them, from which of its 26 neighbours are filled.
#pragma once

#include "formats/voxels/bordered_cube.h"
#include "libvox/base/vec.h"

namespace vox {

// Of length 1. Where the neighbours on one side are filled, as on the border of something solid, it points to the
// other one, by the mean of the directions to the neighbours. Where they lie around a plane, as in a wall that is
// one voxel thick, it is the direction in which they extend least, on the side that has fewer of them, else on
// that of its largest coordinate's positive axis.
Vec3<float> normal_of_voxel(const BorderedCube& cube, const Int3& at);

}  // namespace vox
