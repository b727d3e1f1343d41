// Converts a cloud of points to voxels.
#pragma once

#include <cstdint>

#include "formats/points/point_cloud.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/voxelize/grid.h"

namespace vox {

struct PointVoxelOptions {
  double radius = 0;  // world units; voxels whose centre is this near to a point are filled, too
  bool materials = true;
  uint64_t room = UINT64_MAX;  // bytes that points may take at once
};

// Returns how many bytes points may take if `memory_limit` bounds the process; 0 stands for 80 % of the free
// memory.
uint64_t room_for_points(uint64_t memory_limit);

// A voxel's colour is the mean of its points' colours in linear light. The points are sorted by cubes of 64³
// voxels, at 8 bytes each. If they do not all fit into memory, the cloud is read again for each group of
// cubes that fits. Throws Error.
VoxelFile point_voxels(PointCloud cloud, const voxelize::Grid& grid, const PointVoxelOptions& options);

}  // namespace vox
