// Points on the grid: the voxels that a point fills, and the record that is kept of it for each cube of 64³
// voxels in which it fills some. Places are rounded to whole 64ths of a voxel here, so that every machine
// makes the same decisions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "libvox/base/vec.h"
#include "libvox/dag/from_cubes.h"
#include "libvox/voxelize/fit_box.h"
#include "libvox/voxelize/grid.h"

namespace vox {

// A point in one cube, in 8 bytes:
//
//   bit   0 to 12, 13 to 25, 26 to 38   x, y, z from a corner half a cube below that of the cube, in 64ths of a voxel
//        39 to 62                       colour
struct PointRecord {
  static constexpr int32_t kBits = 13;
  static constexpr int32_t kSteps = 64;                                   // steps per voxel
  static constexpr int32_t kMargin = kSteps * dag::VoxelCube::kSide / 2;  // half a cube

  uint64_t bits = 0;

  static PointRecord of(Int3 place, uint32_t rgb) {
    const auto part = [](int32_t v) { return static_cast<uint64_t>(int64_t{v} + kMargin); };
    return {part(place.x) | part(place.y) << kBits | part(place.z) << 2 * kBits | uint64_t{rgb} << 3 * kBits};
  }

  // The place relative to the cube's corner, in 64ths of a voxel.
  Int3 place() const {
    const auto part = [&](int32_t axis) {
      return static_cast<int32_t>(bits >> axis * kBits & ((1 << kBits) - 1)) - kMargin;
    };
    return {part(0), part(1), part(2)};
  }
  uint32_t rgb() const { return static_cast<uint32_t>(bits >> 3 * kBits); }
};
static_assert(sizeof(PointRecord) == 8);

// Half a cube less a voxel, so that a point's voxels lie in at most two cubes along each axis.
inline constexpr double kMostRadius = 31;  // in voxels

class PointLattice {
 public:
  // `radius` is in world units. Throws Error if it is more than kMostRadius voxels.
  PointLattice(const voxelize::Grid& grid, double radius);

  // Calls body(key of the cube, record) for each cube in which the point may fill voxels.
  template <class Body>
  void for_each_cube(const Vec3d& place, uint32_t rgb, const Body& body) const {
    const std::optional<Int3> at = step_of(place);
    if (!at) return;
    const Int3 first = cube_of(*at, -reach_), last = cube_of(*at, reach_);
    for (int32_t z = first.z; z <= last.z; ++z)
      for (int32_t y = first.y; y <= last.y; ++y)
        for (int32_t x = first.x; x <= last.x; ++x) {
          const Int3 corner = Int3{x, y, z} * dag::VoxelCube::kSide;
          body(dag::cube_key(corner), PointRecord::of(*at - corner * PointRecord::kSteps, rgb));
        }
  }

  // Calls body(code), see VoxelCube::code(), for each voxel that the record fills in the cube with the lower
  // corner `corner`. These are the voxel that holds the point, and those whose centre is at most the radius
  // away from the centre of the 64th of a voxel in which the point lies.
  template <class Body>
  void for_each_voxel(PointRecord record, Int3 corner, const Body& body) const {
    const Int3 at = record.place();
    const Int3 own = {at.x >> 6, at.y >> 6, at.z >> 6};
    if (reach_ == 0) return body(dag::VoxelCube::code(own));
    const Int3 first = voxel_of(at, -reach_, corner), last = voxel_of(at, reach_, corner);
    for (int32_t z = first.z; z <= last.z; ++z)
      for (int32_t y = first.y; y <= last.y; ++y)
        for (int32_t x = first.x; x <= last.x; ++x)
          if (Int3{x, y, z} == own || is_near(at, {x, y, z})) body(dag::VoxelCube::code({x, y, z}));
  }

 private:
  static constexpr int32_t kSteps = PointRecord::kSteps;

  // Returns a place in 64ths of a voxel from the grid's origin, or nothing if the point fills no voxel of the
  // grid. It is defined in the header so that the three numbers stay in registers.
  std::optional<Int3> step_of(const Vec3d& place) const {
    const auto x = step_along(0, place.x), y = step_along(1, place.y), z = step_along(2, place.z);
    if (!x || !y || !z) return std::nullopt;
    return Int3{*x, *y, *z};
  }
  std::optional<int32_t> step_along(uint32_t axis, double place) const {
    const double high = resolution_ * double{kSteps};
    // A snapped grid is a window of one grid of the world, in which a point lies in exactly one voxel. So if
    // two tiles touch, only one of them has the point; the difference of two such numbers is exact. Other
    // grids end with their points, which rounding may move beyond the end.
    const double exact = snapped_ ? place / voxel_size_ * kSteps - origin_[axis] * kSteps
                                  : (place - origin_[axis]) / voxel_size_ * kSteps;
    constexpr double kRounding = voxelize::kGridRounding * kSteps;
    if (!snapped_ && exact >= high && exact <= high + kRounding) return resolution_ * kSteps - 1;
    if (!snapped_ && exact < 0 && exact >= -kRounding) return 0;
    // A point outside the grid may still fill voxels within its reach. 2^20 voxels have 2^26 steps.
    if (!(exact >= -reach_ && exact < high + reach_)) return std::nullopt;
    const auto towards_0 = static_cast<int32_t>(exact);
    return towards_0 - (towards_0 > exact ? 1 : 0);
  }

  Int3 cube_of(Int3 at, int32_t by) const {
    const auto along = [&](int32_t v) {
      return std::clamp((v + by) >> 6, 0, resolution_ - 1) / dag::VoxelCube::kSide;
    };
    return {along(at.x), along(at.y), along(at.z)};
  }

  // Returns the voxel of both the cube and the grid that is nearest to a place of the cube moved by `by`.
  Int3 voxel_of(Int3 at, int32_t by, Int3 corner) const {
    const auto along = [&](uint32_t axis) {
      return std::clamp((at[axis] + by) >> 6, 0,
                        std::min(dag::VoxelCube::kSide, resolution_ - corner[axis]) - 1);
    };
    return {along(0), along(1), along(2)};
  }

  // Distances in 128ths of a voxel are below 2^13, so the sum of their squares fits.
  bool is_near(Int3 at, Int3 voxel) const {
    const auto along = [&](uint32_t axis) { return 128 * voxel[axis] + 64 - (2 * at[axis] + 1); };
    const Int3 apart = {along(0), along(1), along(2)};
    return dot(apart, apart) <= most_squared_;
  }

  Vec3d origin_;  // in world units, or in voxels if the grid is snapped
  double voxel_size_;
  bool snapped_;
  int32_t resolution_;
  int32_t reach_ = 0;         // the radius in 64ths of a voxel, rounded up
  int32_t most_squared_ = 0;  // the square of the radius in 128ths of a voxel
};

}  // namespace vox
