// Kernel bodies that insert a batch into the table `sector`. The batch is sorted by bucket; for each bucket
// that gets items one thread decides where they go, the runs that this takes come from a prefix sum, and the
// items are written in the order of their buckets, which is the order of memory: mostly whole lines, no
// atomics.
#pragma once

#include <type_traits>

#include "libvox/hash/sector/find.h"

namespace vox {

// What a batch is sorted by: the number of an item's bucket, among those of all sizes, in the low bits; above
// them, where there is room, its fingerprint.
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
  uint32_t* order;  // index of the item in the batch
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

// Overflow slots are counted behind those of lines.
inline constexpr uint32_t kSlotsBeforeOverflow =
    (SectorLine::kSlots + SectorOverflow::kSlots - 1) / SectorOverflow::kSlots;
inline constexpr uint32_t kMaxOverflowSectors = UINT32_MAX / SectorOverflow::kSlots - kSlotsBeforeOverflow;
VOX_HD inline uint32_t overflow_slot(uint32_t sector, uint32_t slot) {
  return (kSlotsBeforeOverflow + sector) * SectorOverflow::kSlots + slot;
}

// Where a size's buckets are, and from where it takes new runs. Offsets count in items of this size and
// batch.
struct SectorSpace {
  uint32_t* lines = nullptr;
  uint32_t first_bucket = 0;
  uint32_t spare = 0;           // further items that a bucket is expected to get later
  uint64_t granules_below = 0;  // what all smaller sizes need
  uint64_t fits = 0;            // offsets below fit behind `old_place`, the others go behind `new_place`
  uint32_t old_place = 0, new_place = 0;

  VOX_HD uint32_t place(uint64_t offset, uint32_t length) const {
    if (offset + length <= fits) return old_place + static_cast<uint32_t>(offset);
    if (offset < fits) return new_place;  // the one run that would have to be cut; there is room for it
    return new_place + kLongestRun + static_cast<uint32_t>(offset - fits);
  }
};
struct SectorSpaces {
  SectorSpace of_size[kMaxItemWords + 1];
  // Overflow sectors, of all sizes: first those that a sweep has left, then some that nobody has used yet.
  const uint32_t* left_sectors = nullptr;
  uint32_t left_count = 0, first_sector = 0;

  VOX_HD const SectorSpace& operator[](uint32_t words) const { return of_size[words]; }
  VOX_HD uint32_t sector(uint32_t i) const {
    return i < left_count ? left_sectors[i] : first_sector + (i - left_count);
  }
};

// The i-th of the sectors that one takes, emptied; returns its number.
VOX_HD inline uint32_t cleared_sector(const SectorSpaces& spaces, uint32_t i, uint32_t* overflow) {
  const uint32_t number = spaces.sector(i);
  uint32_t* sector = overflow + uint64_t{number} * SectorOverflow::kWords;
  for (uint32_t word = 0; word < SectorOverflow::kWords; ++word) sector[word] = 0;
  return number;
}

// What a bucket needs for its new items: granules in the low half, overflow sectors in the high half.
inline constexpr uint64_t kOneSectorNeeded = uint64_t{1} << 32;

// Buckets that get new items: those of bucket r are the sorted items from starts[r] to starts[r + 1].
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
  // The run that the i-th of the sorted items belongs to.
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

// For every 32nd of the sorted items, the bucket (by its number among those that get items) that it belongs
// to.
struct BlockRuns {
  BucketRuns runs;
  uint32_t* block_runs;
  VOX_HD void operator()(uint64_t r) const {
    for (uint32_t block = (runs.begin(r) + 31) / 32; block * 32 < runs.end(r); ++block)
      block_runs[block] = static_cast<uint32_t>(r);
  }
};

// Hands up to `left` new items to a header's slots and returns how many are left over. The sink counts what
// that takes, or does it: sink.run() gives a new run, sink.fill() takes the `count` slots from `first` on,
// and sink.fill_holes() the first `count` of those that have lost their items; these keep the header's new
// ends.
template <class Kind, class Sink>
VOX_HD uint32_t fill_header(uint32_t* header, uint32_t slot_base, uint32_t left, uint32_t spare, Sink& sink) {
  SlotEnds ends = SlotEnds::of(header[Kind::kEndsWord]);
  if (ends.holes > 0 && left > 0) {
    const uint32_t count = left < ends.holes ? left : ends.holes;
    ends.holes -= count;
    left -= count;
    sink.template fill_holes<Kind>(header, ends, slot_base, count);
  }
  while (left > 0) {
    if (ends.items == ends.all) {
      const uint32_t run = ends.runs();
      if (run == Kind::kRuns || ends.all == Kind::kSlots) break;
      const uint32_t length = run_length<Kind>(left, ends.all, run, spare);
      sink.template run<Kind>(header, run, length);
      ends.all += length;
      if (run == 0) ends.first_run = length;
    }
    const uint32_t run_end = ends.items < ends.first_run ? ends.first_run : ends.all;
    const uint32_t room = run_end - ends.items, count = left < room ? left : room, first = ends.items;
    ends.items += count;
    left -= count;
    sink.template fill<Kind>(header, ends, first, slot_base, count);
  }
  return left;
}

// The same for a bucket. sink.new_sector(link) gives the number of an empty sector to go on with.
template <class Sink>
VOX_HD void fill_bucket(uint32_t* line, uint32_t* overflow, uint32_t left, uint32_t spare, Sink& sink) {
  left = fill_header<SectorLine>(line, 0, left, spare, sink);
  for (uint32_t* link = line + SectorLine::kNextWord; left > 0;) {
    const uint32_t number = *link != kNoSector ? *link : sink.new_sector(link);
    uint32_t* sector = overflow + uint64_t{number} * SectorOverflow::kWords;
    left = fill_header<SectorOverflow>(sector, overflow_slot(number, 0), left, spare, sink);
    link = sector + SectorOverflow::kNextWord;
  }
}

// Changes nothing. An empty sector is the one that nobody uses.
struct CountNeeds {
  uint64_t needs = 0;

  template <class Kind>
  VOX_HD void run(const uint32_t*, uint32_t, uint32_t length) {
    needs += length / kGranule;
  }
  template <class Kind>
  VOX_HD void fill(const uint32_t*, const SlotEnds&, uint32_t, uint32_t, uint32_t) {}
  template <class Kind>
  VOX_HD void fill_holes(const uint32_t*, const SlotEnds&, uint32_t, uint32_t) {}
  VOX_HD uint32_t new_sector(const uint32_t*) {
    needs += kOneSectorNeeded;
    return kNoSector;
  }
};

// Where the new items of a bucket go, in the order in which they are sorted: to places of removed items; to
// the line's slots from `slot` on, which are of one run or of two; to overflow sectors.
struct alignas(16) BucketPlan {
  uint32_t first;                       // 4 B, index among the sorted items of the one that goes to `slot`
  uint32_t pointer;                     // 4 B, where that goes
  uint32_t pointer2;                    // 4 B, where the first of the second run goes
  uint8_t slot, count, count2, unused;  // 1 B each
};
static_assert(sizeof(BucketPlan) == 16);

// An item's slot in the line, or overflow_slot(), and where the item itself goes.
struct SectorPlace {
  uint32_t slot, pointer;  // 4 B each
};

// Changes the headers, all but the fingerprints, and makes the plan.
struct TakePlaces {
  const SectorSpaces& spaces;
  const SectorSpace& space;
  uint64_t offset;       // items
  uint32_t next_sector;  // among those that the batch needs
  uint32_t* overflow;
  SectorPlace* places;  // of the next item
  BucketPlan plan;

  template <class Kind>
  VOX_HD void run(uint32_t* header, uint32_t run, uint32_t length) {
    header[Kind::kRunWord + run] = space.place(offset, length);
    offset += length;
  }
  // A line is filled twice at most, having two runs at most.
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

struct ReadNeeds {
  const uint64_t* needs;
  VOX_HD uint64_t operator()(uint64_t r) const { return needs[r]; }
};

// What the buckets of all smaller sizes need, for each size.
struct NeedsBelowSizes {
  BucketRuns runs;
  std::array<uint64_t, kMaxItemWords + 2> first_item;  // among the sorted ones, of each size
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
  SectorPlace* places;  // of the sorted items, set for those that the plans leave out
  VOX_HD void prefetch(uint64_t r, int stage) const { runs.prefetch(spaces, r, stage); }
  VOX_HD void operator()(uint64_t r) const {
    const SectorSpace& space = spaces[runs.size(r)];
    const uint64_t before = needs[r] - space.granules_below;
    const uint32_t first = runs.begin(r);
    TakePlaces sink = {spaces,
                       space,
                       before % kOneSectorNeeded * kGranule,
                       static_cast<uint32_t>(before / kOneSectorNeeded),
                       overflow,
                       places + first,
                       {first, 0, 0, 0, 0, 0, 0}};
    fill_bucket(runs.line(space, r), overflow, runs.end(r) - first, space.spare, sink);
    plans[r] = sink.plan;
  }
};

struct WriteItems {
  SlabMemoryRef memory;
  SectorSpaces spaces;
  uint32_t* overflow;
  BucketRuns runs;
  const uint32_t* block_runs;
  const BucketPlan* plans;
  const SectorPlace* places;
  uint32_t* pointers;  // of the sorted items

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
  // The same by a warp, whose lanes copy 32 items word by word, so that what lies side by side is moved at
  // once.
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
  // Moves items of one size in pieces of this type. What streams through need not stay in the cache.
  template <class Piece>
  __device__ void copy_items(const uint32_t* from, uint64_t i, uint32_t index, uint32_t size,
                             uint32_t lane) const {
    constexpr uint32_t kPieceWords = sizeof(Piece) / 4, kMaxPieces = kMaxItemWords / kPieceWords;
    const uint32_t pieces = size / kPieceWords;
    // exact for quotients of numbers below 32 * kMaxItemWords
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
  // Writes the item's fingerprint and pointer; returns the pointer.
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
    // Wraps around for the items before the plan's first.
    const uint32_t rank = static_cast<uint32_t>(i) - plan.first, behind = rank - plan.count;
    if (rank < plan.count) return {plan.slot + rank, plan.pointer + rank};
    if (behind < plan.count2) return {plan.slot + rank, plan.pointer2 + behind};
    return places[i];
  }
};

}  // namespace vox
