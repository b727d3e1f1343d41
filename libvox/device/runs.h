// Runs of equal keys in a sorted array: where each run begins and ends.
#pragma once

#include <cstdint>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/device/pool.h"
#include "libvox/device/profiler.h"

namespace vox::device {

// True for each key that begins a run. A device selects the starts of runs with it, and numbers the runs.
template <class Key>
struct StartsRun {
  const Key* keys;
  uint32_t shift;  // number of low bits that the comparison ignores
  VOX_HD bool operator()(uint64_t i) const { return i == 0 || keys[i] >> shift != keys[i - 1] >> shift; }
};

// Cells, each of which is a run of pairs. The pairs of cell c go from starts[c] to starts[c + 1] (or to the
// end).
struct CellsRef {
  const uint32_t* starts;
  uint64_t count, pairs;
  VOX_HD uint64_t begin(uint64_t c) const { return starts[c]; }
  VOX_HD uint64_t end(uint64_t c) const { return c + 1 < count ? starts[c + 1] : pairs; }
};

// The runs of a sorted array.
struct Runs {
  Buffer<uint32_t> starts;  // start of each run; has room for as many as there are keys
  uint64_t count = 0, pairs = 0;
  CellsRef ref() const { return {starts.data(), count, pairs}; }
};

template <class Device, class Key>
Runs find_runs(Device& device, const Work& work, const Key* sorted, uint64_t n, uint32_t shift = 0) {
  Runs runs = {device.template make<uint32_t>(n), 0, n};
  runs.count = device.select(work, n, StartsRun<Key>{sorted, shift}, runs.starts.data());
  return runs;
}

// Copies the chosen elements of an array, such as those where runs begin.
template <class T>
struct TakeChosen {
  const T* from;
  const uint32_t* chosen;
  T* to;
  VOX_HD void operator()(uint64_t i) const { to[i] = from[chosen[i]]; }
};

// Returns the number of set bits of mask i, as input of a scan. A mask has a bit for each part that is worked on
// next.

struct CountBits {
  const uint64_t* masks;
  VOX_HD uint32_t operator()(uint64_t i) const { return static_cast<uint32_t>(popcount(masks[i])); }
};

}  // namespace vox::device
