// Random numbers that are the same on every machine.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

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

// Sets the amount of work that tests do: less in programs with sanitizers, which are slow.

#ifdef __SANITIZE_THREAD__
// The thread sanitizer examines the order of events, which a few of them show as well as many.
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif

// A factor for the work of tests, such as the number of scripts. With sanitizers it is small, because their
// findings show early.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr uint32_t kThoroughness = 1;
#else
inline constexpr uint32_t kThoroughness = 10;
#endif

// Returns all of these cases or, in programs with sanitizers, every fourth, beginning with the first.
template <class T>
std::vector<T> sampled(const std::vector<T>& cases) {
  if (kThoroughness == 10) return cases;
  std::vector<T> some;
  for (uint64_t i = 0; i < cases.size(); i += 4) some.push_back(cases[i]);
  return some;
}

}  // namespace vox
