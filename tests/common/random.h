// Random numbers that are the same on every machine.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "libvox/base/vec.h"
#include "libvox/volume/volume.h"

// Programs with these sanitizers have these functions. The tests cannot ask the compiler, which instruments the
// library and not the tests.
extern "C" {
__attribute__((weak)) void __asan_init();  // NOLINT(bugprone-reserved-identifier)
__attribute__((weak)) void __tsan_init();  // NOLINT(bugprone-reserved-identifier)
}

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

// The thread sanitizer examines the order of events, which a few of them show as well as many.
inline const bool kThreadSanitizer = __tsan_init != nullptr;
inline const bool kAddressSanitizer = __asan_init != nullptr;

// A factor for the work of tests, such as the number of scripts. With sanitizers it is small, because their
// findings show early.
inline const uint32_t kThoroughness = kAddressSanitizer || kThreadSanitizer ? 1 : 10;

// Returns all of these cases or, in programs with sanitizers, every fourth, beginning with the first.
template <class T>
std::vector<T> sampled(const std::vector<T>& cases) {
  if (kThoroughness == 10) return cases;
  std::vector<T> some;
  for (uint64_t i = 0; i < cases.size(); i += 4) some.push_back(cases[i]);
  return some;
}

// Volumes whose values a function computes, for tests that read no file.

// Returns the bits of each voxel's value.
using BitsOf = std::function<uint32_t(Int3)>;

inline volume::Volume memory_volume(Int3 size, volume::ValueType type, const BitsOf& bits) {
  volume::VolumeInfo info;
  info.size = size;
  info.type = type;
  info.source = "memory";
  const uint32_t each = volume::value_bytes(type);
  return {info, [bits, each](const VoxelBox& box, std::byte* out) {
            for (int32_t z = box.min.z; z < box.max.z; ++z)
              for (int32_t y = box.min.y; y < box.max.y; ++y)
                for (int32_t x = box.min.x; x < box.max.x; ++x, out += each) {
                  const uint32_t value = bits({x, y, z});
                  std::memcpy(out, &value, each);
                }
          }};
}

inline std::vector<std::byte> all_values(const volume::Volume& volume) {
  std::vector<std::byte> values(volume.info.bytes());
  volume.read(volume.info.box(), values.data());
  return values;
}

}  // namespace vox
