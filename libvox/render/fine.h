// Points and directions in whole numbers, from which rays are made without double precision, and quotients
// and products of 64-bit numbers.
#pragma once

#include <cmath>
#include <cstdint>

#include "libvox/base/bits.h"
#include "libvox/base/vec.h"

namespace vox::render {

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
// of floats gives 23 good bits; a correction to first order gives the rest. The result is the same on every
// device.
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

}  // namespace vox::render
