// Volumes whose bricks take every form, and the words that such bricks must give back.
#pragma once

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/morton.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/volume/volume.h"
#include "tests/common/random.h"

namespace vox::testing_bricks {

struct NamedVolume {
  std::string name;
  volume::Volume volume;
};

// Returns the bits of a value near `number`, in any type.
inline uint32_t bits_near(volume::ValueType type, double number) {
  return type == volume::ValueType::F32
             ? std::bit_cast<uint32_t>(static_cast<float>(number))
             : static_cast<uint32_t>(std::lround(number)) & (type == volume::ValueType::U8 ? 0xff : 0xffff);
}

// Returns a number below 2^20 that depends only on the voxel and the seed.
inline uint32_t noise(Int3 v, uint32_t seed) {
  const uint64_t code = morton_encode(uint32_t(v.x), uint32_t(v.y), uint32_t(v.z));
  return static_cast<uint32_t>(mix64(code + (uint64_t{seed} << 58)) & 0xfffff);
}

// A volume that is sparser from left to right: dense, masked, octree, hash, list and empty bricks, some with
// few values.
inline volume::Volume mixed_volume(Int3 size, volume::ValueType type, uint32_t seed) {
  return memory_volume(size, type, [=](Int3 v) {
    const double share = std::pow(1 - double(v.x) / size.x, 5);
    if (noise(v, seed) >= share * (1 << 20)) return 0u;
    const uint32_t values = v.y < size.y / 3 ? 3 : v.y < 2 * size.y / 3 ? 30 : 250;
    return bits_near(type, 1 + noise(v, seed + 1) % values);
  });
}

inline volume::Volume constant_volume(Int3 size, volume::ValueType type, double number) {
  return memory_volume(size, type, [=](Int3) { return bits_near(type, number); });
}

// A ball with smooth values that is empty around it.
inline volume::Volume ball_volume(Int3 size, volume::ValueType type) {
  return memory_volume(size, type, [=](Int3 v) {
    const double x = v.x - size.x / 2.0, y = v.y - size.y / 2.0, z = v.z - size.z / 2.0;
    const double inside = size.x * size.x / 5.0 - x * x - y * y - z * z;
    return inside <= 0 ? 0u : bits_near(type, std::min(250.0, 1 + inside));
  });
}

inline volume::Volume one_voxel_volume(Int3 size, volume::ValueType type, Int3 at) {
  return memory_volume(size, type, [=](Int3 v) { return v == at ? bits_near(type, 77) : 0u; });
}

// Returns the words that a rule makes from the whole volume.
inline std::vector<uint32_t> dense_words(const volume::Volume& volume, const volume::ValueRule& rule) {
  const std::vector<std::byte> values = all_values(volume);
  std::vector<uint32_t> words(volume.info.box().voxels());
  for (size_t i = 0; i < words.size(); ++i)
    words[i] = rule.word(volume::bits_at(volume.info.type, values.data(), i));
  return words;
}

// Access to the words of a volume without bricks: the simplest accessor.

struct DenseAccess {
  Int3 size;
  std::vector<uint32_t> words;

  DenseAccess(const volume::Volume& volume, uint32_t background)
      : size(volume.info.size),
        words(dense_words(volume, {.type = volume.info.type, .background = background})) {}

  template <class T>
  T get(Int3 v) const {
    const size_t row = size_t(v.z) * size_t(size.y) + size_t(v.y);
    return static_cast<T>(words.at(row * size_t(size.x) + size_t(v.x)));
  }
  template <class T>
  void corners(Int3 low, Int3 high, T* found) const {
    bricks::corners_one_by_one(*this, low, high, found);
  }
};

// A volume with every kind of brick, and with negative values if the type has them.
inline volume::Volume signed_volume(Int3 size, volume::ValueType type, uint32_t seed) {
  if (type == volume::ValueType::U8 || type == volume::ValueType::U16) return mixed_volume(size, type, seed);
  const double scale = type == volume::ValueType::F32 ? 1.37 : 1;
  return memory_volume(size, type, [=](Int3 v) {
    const double share = std::pow(1 - double(v.x) / size.x, 5);
    const bool empty = noise(v, seed) >= share * (1 << 20);
    return bits_near(type, empty ? -1000 : scale * (int(noise(v, seed + 1) % 700) - 500));
  });
}

}  // namespace vox::testing_bricks
