// The voxels in which a cloud's points fall.
#pragma once

#include <cstdint>

#include "formats/points/point_cloud.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/voxelize/grid.h"

namespace vox {

struct PointVoxelOptions {
  double radius = 0;  // world units: of the voxels too whose centre is so near to a point
  bool materials = true;
  uint64_t room = UINT64_MAX;  // bytes that points may take at once
};

// How much room there is for points where `memory_limit` bounds the process; 0 stands for 80 % of what is free.
uint64_t room_for_points(uint64_t memory_limit);

// A voxel's colour is the mean of its points' in linear light. The cloud's points are sorted by cubes of 64³
// voxels, 8 bytes for each, where memory has room for all of them at once; else it is read once more for as many
// cubes as there is room for. Throws Error.
VoxelFile point_voxels(PointCloud cloud, const voxelize::Grid& grid, const PointVoxelOptions& options);

}  // namespace vox
