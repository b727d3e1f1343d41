// Reads words that other threads may be changing.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/device/atomics.h"

namespace vox::device {

// Reads a word, and may miss what other threads wrote since the loop began. On a GPU the value may come from
// the L1 cache, which all threads of a multiprocessor share.
VOX_HD inline uint32_t load_perhaps_old(const uint32_t* word) {
#ifdef __CUDA_ARCH__
  return *word;
#else
  return atomic_load_relaxed(word);
#endif
}

}  // namespace vox::device
