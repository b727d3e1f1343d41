// The kernel body that searches for a batch in the tables `sector`, with a thread for each item or with a warp.
#pragma once

#include "libvox/device/device.h"
#include "libvox/hash/sector/table_ref.h"
#ifdef __CUDACC__
#include "libvox/device/cuda_group.cuh"
#endif

namespace vox::hash {

#ifdef __CUDACC__

// FindInSectors for a warp, which searches for 32 items at once, each in the same way as a single thread does. Each
// lane has an item of its own, but eight lanes read a line together, 16 bytes each. If each lane read a line of its
// own, a GPU's L1 cache would have 32 times the work.

// The facts that a lane learns about its line: the slots with the fingerprint of its item, and the places of
// their items.
struct WarpLine {
  SlotMask same;
  uint4 tail;  // the last four words of the line
  __device__ uint32_t pointer(uint32_t slot) const {
    const uint32_t first_end = SlotEnds::of(tail.w).first_run;
    return slot < first_end ? tail.x + slot : tail.y + slot - first_end;
  }
};

// Each lane passes the line that it asks for, or nullptr if there is none.
__device__ inline WarpLine read_lines(const uint32_t* line, uint32_t fingerprint) {
  constexpr uint32_t kAll = 0xffffffff, kLanesPerLine = 8, kRounds = 8;
  constexpr uint32_t kMaxWarps = 8;
  __shared__ alignas(16) uint16_t masks[kMaxWarps][32][kLanesPerLine];
  __shared__ uint4 tails[kMaxWarps][32];
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x & 31, part = lane % kLanesPerLine;
  uint4 bytes[kRounds];
#pragma unroll
  for (uint32_t round = 0; round < kRounds; ++round) {
    const auto owner = static_cast<int>(round * (32 / kLanesPerLine) + lane / kLanesPerLine);
    const auto at =
        reinterpret_cast<const uint4*>(__shfl_sync(kAll, reinterpret_cast<unsigned long long>(line), owner));
    bytes[round] = at ? __ldg(at + part) : uint4{0, 0, 0, 0};
  }
  __syncwarp();
#pragma unroll
  for (uint32_t round = 0; round < kRounds; ++round) {
    const uint32_t owner = round * (32 / kLanesPerLine) + lane / kLanesPerLine;
    const uint32_t repeated = __shfl_sync(kAll, fingerprint, static_cast<int>(owner)) * 0x01010101;
    const uint4& four = bytes[round];
    const uint32_t mask = match_bytes_of_word(four.x, repeated) | match_bytes_of_word(four.y, repeated) << 4 |
                          match_bytes_of_word(four.z, repeated) << 8 |
                          match_bytes_of_word(four.w, repeated) << 12;
    masks[warp][owner][part] = part == kLanesPerLine - 1 ? 0 : static_cast<uint16_t>(mask);
    if (part == kLanesPerLine - 1) tails[warp][owner] = four;
  }
  __syncwarp();
  const uint2* mine = reinterpret_cast<const uint2*>(masks[warp][lane]);
  return {{mine[0].x | static_cast<uint64_t>(mine[0].y) << 32, mine[1].x | static_cast<uint64_t>(mine[1].y)
                                                                               << 32},
          tails[warp][lane]};
}

__device__ inline bool same_item(const uint32_t* there, const uint32_t (&words)[kMaxItemWords],
                                 uint32_t size) {
  uint32_t differ = 0;
  if (size % 2 == 0) {
#pragma unroll
    for (uint32_t w = 0; w < kMaxItemWords; w += 2)
      if (w < size) {
        const uint2 two = __ldg(reinterpret_cast<const uint2*>(there + w));
        differ |= (two.x ^ words[w]) | (two.y ^ words[w + 1]);
      }
  } else {
#pragma unroll
    for (uint32_t w = 0; w < kMaxItemWords; ++w)
      if (w < size) differ |= __ldg(there + w) ^ words[w];
  }
  return differ == 0;
}

__device__ inline uint64_t hash_registers(const uint32_t (&words)[kMaxItemWords], uint32_t size) {
  uint64_t hash = start_hash(size);
#pragma unroll
  for (uint32_t w = 0; w < kMaxItemWords; ++w)
    if (w < size) hash = hash_word(hash, words[w]);
  return mix64(hash);
}

// Searches for the items of `find`, a FindInSectors, from `first` on, up to 32 of them.
template <class Find>
__device__ void find_by_warp(const Find& find, uint64_t first, uint64_t n) {
  const uint64_t i = first + (threadIdx.x & 31);
  const bool active = i < n && find.chosen.has(i);
  const uint64_t index = active ? find.chosen[i] : 0;
  const uint32_t size = active ? find.batch.size(index) : 0;
  const SectorTableRef& table = find.tables[size];
  const uint32_t* item = find.batch.item(index);
  uint32_t words[kMaxItemWords];
#pragma unroll
  for (uint32_t w = 0; w < kMaxItemWords; ++w) words[w] = w < size ? item[w] : 0;
  const uint64_t hash = !active             ? 0
                        : find.batch.hashes ? find.batch.hashes[index]
                                            : hash_registers(words, size);
  const uint32_t generations = device::warp_max(table.generations);
  uint32_t found = kNullPointer;
  for (uint32_t back = 1; back <= generations; ++back) {
    const bool looks = active && back <= table.generations && found == kNullPointer;
    const uint32_t* line = looks ? table.buckets[table.generations - back].line(hash) : nullptr;
    WarpLine in_line = read_lines(line, byte_fingerprint(hash));
    while (in_line.same.any() && found == kNullPointer) {
      const uint32_t pointer = in_line.pointer(in_line.same.take_lowest());
      if (same_item(table.item_at(pointer), words, size)) found = pointer;
    }
    NoProbe probe;
    if (looks && found == kNullPointer) found = table.find_in_overflow(in_line.tail.z, item, hash, probe);
  }
  if (active) find.pointers[index] = found;
}

#endif

using SectorTableRefs = std::array<SectorTableRef, kMaxItemWords + 1>;  // indexed by item size

template <class Probe, class Tables = SectorTableRefs>  // may be a pointer to the first table
struct FindInSectors {
  BatchRef batch;
  ChosenRef chosen;
  Tables tables;
  uint32_t* pointers;
  SearchCounts* counts;  // nullptr if nothing is counted
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
    if constexpr (Probe::kCounts) probe.add_to(counts);
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
