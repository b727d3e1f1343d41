// Hashes of items, the 2 to 10 words of a leaf or a node.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/base/mix.h"

namespace vox {

VOX_HD inline uint64_t hash_words(const uint32_t* words, uint32_t count) {
  uint64_t hash = 0x9e3779b97f4a7c15ull * count;
  for (uint32_t i = 0; i < count; ++i) {
    hash = (hash ^ words[i]) * 0xff51afd7ed558ccdull;
    hash ^= hash >> 32;
  }
  return mix64(hash);
}

VOX_HD inline bool same_words(const uint32_t* a, const uint32_t* b, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    if (a[i] != b[i]) return false;
  return true;
}

}  // namespace vox
