// A ray as integers: the times at which it crosses the planes of the grid. See render/README.md.
#pragma once

#include "libvox/render/course.h"

namespace vox::render {

// The crossing of a plane, as 4 · time + axis, where the axis is 0, 1, 2 for x, y, z. Crossings of different
// planes are never equal. If a ray begins between planes, the axis of its start is kNoAxis.
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
  Vec3<Crossing> first;    // 24 B, the crossings of plane 0; none is after `start`
  Vec3<Crossing> step;     // 24 B, 4 · ticks from plane to plane
  Crossing start;          // 8 B, when it begins or enters the cube
  Crossing end;            // 8 B, when it ends: it hits nothing that it would enter later
  int64_t before;          // 8 B, ticks from the eye to time 0
  int64_t pixel_is_voxel;  // 8 B, ticks from the eye to where a pixel is as wide as a voxel; INT64_MAX: never
  int64_t widest;          // 8 B, ticks from the eye beyond which a pixel becomes no wider
  float voxels_per_tick;   // 4 B, distance per tick
  uint32_t mirrored;       // 4 B, bit 0, 1, 2: mirrored along x, y, z
  uint32_t log2_side;      // 4 B, log2 of the cube's side
};
static_assert(sizeof(Ray) == 104);

// Returns the ticks from the eye to a crossing.
VOX_HD inline int64_t ticks_to(const Ray& ray, Crossing at) {
  return ray.before + time_of(at);
}
// Returns the distance of a crossing from the eye, in voxels, exact to the last digits of a float.
VOX_HD inline float distance_to(const Ray& ray, Crossing at) {
  return static_cast<float>(ticks_to(ray, at)) * ray.voxels_per_tick;
}

namespace detail {

// kFarTicks is more than from one end of the cube to the other. kTooFar, as a float and as a whole number, is
// more than from any eye into the cube.
inline constexpr int64_t kFarTicks = int64_t{1} << 60;
inline constexpr float kTooFar = 0x1p61f;
inline constexpr int64_t kTooFarTicks = int64_t{1} << 61;

// One axis of a ray, mirrored.
struct RayAxis {
  int64_t to_plane;  // in 2^-32 voxels, from the eye up to plane 0
  int64_t step;      // in ticks
  float slope;
  bool still;

  VOX_HD RayAxis(int64_t eye, const Course& course, uint32_t axis)
      : to_plane(course.mirrored >> axis & 1 ? eye - (int64_t{1} << (kFineBits + course.log2_side)) : -eye),
        step(course.step[axis]),
        slope(course.slope[axis]),
        still((course.still >> axis & 1) != 0) {}

  // Returns the ticks from the eye to plane 0, clamped if the ray is never in the cube.
  VOX_HD int64_t first_plane() const {
    const float about = static_cast<float>(to_plane >> kFineBits) * static_cast<float>(step);
    if (still || about < -kTooFar) return -kTooFarTicks;
    return about > kTooFar ? kTooFarTicks : fine_product(to_plane, step);
  }

  // Returns the ray's place on an axis along which it stands still, after so many ticks from the eye.
  VOX_HD int64_t still_at(int64_t ticks, uint32_t log2_side) const {
    const auto scale = static_cast<int32_t>(kFineBits) - static_cast<int32_t>(log2_ticks(log2_side));
    return static_cast<int64_t>(static_cast<float>(ticks) * (slope * power_of_two(scale))) - to_plane;
  }

  // Returns the ticks to plane 0, counted from `before` ticks after the eye. They are far in the past if the
  // ray is never in the cube.
  VOX_HD int64_t first_plane_after(int64_t before, int64_t first, uint32_t log2_side) const {
    if (!still) return first - before > -kFarTicks ? first - before : -kFarTicks;
    const int64_t voxel = still_at(before, log2_side) >> kFineBits;
    return voxel >= 0 && voxel < int64_t{1} << log2_side ? -voxel * step : -kFarTicks;
  }
};

}  // namespace detail

// Makes a ray on this course from a point at most 2^30 voxels away. `spread` is the width of a pixel at
// distance 1; if it is 0, the ray goes down to voxels.
VOX_HD inline Ray make_ray(const Course& course, FinePoint eye, float spread) {
  const auto later = [](int64_t a, int64_t b) { return a > b ? a : b; };
  const detail::RayAxis x(eye.x, course, 0), y(eye.y, course, 1), z(eye.z, course, 2);
  const Vec3<int64_t> first = {x.first_plane(), y.first_plane(), z.first_plane()};
  const uint32_t log2_side = course.log2_side;

  Ray ray;
  ray.log2_side = log2_side;
  ray.mirrored = course.mirrored;
  ray.before = later(later(first.x, first.y), later(first.z, 0));
  ray.first = {crossing_at(x.first_plane_after(ray.before, first.x, log2_side), 0),
               crossing_at(y.first_plane_after(ray.before, first.y, log2_side), 1),
               crossing_at(z.first_plane_after(ray.before, first.z, log2_side), 2)};
  ray.step = {crossing_at(course.step.x, 0), crossing_at(course.step.y, 0), crossing_at(course.step.z, 0)};
  ray.start = crossing_at(0, kNoAxis);
  ray.end = INT64_MAX;
  if (ray.before > 0) ray.start = later(later(ray.first.x, ray.first.y), ray.first.z);
  ray.voxels_per_tick = course.voxels_per_tick;
  const float widens = spread * course.voxels_per_tick;  // how much wider a pixel becomes per tick, in voxels
  ray.widest = INT64_MAX;
  ray.pixel_is_voxel = widens * 0x1p60f > 1 ? static_cast<int64_t>(1 / widens) : INT64_MAX;
  return ray;
}

// Makes a ray on the host, from a point in voxels. The direction must not be 0, and its length need not be 1.
inline Ray make_ray(uint32_t log2_side, Vec3d origin, Vec3d direction, double spread) {
  return make_ray(make_course(log2_side, fine_direction(direction)), fine_point(origin),
                  static_cast<float>(spread));
}

// Returns the ray with its end at this distance, in voxels.
VOX_HD inline Ray limited(Ray ray, float distance) {
  const float ticks = distance / ray.voxels_per_tick;
  if (ticks < 0x1p60f) ray.end = crossing_at(static_cast<int64_t>(ticks) - ray.before, kNoAxis);
  return ray;
}

// Returns the ray with a pixel that is nowhere wider than at this distance, in voxels.
VOX_HD inline Ray no_wider(Ray ray, float distance) {
  const float ticks = distance / ray.voxels_per_tick;
  if (ticks < 0x1p60f) ray.widest = static_cast<int64_t>(ticks);
  return ray;
}

// Returns the ray with its start `ticks` from the eye. There must be nothing before that point.
VOX_HD inline Ray begun_later(Ray ray, int64_t ticks) {
  const Crossing start = crossing_at(ticks - ray.before, kNoAxis);
  if (start > ray.start) ray.start = start;
  return ray;
}

}  // namespace vox::render
