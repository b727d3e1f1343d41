// Plans where the items of a sorted batch go. One thread for each bucket counts what its new items need
// (BucketNeeds). From the prefix sums of these needs, a second loop gives each bucket its runs and sectors,
// changes its headers, and decides the place of every item (PlanBuckets). WriteItems carries
// out the plan.
#pragma once

#include <type_traits>

#include "libvox/device/device.h"
#include "libvox/hash/sector/find.h"
#include "libvox/hash/sector/table_ref.h"

namespace vox::hash {

// The key by which a batch is sorted. Its low bits are the number of an item's bucket, counted over all
// sizes. Above them is the item's fingerprint, if there is room.
struct BucketKey {
  uint32_t bits;
  VOX_HD bool has_fingerprint() const { return bits <= 24; }
  VOX_HD uint32_t make(uint32_t bucket, uint64_t hash) const {
    return has_fingerprint() ? bucket | byte_fingerprint(hash) << bits : bucket;
  }
  VOX_HD uint32_t bucket(uint32_t key) const { return bits == 32 ? key : key & ((1u << bits) - 1); }
  VOX_HD uint32_t fingerprint(uint32_t key) const { return key >> bits; }
};

struct BucketKeys {
  BatchRef batch;
  ChosenRef chosen;
  SectorTableRefs tables;
  BucketKey key;
  uint32_t* keys;
  uint32_t* order;  // the item's index in the batch
  VOX_HD void operator()(uint64_t i) const {
    const uint64_t item = chosen[i];
    const SectorTableRef& table = tables[batch.size(item)];
    const SectorBuckets& buckets = table.buckets[table.generations - 1];
    const uint64_t hash = batch.hash(item);
    keys[i] = key.make(buckets.first + bucket_of(hash, buckets.count), hash);
    order[i] = static_cast<uint32_t>(item);
  }
};

struct StartsBucket {
  const uint32_t* keys;  // sorted
  BucketKey key;
  VOX_HD bool operator()(uint64_t i) const {
    return i == 0 || key.bucket(keys[i]) != key.bucket(keys[i - 1]);
  }
};

// The buckets that get new items. Bucket r gets the sorted items [starts[r], starts[r + 1]).
struct BucketRuns {
  const uint32_t* keys;
  BucketKey key;
  const uint32_t* order;
  const uint32_t* starts;
  uint64_t count;
  uint64_t items;
  BatchRef batch;

  VOX_HD uint32_t begin(uint64_t r) const { return starts[r]; }
  VOX_HD uint32_t end(uint64_t r) const {
    return r + 1 < count ? starts[r + 1] : static_cast<uint32_t>(items);
  }
  VOX_HD uint32_t size(uint64_t r) const { return batch.size(order[starts[r]]); }
  // Returns the bucket, among these, of the i-th sorted item. `block_runs` is the output of BlockRuns.
  VOX_HD uint32_t run_of(uint64_t i, const uint32_t* block_runs) const {
    uint32_t run = block_runs[i / 32];
    while (run + 1 < count && starts[run + 1] <= i) ++run;
    return run;
  }
  VOX_HD uint32_t* line(const SectorSpace& space, uint64_t r) const {
    return space.lines + uint64_t{key.bucket(keys[starts[r]]) - space.first_bucket} * SectorLine::kWords;
  }
  VOX_HD void prefetch(const SectorSpaces& spaces, uint64_t r, int stage) const {
    if (stage == 0) {
      if (batch.offsets) prefetch_line(batch.offsets + order[starts[r]]);
    } else {
      prefetch_line(line(spaces[size(r)], r) + SectorLine::kEndsWord);
    }
  }
};

// Writes for every 32nd sorted item the number of its bucket, counted among those that get items.
struct BlockRuns {
  BucketRuns runs;
  uint32_t* block_runs;
  VOX_HD void operator()(uint64_t r) const {
    for (uint32_t block = (runs.begin(r) + 31) / 32; block * 32 < runs.end(r); ++block)
      block_runs[block] = static_cast<uint32_t>(r);
  }
};

// The places to which the new items of a bucket go, in their sorted order: first to the places of removed
// items, then to the line's slots from `slot` on, in one run or two, then to overflow sectors.
struct alignas(16) BucketPlan {
  uint32_t first;                 // 4 B, index of the sorted item that goes to `slot`
  uint32_t pointer = 0;           // 4 B, pointer of that item
  uint32_t pointer2 = 0;          // 4 B, pointer of the first item of the second run
  uint8_t slot = 0;               // 1 B
  uint8_t count = 0, count2 = 0;  // 1 B each, number of items for the first and the second run
  uint8_t unused = 0;             // 1 B
};
static_assert(sizeof(BucketPlan) == 16);

// An item's slot in the line, or its overflow_slot(), and the item's pointer.
struct SectorPlace {
  uint32_t slot, pointer;  // 4 B each
};

// A sink for fill_bucket() that makes the plan and changes the headers, except their fingerprints.
struct TakePlaces {
  const SectorSpaces& spaces;
  const SectorSpace& space;
  uint64_t offset;       // where the next run begins among the places that the batch needs
  uint32_t next_sector;  // the next of the sectors that the batch needs
  uint32_t* overflow;
  SectorPlace* places;  // the place of the next item
  BucketPlan plan;

  template <class Kind>
  VOX_HD void run(uint32_t* header, uint32_t run, uint32_t length) {
    header[Kind::kRunWord + run] = space.place(offset, length);
    offset += length;
  }
  // fill() is called at most twice for a line, because a line has at most two runs.
  template <class Kind>
  VOX_HD void fill(uint32_t* header, const SlotEnds& ends, uint32_t first, uint32_t slot_base,
                   uint32_t count) {
    header[Kind::kEndsWord] = ends.word();
    const uint32_t pointer = slot_pointer<Kind>(header, first);
    if constexpr (std::is_same_v<Kind, SectorLine>) {
      const bool second = plan.count > 0;
      if (!second) plan.slot = static_cast<uint8_t>(first);
      (second ? plan.pointer2 : plan.pointer) = pointer;
      (second ? plan.count2 : plan.count) = static_cast<uint8_t>(count);
      places += count;
    } else {
      for (uint32_t i = 0; i < count; ++i) *places++ = {slot_base + first + i, pointer + i};
    }
  }
  template <class Kind>
  VOX_HD void fill_holes(uint32_t* header, const SlotEnds& ends, uint32_t slot_base, uint32_t count) {
    header[Kind::kEndsWord] = ends.word();
    SlotMask holes = match_bytes<Kind::kSlots>(header, 0);
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t slot = holes.take_lowest();
      *places++ = {slot_base + slot, slot_pointer<Kind>(header, slot)};
    }
    if constexpr (std::is_same_v<Kind, SectorLine>) plan.first += count;
  }
  VOX_HD uint32_t new_sector(uint32_t* link) {
    return *link = cleared_sector(spaces, next_sector++, overflow);
  }
};

struct BucketNeeds {
  BucketRuns runs;
  SectorSpaces spaces;
  uint32_t* overflow;
  uint64_t* needs;
  VOX_HD void prefetch(uint64_t r, int stage) const { runs.prefetch(spaces, r, stage); }
  VOX_HD void operator()(uint64_t r) const {
    const SectorSpace& space = spaces[runs.size(r)];
    CountNeeds sink;
    fill_bucket(runs.line(space, r), overflow, runs.end(r) - runs.begin(r), space.spare, sink);
    needs[r] = sink.needs;
  }
};
static_assert(device::PrefetchingBody<BucketNeeds>);

struct ReadNeeds {
  const uint64_t* needs;
  VOX_HD uint64_t operator()(uint64_t r) const { return needs[r]; }
};

// Finds, for each item size, the sum of what the buckets of all smaller sizes need.
struct NeedsBelowSizes {
  BucketRuns runs;
  std::array<uint64_t, kMaxItemWords + 2> first_item;  // index of each size's first sorted item
  const uint64_t* needs;                               // prefix sums
  uint64_t* needs_below;
  VOX_HD void operator()(uint64_t size) const {
    uint64_t low = 0, high = runs.count;
    while (low < high) {
      const uint64_t middle = (low + high) / 2;
      if (runs.starts[middle] < first_item[size])
        low = middle + 1;
      else
        high = middle;
    }
    needs_below[size] = needs[low];
  }
};

struct PlanBuckets {
  BucketRuns runs;
  SectorSpaces spaces;
  uint32_t* overflow;
  const uint64_t* needs;  // prefix sums
  BucketPlan* plans;
  SectorPlace* places;  // for each sorted item, but set only if its bucket's plan does not cover it
  VOX_HD void prefetch(uint64_t r, int stage) const { runs.prefetch(spaces, r, stage); }
  VOX_HD void operator()(uint64_t r) const {
    const SectorSpace& space = spaces[runs.size(r)];
    const uint64_t before = needs[r] - space.granules_below;
    const uint32_t first = runs.begin(r);
    TakePlaces sink = {.spaces = spaces,
                       .space = space,
                       .offset = before % kOneSectorNeeded * kGranule,
                       .next_sector = static_cast<uint32_t>(before / kOneSectorNeeded),
                       .overflow = overflow,
                       .places = places + first,
                       .plan = {.first = first}};
    fill_bucket(runs.line(space, r), overflow, runs.end(r) - first, space.spare, sink);
    plans[r] = sink.plan;
  }
};
static_assert(device::PrefetchingBody<PlanBuckets>);

// The last step of inserting a sorted batch: writes each item to the place that the plan of its bucket gives
// it, in the order of buckets. This is the order of memory, so mostly whole lines are written, and no atomics
// are needed.
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
static_assert(device::PrefetchingBody<WriteItems>);
#ifdef __CUDACC__
static_assert(device::WarpBody<WriteItems>);
#endif

}  // namespace vox::hash
