// The kernel body that searches for a batch in the tables `sector`.
#pragma once

#include "libvox/device/device.h"
#include "libvox/hash/sector/table_ref.h"
#ifdef __CUDACC__
#include "libvox/hash/sector/find_warp.cuh"
#endif

namespace vox::hash {

using SectorTableRefs = std::array<SectorTableRef, kMaxItemWords + 1>;  // indexed by item size

template <class Probe, class Tables = SectorTableRefs>  // may be a pointer to the first table
struct FindInSectors {
  BatchRef batch;
  ChosenRef chosen;
  Tables tables;
  uint32_t* pointers;
  uint64_t* sectors;  // the number of sectors touched; nullptr if they are not counted
  static constexpr int kPrefetchStages = 3;
  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (!chosen.has(i)) return;
    const uint64_t item = chosen[i];
    if (stage == 0) {
      prefetch_line(batch.item(item));
      if (batch.hashes) prefetch_line(batch.hashes + item);
    } else if (stage == 1) {
      tables[batch.size(item)].prefetch(batch.hash(item));
    } else {
      tables[batch.size(item)].prefetch_candidates(batch.hash(item));
    }
  }
  VOX_HD void operator()(uint64_t i) const {
    if (!chosen.has(i)) return;
    const uint64_t item = chosen[i];
    Probe probe;
    pointers[item] = tables[batch.size(item)].find(batch.item(item), batch.hash(item), probe);
    if constexpr (Probe::kCounts) device::atomic_add(sectors, uint64_t{probe.sectors()});
  }

#ifdef __CUDACC__
  // Searches for 32 items with a warp.
  __device__ void warp(uint64_t first, uint64_t n) const requires(!Probe::kCounts) {
    find_by_warp(*this, first, n);
  }
#endif
};
static_assert(device::StagedBody<FindInSectors<NoProbe>>);
#ifdef __CUDACC__
static_assert(device::WarpBody<FindInSectors<NoProbe>>);
#endif

}  // namespace vox::hash
