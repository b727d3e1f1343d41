// Runs of equal keys in a sorted array: where each begins, and from where to where it goes.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"

namespace vox::device {

// Says of each key whether it begins a run; a device selects the starts of runs by it.
template <class Key>
struct StartsRun {
  const Key* keys;
  uint32_t shift;  // keys are compared without their lowest bits
  VOX_HD bool operator()(uint64_t i) const { return i == 0 || keys[i] >> shift != keys[i - 1] >> shift; }
};

// Cells, each of which is a run of pairs: those of cell c go from starts[c] to starts[c + 1] (or the end).
struct CellsRef {
  const uint32_t* starts;
  uint64_t count, pairs;
  VOX_HD uint64_t begin(uint64_t c) const { return starts[c]; }
  VOX_HD uint64_t end(uint64_t c) const { return c + 1 < count ? starts[c + 1] : pairs; }
};

}  // namespace vox::device
