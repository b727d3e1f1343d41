// The types of floating-point numbers in files that hold distances, and the conversion to and from 16 bits.
#pragma once

#include <bit>
#include <cstdint>

namespace vox {

enum class Floats { F16, F32 };

constexpr uint32_t bytes_of(Floats floats) {
  return floats == Floats::F16 ? 2 : 4;
}

// Returns the nearest number of 16 bits (IEEE 754's binary16); if two are equally near, the one with an even fraction.
inline uint16_t half_of(float value) {
  constexpr uint32_t kInfinity = 0x7f800000, kTooLarge = 0x477ff000, kLeastNormal = 0x38800000;
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
  if (rest > kInfinity) return static_cast<uint16_t>(sign | 0x7e00);
  if (rest >= kTooLarge) return static_cast<uint16_t>(sign | 0x7c00);
  if (rest < kLeastNormal) {
    // The last bit of a sum with 1/2 has the weight of the last bit of subnormal halves, so the addition rounds.
    const float sum = std::bit_cast<float>(rest) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(sum) - std::bit_cast<uint32_t>(0.5f)));
  }
  const uint32_t exponents = (127u - 15u) << 23;
  return static_cast<uint16_t>(sign | (rest - exponents + 0xfff + (rest >> 13 & 1)) >> 13);
}

inline float float_of_half(uint16_t half) {
  const uint32_t sign = uint32_t{half & 0x8000u} << 16, exponent = half >> 10 & 31u, mantissa = half & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
  if (exponent > 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float small = static_cast<float>(mantissa) * 0x1p-24f;
  return sign != 0 ? -small : small;
}

}  // namespace vox
