// Access to the words of a volume without bricks: the simplest accessor.
#pragma once

#include <cstring>
#include <vector>

#include "tests/bricks/brick_volumes.h"

namespace vox::testing_bricks {

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
