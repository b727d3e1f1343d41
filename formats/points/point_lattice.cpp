#include "formats/points/point_lattice.h"

#include <fmt/format.h>

#include <cmath>

#include "libvox/base/error.h"

namespace vox {

PointLattice::PointLattice(const voxelize::Grid& grid, double radius)
    : origin_(grid.first_voxel.value_or(grid.origin)),
      voxel_size_(grid.voxel_size),
      snapped_(grid.first_voxel.has_value()),
      resolution_(static_cast<int32_t>(grid.resolution)) {
  const double voxels = radius / voxel_size_;
  if (!(voxels <= kMostRadius))
    throw Error(
        fmt::format("a radius of {} is {:.4g} voxels, but the limit is {}", radius, voxels, kMostRadius))
        .hint("take a smaller radius or larger voxels");
  reach_ = static_cast<int32_t>(std::ceil(voxels * kSteps));
  most_squared_ = static_cast<int32_t>(std::floor(voxels * voxels * (4.0 * kSteps * kSteps)));
}

}  // namespace vox
