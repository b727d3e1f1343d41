// Kernel bodies that insert a batch into the table `sector` without sorting it and without the host, for
// batches that are small beside the table: the new items of a bucket are chained to each other, and the one
// at the head of the chain finds room for all of them and writes them. There is only the room that was made
// before the first batch; where it does not suffice, all later loops do nothing until the host has made more.
#pragma once

#include "libvox/device/prefetch_stages.h"
#include "libvox/hash/batch_duplicates.h"
#include "libvox/hash/sector/fill.h"
#include "libvox/hash/sector/find.h"

namespace vox::hash {

// How much room batches have asked for since the host last looked at it. Counters that many threads add to at
// once lie on lines of their own: atomics on one line of memory wait for each other.
struct SectorRoom {
  static constexpr uint32_t kSizes = kMaxItemWords + 1;

  struct alignas(128) OfSize {
    uint64_t places;  // asked for, for runs, whether or not there are so many
    uint64_t refused_places;
    uint64_t refused_items;  // of the batch that stopped
  };
  OfSize of_size[kSizes];
  uint64_t sectors;
  uint32_t stopped;  // 1 + the number of a batch that did not get what it needs: all after it do nothing
  uint32_t word;     // LinkedBatches::word(), for the caller
};

// How much room there is for batches before the host has to make more.
struct SectorLimits {
  SectorSpaces spaces;
  uint64_t places[SectorRoom::kSizes] = {};
  uint64_t missing[SectorRoom::kSizes] = {};  // new items, by size; more than these need more buckets
  uint64_t sectors = 0;
};

// Counts the items of a batch; a batch has several of these, each for a part of its items.
struct alignas(128) BatchCounts {
  static constexpr uint32_t kParts = 8;
  VOX_HD static uint64_t part(uint64_t i) { return i / 32 % kParts; }

  uint64_t distinct;
  uint64_t missing[SectorRoom::kSizes];  // items that the tables did not hold, by size

  BatchCounts& operator+=(const BatchCounts& other) {
    distinct += other.distinct;
    for (uint32_t size = 0; size < SectorRoom::kSizes; ++size) missing[size] += other.missing[size];
    return *this;
  }
};

// Memory that a batch needs while it is worked on. `same` and `heads` are open-addressed tables of `mask` + 1
// entries; the other arrays have an entry for each item.
struct BatchScratch {
  uint64_t* hashes;
  uint32_t* same;   // items by their words
  uint32_t* heads;  // new items by their bucket
  uint64_t mask;
  uint32_t* slots;  // for each item, the entry of `heads` with the head of its chain, or kNone, or kNoBuckets
  uint32_t* next;   // for each item, the next one in its chain, or kNone
  static constexpr uint32_t kNone = UINT32_MAX, kNoBuckets = UINT32_MAX - 1;
};

// A step of work on a batch, as a body that does nothing once a batch has stopped.
template <class Step>
struct UnlessStopped {
  static constexpr int kPrefetchStages = device::prefetch_stages<Step>();
  Step step;
  const SectorRoom* room;
  VOX_HD void prefetch(uint64_t i, int stage) const requires requires(const Step& s) { s.prefetch(i, stage); }
  {
    if (room->stopped == 0) step.prefetch(i, stage);
  }
  VOX_HD void operator()(uint64_t i) const {
    if (room->stopped == 0) step(i);
  }
#ifdef __CUDACC__
  __device__ void warp(uint64_t first, uint64_t n) const requires requires {
    step.warp(first, n);
  }
  {
    if (room->stopped == 0) step.warp(first, n);
  }
#endif
};

// Chains the new items of each bucket: the leaders that have no pointer.
struct ChainItems {
  BatchRef batch;
  SectorTableRefs tables;
  BatchScratch scratch;
  const uint32_t* leader_of;
  uint32_t* pointers;
  BatchCounts* counts;  // of this batch

  VOX_HD void operator()(uint64_t i) const {
    scratch.slots[i] = BatchScratch::kNone;
    if (leader_of[i] != i) {
      pointers[i] = kNullPointer;
      return;
    }
    BatchCounts& count = counts[BatchCounts::part(i)];
    device::atomic_count_together(&count.distinct);
    if (pointers[i] != kNullPointer) return;
    const uint32_t size = batch.size(i);
    device::atomic_count_together(&count.missing[size]);
    const SectorTableRef& table = tables[size];
    if (table.generations == 0)
      scratch.slots[i] = BatchScratch::kNoBuckets;
    else
      scratch.slots[i] = enter(static_cast<uint32_t>(i), size, table.buckets[table.generations - 1].count);
  }

 private:
  VOX_HD uint32_t enter(uint32_t i, uint32_t size, uint32_t buckets) const {
    const uint32_t bucket = bucket_of(batch.hash(i), buckets);
    for (uint64_t slot = mix64(uint64_t{bucket} << 4 | size) & scratch.mask;;
         slot = (slot + 1) & scratch.mask) {
      uint32_t* head = scratch.heads + slot;
      for (uint32_t seen = device::atomic_load_relaxed(head);;) {
        if (seen != BatchScratch::kNone &&
            (batch.size(seen) != size || bucket_of(batch.hash(seen), buckets) != bucket))
          break;
        const uint32_t before = device::atomic_exchange_if_relaxed(head, seen, i);
        if (before == seen) {
          scratch.next[i] = seen;
          return static_cast<uint32_t>(slot);
        }
        seen = before;
      }
    }
  }
};

// A sink of fill_bucket() that writes the items of a chain, from `item` on, to the slots that it is given.
struct WriteChain {
  const BatchRef& batch;
  const SlabMemoryRef& memory;
  const SectorSpaces& spaces;
  const SectorSpace& space;
  const uint32_t* next;
  uint32_t* pointers;
  uint32_t* overflow;
  uint32_t item;
  uint64_t offset;       // where the next run begins, among the places that batches take
  uint32_t next_sector;  // the next sector, among those that batches take

  template <class Kind>
  VOX_HD void run(uint32_t* header, uint32_t run, uint32_t length) {
    header[Kind::kRunWord + run] = space.place(offset, length);
    offset += length;
  }
  template <class Kind>
  VOX_HD void fill(uint32_t* header, const SlotEnds& ends, uint32_t first, uint32_t, uint32_t count) {
    header[Kind::kEndsWord] = ends.word();
    for (uint32_t slot = first; slot < first + count; ++slot) write<Kind>(header, slot);
  }
  template <class Kind>
  VOX_HD void fill_holes(uint32_t* header, const SlotEnds& ends, uint32_t, uint32_t count) {
    header[Kind::kEndsWord] = ends.word();
    SlotMask holes = match_bytes<Kind::kSlots>(header, 0);
    for (uint32_t i = 0; i < count; ++i) write<Kind>(header, holes.take_lowest());
  }
  VOX_HD uint32_t new_sector(uint32_t* link) {
    return *link = cleared_sector(spaces, next_sector++, overflow);
  }

 private:
  template <class Kind>
  VOX_HD void write(uint32_t* header, uint32_t slot) {
    const uint32_t pointer = slot_pointer<Kind>(header, slot), size = batch.size(item);
    const uint32_t* from = batch.item(item);
    uint32_t* to = memory.whole_item(pointer);
    for (uint32_t word = 0; word < size; ++word) to[word] = from[word];
    reinterpret_cast<uint8_t*>(header)[slot] = static_cast<uint8_t>(byte_fingerprint(batch.hash(item)));
    pointers[item] = pointer;
    item = next[item];
  }
};

// Inserts each chain of new items: the thread of its head does, for all of them.
struct InsertChains {
  SlabMemoryRef memory;
  SectorTableRefs tables;
  SectorLimits limits;
  uint32_t* overflow;
  BatchRef batch;
  BatchScratch scratch;
  uint64_t n;
  uint32_t* pointers;
  SectorRoom* room;
  const BatchCounts* counts;  // of all batches
  uint32_t number;            // of this batch

  VOX_HD void operator()(uint64_t i) const {
    const uint32_t stopped = device::atomic_load_relaxed(&room->stopped);
    if (stopped != 0 && stopped != number + 1) return;
    if (i < SectorRoom::kSizes && missing(i) > limits.missing[i]) stop();
    if (i >= n) return;
    const uint32_t slot = scratch.slots[i];
    if (slot == BatchScratch::kNone) return;
    const uint32_t head = static_cast<uint32_t>(i), size = batch.size(i);
    if (slot == BatchScratch::kNoBuckets) {
      device::atomic_count_together(&room->of_size[size].refused_items);
      return;
    }
    if (scratch.heads[slot] != i) return;
    uint32_t count = 0;
    for (uint32_t item = head; item != BatchScratch::kNone; item = scratch.next[item]) ++count;
    if (stopped != 0 || !insert(head, size, count))
      device::atomic_add_together(&room->of_size[size].refused_items, uint64_t{count});
  }

 private:
  VOX_HD void stop() const { device::atomic_or_relaxed(&room->stopped, number + 1); }
  VOX_HD uint64_t missing(uint64_t size) const {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < (number + 1) * BatchCounts::kParts; ++i) sum += counts[i].missing[size];
    return sum;
  }

  VOX_HD bool insert(uint32_t head, uint32_t size, uint32_t count) const {
    const SectorSpace& space = limits.spaces[size];
    const SectorTableRef& table = tables[size];
    uint32_t* line = table.buckets[table.generations - 1].line(batch.hash(head));
    CountNeeds needs;
    fill_bucket(line, overflow, count, space.spare, needs);
    const uint64_t places = needs.needs % kOneSectorNeeded * kGranule,
                   sectors = needs.needs / kOneSectorNeeded;
    const uint64_t place = places == 0 ? 0 : device::atomic_add_together(&room->of_size[size].places, places);
    const uint64_t sector = sectors == 0 ? 0 : device::atomic_add_together(&room->sectors, sectors);
    if ((places != 0 && place + places > limits.places[size]) ||
        (sectors != 0 && sector + sectors > limits.sectors)) {
      if (places != 0) device::atomic_add_together(&room->of_size[size].refused_places, places);
      stop();
      return false;
    }
    WriteChain sink = {batch,    memory,   limits.spaces, space, scratch.next,
                       pointers, overflow, head,          place, static_cast<uint32_t>(sector)};
    fill_bucket(line, overflow, count, space.spare, sink);
    return true;
  }
};

}  // namespace vox::hash
