// Makes voxels from the values of a volume, from which a scene is built.
#pragma once

#include "formats/voxels/volumes/volume_materials.h"
#include "formats/voxels/voxel_file.h"

namespace vox {

// Voxels are as wide as the finest spacing of the three axes; along the other axes each voxel takes the value
// nearest to its centre. The grid lies where the volume does. Throws Error if spacings differ by more than a
// factor of 64 or if no grid is large enough.
VoxelFile voxels_of_volume(StoredVolume stored, const ValueEntries& entries);

}  // namespace vox
