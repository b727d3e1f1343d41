// A ray as integers: when it crosses which plane of the grid. See render/README.md.
#pragma once

#include <cmath>
#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/base/vec.h"

namespace vox::render {

// When a ray crosses a plane, as 4 · time + axis, where the axis is 0, 1, 2 for x, y, z: crossings of
// different planes are never equal. Where a ray begins between planes, the axis is kNoAxis.
using Crossing = int64_t;
inline constexpr uint32_t kNoAxis = 3;

VOX_HD inline int64_t time_of(Crossing crossing) {
  return crossing >> 2;
}
VOX_HD inline uint32_t axis_of(Crossing crossing) {
  return static_cast<uint32_t>(crossing) & 3;
}
VOX_HD inline Crossing crossing_at(int64_t time, uint32_t axis) {
  return time * 4 + axis;
}

// A ray in mirrored coordinates: along an axis on which it goes down, they count from the cube's other end.
struct Ray {
  Vec3<Crossing> first;    // 24 B, of plane 0; none is after `start`
  Vec3<Crossing> step;     // 24 B, from plane to plane: 4 · ticks
  Crossing start;          // 8 B, when it begins, or enters the cube
  Crossing end;            // 8 B, when it ends: it hits nothing that it enters later
  int64_t before;          // 8 B, ticks from the eye to time 0
  int64_t pixel_is_voxel;  // 8 B, ticks from the eye to where a pixel is as wide as a voxel; INT64_MAX: never
  int64_t widest;          // 8 B, ticks from the eye from where on a pixel becomes no wider
  double voxels_per_tick;  // 8 B, of distance
  uint32_t mirrored;       // 4 B, bit 0, 1, 2: x, y, z
  uint32_t log2_side;      // 4 B, of the cube
};
static_assert(sizeof(Ray) == 104);

// The ticks from the eye to a crossing.
VOX_HD inline int64_t ticks_to(const Ray& ray, Crossing at) {
  return ray.before + time_of(at);
}
// The distance of a crossing from the eye in voxels, exact but for the last digits of a double.
VOX_HD inline double distance_to(const Ray& ray, Crossing at) {
  return static_cast<double>(ticks_to(ray, at)) * ray.voxels_per_tick;
}

namespace detail {

VOX_HD inline double power_of_two(uint32_t exponent) {
  return static_cast<double>(uint64_t{1} << exponent);
}
// The ticks of a voxel along the ray's longest axis.
VOX_HD inline double ticks_per_voxel(uint32_t log2_side) {
  return power_of_two(log2_side > 14 ? 58 - 2 * log2_side : 30);
}
VOX_HD inline double larger(double a, double b) {
  return a > b ? a : b;
}
// More than any crossing inside the cube.
inline constexpr double kFarTicks = 0x1p60;

// What the ray does along one axis, mirrored.
struct RayAxis {
  double origin;
  double slope;  // 0–1, relative to the longest axis
  double step;   // ticks
  bool still;    // it crosses no plane inside the cube

  VOX_HD RayAxis(double at, double direction, double longest, uint32_t log2_side) {
    const double slowest = power_of_two(59 - log2_side);
    origin = direction < 0 ? power_of_two(log2_side) - at : at;
    slope = std::fabs(direction) / longest;
    still = slope * slowest < ticks_per_voxel(log2_side);
    step = still ? slowest : std::floor(ticks_per_voxel(log2_side) / slope);
  }

  // The ticks from the eye to plane 0.
  VOX_HD double first_plane() const { return still ? -kFarTicks : -origin * step; }

  // The ticks to plane 0 counted from `before` ticks behind the eye on, as a whole number. Far in the past
  // where the ray is never in the cube.
  VOX_HD int64_t first_plane_after(double before, uint32_t log2_side) const {
    if (!still) return static_cast<int64_t>(larger(std::floor(-origin * step - before), -kFarTicks));
    const double at = std::floor(origin + before / ticks_per_voxel(log2_side) * slope);
    const bool inside = at >= 0 && at < power_of_two(log2_side);
    return static_cast<int64_t>(inside ? -at * step : -kFarTicks);
  }
};

}  // namespace detail

// A ray from a point in voxels, at most 2^30 of them away. The direction is not 0 and need not be of length
// 1. `spread` is the width of a pixel at distance 1; where it is 0, rays go down to voxels.
VOX_HD inline Ray make_ray(uint32_t log2_side, Vec3d origin, Vec3d direction, double spread) {
  using detail::larger;
  const double longest =
      larger(std::fabs(direction.x), larger(std::fabs(direction.y), std::fabs(direction.z)));
  const detail::RayAxis x(origin.x, direction.x, longest, log2_side);
  const detail::RayAxis y(origin.y, direction.y, longest, log2_side);
  const detail::RayAxis z(origin.z, direction.z, longest, log2_side);
  const double entry = larger(x.first_plane(), larger(y.first_plane(), z.first_plane()));
  const double before = larger(entry, 0);

  Ray ray;
  ray.log2_side = log2_side;
  ray.mirrored = (direction.x < 0 ? 1u : 0u) | (direction.y < 0 ? 2u : 0u) | (direction.z < 0 ? 4u : 0u);
  ray.first = {crossing_at(x.first_plane_after(before, log2_side), 0),
               crossing_at(y.first_plane_after(before, log2_side), 1),
               crossing_at(z.first_plane_after(before, log2_side), 2)};
  ray.step = {crossing_at(static_cast<int64_t>(x.step), 0), crossing_at(static_cast<int64_t>(y.step), 0),
              crossing_at(static_cast<int64_t>(z.step), 0)};
  ray.start = crossing_at(0, kNoAxis);
  ray.end = INT64_MAX;
  if (before > 0) {
    ray.start = ray.first.x > ray.first.y ? ray.first.x : ray.first.y;
    if (ray.first.z > ray.start) ray.start = ray.first.z;
  }
  ray.before = static_cast<int64_t>(before < detail::kFarTicks ? before : detail::kFarTicks);
  // The slopes are used, since squares of nearly the longest doubles would overflow.
  ray.voxels_per_tick = std::sqrt(x.slope * x.slope + y.slope * y.slope + z.slope * z.slope) /
                        detail::ticks_per_voxel(log2_side);
  const double widens = spread * ray.voxels_per_tick;  // voxels of a pixel's width per tick
  ray.widest = INT64_MAX;
  ray.pixel_is_voxel = widens * detail::kFarTicks > 1 ? static_cast<int64_t>(1 / widens) : INT64_MAX;
  return ray;
}

// The same ray, which ends at this distance in voxels.
VOX_HD inline Ray limited(Ray ray, double distance) {
  const double ticks = distance / ray.voxels_per_tick - static_cast<double>(ray.before);
  if (ticks < detail::kFarTicks) ray.end = crossing_at(static_cast<int64_t>(ticks), kNoAxis);
  return ray;
}

// The same ray, whose pixel is nowhere wider than at this distance in voxels.
VOX_HD inline Ray no_wider(Ray ray, double distance) {
  const double ticks = distance / ray.voxels_per_tick;
  if (ticks < detail::kFarTicks) ray.widest = static_cast<int64_t>(ticks);
  return ray;
}

}  // namespace vox::render
