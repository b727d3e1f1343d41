// The voxels of a volume, as a scene is made of them.
#pragma once

#include "formats/voxels/volumes/volume_materials.h"
#include "formats/voxels/voxel_file.h"

namespace vox {

// Voxels are as wide as the finest spacing of the three axes; along the others each takes the value that is
// nearest to its centre. The grid lies where the volume does. Throws Error where spacings differ by more than 64
// times, and where no grid is large enough.
VoxelFile voxels_of_volume(StoredVolume stored, const ValueEntries& entries);

}  // namespace vox
