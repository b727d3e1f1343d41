// Looks at words that other threads may be changing.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/device/atomics.h"

namespace vox::device {

// A look that may miss what other threads did since the loop began: on a GPU it need not pass the nearest cache,
// where all threads of a multiprocessor find the word.
VOX_HD inline uint32_t load_perhaps_old(const uint32_t* word) {
#ifdef __CUDA_ARCH__
  return *word;
#else
  return atomic_load_relaxed(word);
#endif
}

}  // namespace vox::device
