// Random keys for tests of tables of voxel keys.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "libvox/base/mix.h"

namespace vox {

// Returns `count` different keys of `bits` bits in random order.
template <class Cell>
std::vector<Cell> random_keys(uint64_t count, uint64_t seed, uint32_t bits = 8 * sizeof(Cell)) {
  std::vector<Cell> keys;
  for (uint64_t i = seed << 40; keys.size() < count; ++i) {
    keys.push_back(static_cast<Cell>(mix64(i) >> (64 - bits)));
    if (keys.size() < count) continue;
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  }
  std::shuffle(keys.begin(), keys.end(), std::mt19937_64(seed));
  return keys;
}

}  // namespace vox
