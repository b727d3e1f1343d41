#include "formats/points/point_lattice.h"

#include <fmt/format.h>

#include <cmath>

#include "libvox/base/error.h"
#include "libvox/voxelize/fit_box.h"

namespace vox {

PointLattice::PointLattice(const voxelize::Grid& grid, double radius)
    : origin_(grid.first_voxel.value_or(grid.origin)),
      voxel_size_(grid.voxel_size),
      snapped_(grid.first_voxel.has_value()),
      resolution_(static_cast<int32_t>(grid.resolution)) {
  const double voxels = radius / voxel_size_;
  if (!(voxels <= kMostRadius))
    throw Error(fmt::format("a radius of {} is {:.4g} voxels, but a point has at most {}", radius, voxels,
                            kMostRadius))
        .hint("take a smaller radius or larger voxels");
  reach_ = static_cast<int32_t>(std::ceil(voxels * kSteps));
  most_squared_ = static_cast<int32_t>(std::floor(voxels * voxels * (4.0 * kSteps * kSteps)));
}

std::optional<Int3> PointLattice::step_of(const Vec3d& place) const {
  const double high = resolution_ * double{kSteps};
  Int3 at = {0, 0, 0};
  for (uint32_t axis = 0; axis < 3; ++axis) {
    // A snapped grid is a window of one grid of the world, in which a point falls into one voxel, so that of two
    // tiles that touch each other one has it; the difference of two such numbers is exact. Other grids end with
    // their points, which rounding may move beyond.
    const double exact = snapped_ ? place[axis] / voxel_size_ * kSteps - origin_[axis] * kSteps
                                  : (place[axis] - origin_[axis]) / voxel_size_ * kSteps;
    constexpr double kRounding = voxelize::kGridRounding * kSteps;
    if (!snapped_ && exact >= high && exact <= high + kRounding) {
      at[axis] = resolution_ * kSteps - 1;
    } else if (!snapped_ && exact < 0 && exact >= -kRounding) {
      at[axis] = 0;
    } else {
      // Its voxels begin at most so far away from it. 2^20 voxels have 2^26 steps.
      if (!(exact >= -reach_ && exact < high + reach_)) return std::nullopt;
      const auto towards_0 = static_cast<int32_t>(exact);
      at[axis] = towards_0 - (towards_0 > exact ? 1 : 0);
    }
  }
  return at;
}

}  // namespace vox
