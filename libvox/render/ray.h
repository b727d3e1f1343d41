// A ray in integers: the times at which it crosses the planes of the grid. See render/README.md.
#pragma once

#include <cmath>
#include <cstdint>

#include "libvox/base/bits.h"
#include "libvox/base/morton.h"
#include "libvox/base/vec.h"

namespace vox::render {

// Rays are made without double precision, from points and directions in whole numbers. This needs
// quotients and products of 64-bit numbers.

// A point, in 2^-32 of a voxel. It is less than 2^30 voxels from the origin.
using FinePoint = Vec3<int64_t>;
inline constexpr uint32_t kFineBits = 32;

// A direction of any length. Its components are below 2^62 and the largest is at least 2^32, so that rounding
// one of them turns it by less than 2^-32.
using FineDirection = Vec3<int64_t>;

// Converts a point from doubles, on the host.
inline FinePoint fine_point(Vec3d at) {
  const auto fine = [](double part) { return static_cast<int64_t>(std::floor(part * 0x1p32 + 0.5)); };
  return {fine(at.x), fine(at.y), fine(at.z)};
}
// Returns a direction times 2^exponent.
inline FineDirection fine_direction(Vec3d d, int exponent) {
  const auto fine = [=](double part) { return static_cast<int64_t>(std::ldexp(part, exponent)); };
  return {fine(d.x), fine(d.y), fine(d.z)};
}
// Returns the exponent for which numbers up to `largest` stay below 2^bits.
inline int fine_exponent(double largest, int bits) {
  return bits - 1 - std::ilogb(largest);
}
inline FineDirection fine_direction(Vec3d d) {
  const double largest = std::fmax(std::fabs(d.x), std::fmax(std::fabs(d.y), std::fabs(d.z)));
  return fine_direction(d, fine_exponent(largest, 61));
}

// Returns the number of zeros above the highest bit. bits must not be 0.
VOX_HD inline uint32_t leading_zeros(uint64_t bits) {
  const auto high = static_cast<uint32_t>(bits >> 32);
  return high != 0 ? 31 - static_cast<uint32_t>(highest_bit(high))
                   : 63 - static_cast<uint32_t>(highest_bit(static_cast<uint32_t>(bits)));
}

// Returns 2^126 divided by a number whose highest bit is set, with a relative error below 2^-44. A quotient
// of floats gives 23 correct bits, and a first-order correction gives the rest. The result is the same on
// every device.
VOX_HD inline uint64_t reciprocal(uint64_t number) {
  const auto first = static_cast<uint64_t>(0x1p47f / static_cast<float>(static_cast<uint32_t>(number >> 40)));
  const uint64_t product = (number >> 32) * first + ((number & UINT32_MAX) * first >> 32);  // nearly 2^55
  const auto missing = static_cast<int64_t>((uint64_t{1} << 55) - product);
  return (first << 39) + static_cast<uint64_t>(static_cast<int64_t>(first) * missing >> 16);
}

// Returns number · factor / 2^32, rounded down. The factor must be below 2^58, and the result below 2^62.
VOX_HD inline int64_t fine_product(int64_t number, int64_t factor) {
  const auto fraction = static_cast<uint64_t>(number & UINT32_MAX), by = static_cast<uint64_t>(factor);
  return (number >> kFineBits) * factor +
         static_cast<int64_t>(fraction * (by >> 32) + (fraction * (by & UINT32_MAX) >> 32));
}

// A ray's course is everything that follows from its direction alone, such as the intervals at which it
// crosses planes.

// Returns log2 of the number of ticks of a voxel along a ray's longest axis.
VOX_HD inline uint32_t log2_ticks(uint32_t log2_side) {
  return log2_side > 14 ? 58 - 2 * log2_side : 30;
}
// Returns the least interval at which a ray counts as standing still along an axis. It then crosses none of
// the axis's planes inside the cube.
VOX_HD inline int64_t slowest_step(uint32_t log2_side) {
  return int64_t{1} << (59 - log2_side);
}
VOX_HD inline float power_of_two(int32_t exponent) {  // −126 to 127
  return float_of_bits(static_cast<uint32_t>(exponent + 127) << 23);
}

struct Course {
  Vec3<int64_t> step;     // 24 B, ticks from plane to plane
  Vec3<float> slope;      // 12 B, voxels along each axis per voxel along the longest
  float voxels_per_tick;  // 4 B, distance per tick
  float longest;          // 4 B, the direction's largest component
  uint32_t mirrored;      // 4 B, bit 0, 1, 2: the ray goes down along x, y, z
  uint32_t still;         // 4 B, bit 0, 1, 2: the ray stands still along x, y, z
  uint32_t log2_side;     // 4 B, log2 of the cube's side
};
static_assert(sizeof(Course) == 56);

namespace detail {

// Returns the interval at which planes are crossed along an axis, rounded down. `longest` is the direction's
// longest component, shifted up by `zeros` bits so that its highest bit is set. A quotient that is just
// below a whole number counts as that number.
VOX_HD inline int64_t step_of(uint64_t part, uint64_t longest, uint32_t zeros, uint32_t log2_side) {
  constexpr uint64_t kHair = 1 << 19;
  const int64_t slowest = slowest_step(log2_side);
  if (part == 0) return slowest;
  const uint32_t own_zeros = leading_zeros(part);
  const uint32_t up = log2_ticks(log2_side) + own_zeros - zeros;
  if (up > 57) return slowest;
  const uint64_t quotient = multiply_high(longest, reciprocal(part << own_zeros));  // 2^62 stands for 1
  const auto step = static_cast<int64_t>((quotient + kHair) >> (62 - up));
  return step < slowest ? step : slowest;
}

}  // namespace detail

// The direction must not be 0.
VOX_HD inline Course make_course(uint32_t log2_side, FineDirection direction) {
  const auto size = [](int64_t part) { return static_cast<uint64_t>(part < 0 ? -part : part); };
  const uint64_t x = size(direction.x), y = size(direction.y), z = size(direction.z);
  uint64_t longest = x > y ? x : y;
  if (z > longest) longest = z;
  const uint32_t zeros = leading_zeros(longest);
  Course course;
  course.log2_side = log2_side;
  course.step = {detail::step_of(x, longest << zeros, zeros, log2_side),
                 detail::step_of(y, longest << zeros, zeros, log2_side),
                 detail::step_of(z, longest << zeros, zeros, log2_side)};
  const int64_t slowest = slowest_step(log2_side);
  course.still = (course.step.x == slowest ? 1u : 0u) | (course.step.y == slowest ? 2u : 0u) |
                 (course.step.z == slowest ? 4u : 0u);
  course.mirrored = (direction.x < 0 ? 1u : 0u) | (direction.y < 0 ? 2u : 0u) | (direction.z < 0 ? 4u : 0u);
  course.longest = static_cast<float>(longest);
  const float share = 1 / course.longest;
  course.slope = {static_cast<float>(x) * share, static_cast<float>(y) * share,
                  static_cast<float>(z) * share};
  course.voxels_per_tick = square_root(dot(course.slope, course.slope)) *
                           power_of_two(-static_cast<int32_t>(log2_ticks(log2_side)));
  return course;
}

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

// A ray in mirrored coordinates. Along an axis on which the ray goes down, they count from the cube's other end.
struct Ray {
  Vec3<Crossing> first;    // 24 B, the crossings of plane 0; none is after `start`
  Vec3<Crossing> step;     // 24 B, 4 · ticks from plane to plane
  Crossing start;          // 8 B, when it begins or enters the cube
  Crossing end;            // 8 B, when it ends; the ray does not hit things that it enters later
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

// A ray takes less than kFarTicks through the whole cube, and less than kTooFarTicks from any eye into the cube.
// kTooFar is kTooFarTicks as a float.
inline constexpr int64_t kFarTicks = int64_t{1} << 60;
inline constexpr float kTooFar = 0x1p61f;
inline constexpr int64_t kTooFarTicks = int64_t{1} << 61;

// One axis of a ray, mirrored.
struct RayAxis {
  int64_t to_plane;  // from the eye to plane 0, in 2^-32 voxels
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

  // Returns the ray's place, this many ticks from the eye, on an axis along which it stands still.
  VOX_HD int64_t still_at(int64_t ticks, uint32_t log2_side) const {
    const auto scale = static_cast<int32_t>(kFineBits) - static_cast<int32_t>(log2_ticks(log2_side));
    return static_cast<int64_t>(static_cast<float>(ticks) * (slope * power_of_two(scale))) - to_plane;
  }

  // Returns the ticks to plane 0, counted from `before` ticks after the eye. They are far in the past if the
  // ray is never in the cube. If the ray stands still, it has crossed the plane before its voxel one tick earlier, so
  // that it is in this voxel when it enters the cube along any other axis.
  VOX_HD int64_t first_plane_after(int64_t before, int64_t first, uint32_t log2_side) const {
    if (!still) return first - before > -kFarTicks ? first - before : -kFarTicks;
    const int64_t voxel = still_at(before, log2_side) >> kFineBits;
    return voxel >= 0 && voxel < int64_t{1} << log2_side ? -voxel * step - 1 : -kFarTicks;
  }
};

}  // namespace detail

// Makes a ray on this course from a point at most 2^30 voxels away. `spread` is the width of a pixel at
// distance 1. If it is 0, the ray stops only at voxels.
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
  const float widens = spread * course.voxels_per_tick;  // the growth of a pixel's width per tick, in voxels
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

// Returns the ray with a pixel that stops becoming wider at this distance, in voxels.
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

// The cell that a ray is in: a cube whose side is a power of two, at a multiple of its side. Everything is
// computed in integers.

struct Cell {
  Vec3<uint32_t> at;   // 12 B, its lowest corner in mirrored coordinates
  uint32_t log2;       // 4 B, log2 of its side
  Vec3<Crossing> out;  // 24 B, the crossings at which the ray leaves it along each axis
  uint32_t octant;     // 4 B, its mirrored octant, in Morton order, in the cell twice as wide

  // Makes the cell that is the whole cube.
  VOX_HD explicit Cell(const Ray& ray) : at{0, 0, 0}, log2(ray.log2_side), out(ends(ray)), octant(0) {}

  // Makes the cell of side 2^log2_cell around a voxel of the grid.
  VOX_HD Cell(const Ray& ray, Int3 voxel, uint32_t log2_cell) {
    const uint32_t last = (1u << ray.log2_side) - 1;
    const auto mirrored = [&](int32_t voxel_at, uint32_t axis) {
      const auto along = static_cast<uint32_t>(voxel_at);
      return ray.mirrored >> axis & 1 ? along ^ last : along;
    };
    at = {mirrored(voxel.x, 0), mirrored(voxel.y, 1), mirrored(voxel.z, 2)};
    set_side(ray, log2_cell);
  }

  VOX_HD Crossing next() const {
    const Crossing xy = out.x < out.y ? out.x : out.y;
    return xy < out.z ? xy : out.z;
  }

  // True if the ray is in the cell at `now`.
  VOX_HD bool holds(const Ray& ray, Crossing now) const {
    return next() > now && plane(ray.first.x, ray.step.x, at.x) <= now &&
           plane(ray.first.y, ray.step.y, at.y) <= now && plane(ray.first.z, ray.step.z, at.z) <= now;
  }

  // Returns its lowest corner in the grid, where nothing is mirrored.
  VOX_HD Int3 corner(const Ray& ray) const {
    const uint32_t last = (1u << ray.log2_side) - 1;
    const auto unmirrored = [&](uint32_t low, uint32_t axis) {
      return static_cast<int32_t>((ray.mirrored >> axis & 1 ? low ^ last : low) >> log2 << log2);
    };
    return {unmirrored(at.x, 0), unmirrored(at.y, 1), unmirrored(at.z, 2)};
  }

  // Becomes the eighth that the ray is in at `now`.
  VOX_HD void halve(const Ray& ray, Crossing now) {
    --log2;
    octant = 0;
    halve_axis(at.x, out.x, ray.first.x, ray.step.x, now, 0);
    halve_axis(at.y, out.y, ray.first.y, ray.step.y, now, 1);
    halve_axis(at.z, out.z, ray.first.z, ray.step.z, now, 2);
  }

  // Becomes the cell that the ray enters at the crossing next(). The cell is as wide as before, or wider if
  // the ray also enters a wider cell there. If the ray leaves the cube, the cell becomes as wide as the cube.
  VOX_HD void go_on(const Ray& ray) {
    const uint32_t axis = axis_of(next()), side = 1u << log2;
    // There are no branches on the axis or on the cell's width, because neither can be predicted.
    const Vec3<uint32_t> ahead = {axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0};
    const Vec3<uint32_t> to = at + ahead;
    const uint32_t changed = (at.x ^ to.x) | (at.y ^ to.y) | (at.z ^ to.z);
    at = to;
    set_side(ray, static_cast<uint32_t>(highest_bit(changed)));
  }

 private:
  // Returns when the ray crosses a plane. A GPU does this in one multiply-add, so nothing is kept from cell
  // to cell.
  VOX_HD static Crossing plane(Crossing first, Crossing step, uint32_t number) {
    return first + static_cast<Crossing>(number) * step;
  }
  VOX_HD void halve_axis(uint32_t& low, Crossing& leaves, Crossing first, Crossing step, Crossing now,
                         uint32_t axis) {
    const uint32_t half = low + (1u << log2);
    const Crossing middle = plane(first, step, half);
    const bool upper = middle <= now;
    low = upper ? half : low;
    leaves = upper ? leaves : middle;
    octant |= upper ? 1u << axis : 0;
  }
  // Becomes the cell of this side around its lowest voxel.
  VOX_HD void set_side(const Ray& ray, uint32_t log2_wide) {
    log2 = log2_wide;
    const uint32_t low_bits = (1u << log2) - 1;
    at = {at.x & ~low_bits, at.y & ~low_bits, at.z & ~low_bits};
    out = ends(ray);
    octant = octant_at(at, log2);
  }
  // Returns when the ray crosses the far plane of each axis.
  VOX_HD Vec3<Crossing> ends(const Ray& ray) const {
    const uint32_t side = 1u << log2;
    return {plane(ray.first.x, ray.step.x, at.x + side), plane(ray.first.y, ray.step.y, at.y + side),
            plane(ray.first.z, ray.step.z, at.z + side)};
  }
};

}  // namespace vox::render
