// The last step of inserting a sorted batch: writes each item to the place that the plan of its bucket gives
// it, in the order of buckets. This is the order of memory, so mostly whole lines are written, and no atomics
// are needed.
#pragma once

#include "libvox/hash/sector/plan.h"

namespace vox::hash {

struct WriteItems {
  SlabMemoryRef memory;
  SectorSpaces spaces;
  uint32_t* overflow;
  BucketRuns runs;
  const uint32_t* block_runs;
  const BucketPlan* plans;
  const SectorPlace* places;
  uint32_t* pointers;  // one for each sorted item

  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 0) {
      if (runs.batch.offsets) prefetch_line(runs.batch.offsets + runs.order[i]);
    } else {
      prefetch_line(runs.batch.item(runs.order[i]));
    }
  }
  VOX_HD void operator()(uint64_t i) const {
    const uint32_t index = load_once(runs.order + i), size = runs.batch.size(index);
    const uint32_t* from = runs.batch.item(index);
    uint32_t* to = memory.whole_item(settle(i, index, size));
    for (uint32_t word = 0; word < size; ++word) to[word] = from[word];
  }
#ifdef __CUDACC__
  // Writes 32 items with a warp. The lanes copy them together word by word, so that adjacent words are moved
  // at once.
  __device__ void warp(uint64_t first, uint64_t n) const {
    constexpr uint32_t kAll = 0xffffffff;
    const uint32_t lane = threadIdx.x & 31;
    const uint64_t i = first + lane < n ? first + lane : n - 1;
    const uint32_t index = load_once(runs.order + i), size = runs.batch.size(index);
    const uint32_t* from = runs.batch.item(index);
    if (!__all_sync(kAll, size == __shfl_sync(kAll, size, 0))) {
      (*this)(i);
      return;
    }
    if (__all_sync(kAll, size % 2 == 0 && reinterpret_cast<uintptr_t>(from) % 8 == 0))
      copy_items<uint2>(from, i, index, size, lane);
    else
      copy_items<uint32_t>(from, i, index, size, lane);
  }

 private:
  // Copies items of one size in pieces of this type. They are read and written once, and need not stay in the
  // cache.
  template <class Piece>
  __device__ void copy_items(const uint32_t* from, uint64_t i, uint32_t index, uint32_t size,
                             uint32_t lane) const {
    constexpr uint32_t kPieceWords = sizeof(Piece) / 4, kMaxPieces = kMaxItemWords / kPieceWords;
    const uint32_t pieces = size / kPieceWords;
    // With this reciprocal, quotients of numbers below 32 * kMaxItemWords are exact.
    const uint32_t reciprocal = (1 << 16) / pieces + 1;
    auto piece_of = [&](auto* words, uint32_t k) {
      const uint32_t at = k * 32 + lane, item = at * reciprocal >> 16;
      return from_lane(words, item) + (at - item * pieces);
    };
    Piece values[kMaxPieces];
#pragma unroll
    for (uint32_t k = 0; k < kMaxPieces; ++k)
      if (k < pieces) values[k] = __ldcs(piece_of(reinterpret_cast<const Piece*>(from), k));
    Piece* to = reinterpret_cast<Piece*>(memory.whole_item(settle(i, index, size)));
#pragma unroll
    for (uint32_t k = 0; k < kMaxPieces; ++k)
      if (k < pieces) __stcs(piece_of(to, k), values[k]);
  }

  template <class T>
  __device__ static T* from_lane(T* pointer, uint32_t lane) {
    return reinterpret_cast<T*>(
        __shfl_sync(0xffffffff, reinterpret_cast<unsigned long long>(pointer), static_cast<int>(lane)));
  }
#endif

 private:
  // Writes the item's fingerprint and pointer. Returns the pointer.
  VOX_HD uint32_t settle(uint64_t i, uint32_t index, uint32_t size) const {
    const SectorSpace& space = spaces[size];
    const uint32_t key = load_once(runs.keys + i);
    uint32_t* line = space.lines + uint64_t{runs.key.bucket(key) - space.first_bucket} * SectorLine::kWords;
    const SectorPlace place = place_of(i);
    uint32_t *header = line, byte = place.slot;
    if (place.slot >= SectorLine::kSlots) {
      const uint32_t sector = place.slot / SectorOverflow::kSlots - kSlotsBeforeOverflow;
      header = overflow + uint64_t{sector} * SectorOverflow::kWords;
      byte = place.slot % SectorOverflow::kSlots;
    }
    const uint32_t fingerprint =
        runs.key.has_fingerprint() ? runs.key.fingerprint(key) : byte_fingerprint(runs.batch.hash(index));
    reinterpret_cast<uint8_t*>(header)[byte] = static_cast<uint8_t>(fingerprint);
    return pointers[i] = place.pointer;
  }

  VOX_HD SectorPlace place_of(uint64_t i) const {
    const BucketPlan plan = plans[runs.run_of(i, block_runs)];
    // For items before the plan's first one, the rank wraps around.
    const uint32_t rank = static_cast<uint32_t>(i) - plan.first, behind = rank - plan.count;
    if (rank < plan.count) return {plan.slot + rank, plan.pointer + rank};
    if (behind < plan.count2) return {plan.slot + rank, plan.pointer2 + behind};
    return places[i];
  }
};

}  // namespace vox::hash
