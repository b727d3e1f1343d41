// The course of a ray: everything that follows from its direction alone, such as the intervals at which it
// crosses planes.
#pragma once

#include "libvox/render/fine.h"

namespace vox::render {

// Returns log2 of the number of ticks of a voxel along a ray's longest axis.
VOX_HD inline uint32_t log2_ticks(uint32_t log2_side) {
  return log2_side > 14 ? 58 - 2 * log2_side : 30;
}
// Returns the least interval at which the ray stands still along an axis: it then crosses none of the axis's
// planes inside the cube.
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
// longest component, shifted up by `zeros` bits so that its highest bit is set. A quotient that is a hair
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

}  // namespace vox::render
