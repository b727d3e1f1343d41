// Random numbers that are the same on every machine.
#pragma once

#include <cstdint>
#include <random>

#include "libvox/base/vec.h"

namespace vox {

class Random {
 public:
  explicit Random(uint64_t seed) : bits_(seed) {}

  uint32_t below(uint32_t count) { return static_cast<uint32_t>(bits_() % count); }
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(bits_() >> 11) * 0x1p-53;
  }
  Vec3d in_cube(double low, double high) {
    double x = uniform(low, high), y = uniform(low, high);
    return {x, y, uniform(low, high)};
  }

 private:
  std::mt19937_64 bits_;
};

}  // namespace vox
