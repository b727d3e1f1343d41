// Kernel bodies that insert a batch into the table `sector` without sorting it and without the host, for batches that
// are small compared with the table. The new items of a bucket are chained to each other, and the thread of the chain's
// head finds room for all of them and writes them. Only room that was made before the first batch can be used. If it
// does not suffice, all later loops do nothing until the host has made more.
#pragma once

#include "libvox/device/device.h"
#include "libvox/hash/linked_batches.h"
#include "libvox/hash/sector/find.h"
#include "libvox/hash/sector/table_ref.h"

namespace vox::hash {

// The room that batches have asked for since the host last read this. Counters to which many threads add at
// once lie on cache lines of their own, because atomics on one line wait for each other.
struct SectorRoom {
  static constexpr uint32_t kSizes = kMaxItemWords + 1;

  struct alignas(128) OfSize {
    uint64_t places;  // the places that runs asked for, including refused ones
    uint64_t refused_places;
    uint64_t refused_items;  // items of the batch that stopped
  };
  struct alignas(128) Missing {
    uint64_t of_size[kSizes];
  };
  OfSize of_size[kSizes];
  Missing missing[PartedList::kParts];  // the numbers of items that the tables did not hold, counted in parts
  uint64_t sectors;
  uint32_t stopped;  // 1 + number of the first batch that lacked room, else 0
  uint32_t word;     // LinkedBatches::word(), which belongs to the caller

  VOX_HD uint64_t missing_of(uint64_t size) const {
    uint64_t sum = 0;
    for (const Missing& part : missing) sum += part.of_size[size];
    return sum;
  }
};

// The room that batches can use before the host must make more.
struct SectorLimits {
  SectorSpaces spaces;
  uint64_t places[SectorRoom::kSizes] = {};
  uint64_t missing[SectorRoom::kSizes] = {};  // new items of each size; more would need more buckets
  uint64_t sectors = 0;
};

// The numbers of a batch's items.
struct BatchCounts {
  PartedList::Count leaders[PartedList::kParts];  // the leaders, which are all different
  PartedList::Count fresh[PartedList::kParts];    // those of them that the tables did not hold

  static uint64_t sum(const PartedList::Count (&counts)[PartedList::kParts]) {
    uint64_t sum = 0;
    for (const PartedList::Count& count : counts) sum += count.entries;
    return sum;
  }
};

// The memory for the work on a batch.
struct BatchScratch {
  uint64_t* hashes;  // one for each leader
  PartedList leaders;
  PartedList fresh;  // the new items
  uint32_t* slots;   // for each entry of `fresh`, the place in `heads` of its chain's head, or kNoBuckets
  uint32_t* next;    // for each new item, by its index in the batch, the next item of its chain, or kNone
  uint32_t* same;    // open-addressed table of leaders by their words, of `table_size` entries
  uint32_t* heads;   // the same for the heads of chains, by their bucket
  uint32_t table_size;
  static constexpr uint32_t kNone = UINT32_MAX, kNoBuckets = UINT32_MAX;
};

// The tables, their room and the memory for batches. This struct lies in the device's memory, so that loops need not
// get all of it as arguments.
struct SectorContext {
  SlabMemoryRef memory;
  SectorTableRefs tables;
  SectorLimits limits;
  uint32_t* overflow;
  SectorRoom* room;
  BatchCounts* counts;  // one for each batch
  // Arrays with room for the largest batch.
  uint64_t* hashes;
  uint32_t *leaders, *fresh, *slots, *next;
  uint32_t* batch_tables;  // `same` and `heads` of a BatchScratch for each batch, one after the other

  // A batch's table is at most two thirds full.
  VOX_HD static uint64_t table_size(uint64_t n) { return n + n / 2 + 1; }
  // Returns the number of entries of the tables of this many batches together.
  VOX_HD static uint64_t table_sizes(uint64_t items, uint64_t batches) {
    return 2 * (items + items / 2 + batches);
  }

  VOX_HD BatchScratch scratch(uint64_t number, const BatchItems& items) const {
    const uint64_t n = items.n;
    uint32_t* same = batch_tables + table_sizes(items.before, number);
    return {hashes,
            PartedList::of(leaders, counts[number].leaders, n),
            PartedList::of(fresh, counts[number].fresh, n),
            slots,
            next,
            same,
            same + table_size(n),
            static_cast<uint32_t>(table_size(n))};
  }
  VOX_HD BatchStart start(uint64_t number, const BatchItems& items) const {
    const BatchScratch scratch = this->scratch(number, items);
    return {items, &room->stopped, scratch.hashes, scratch.same, scratch.table_size, scratch.leaders};
  }
};

// A batch that the loops below work on.
struct SectorBatch {
  const SectorContext* context;
  BatchItems items;
  BatchScratch scratch;
  SectorRoom* room;
  uint32_t number;

  VOX_HD BatchRef ref() const { return items.ref(scratch.hashes); }
  // Returns true if an earlier batch has stopped. The batch that stops is processed to its end, so that the
  // host learns everything that it needs.
  VOX_HD bool stopped_before() const {
    const uint32_t stopped = device::load_perhaps_old(&room->stopped);
    return stopped != 0 && stopped != number + 1;
  }
  VOX_HD void stop() const { device::atomic_or_relaxed(&room->stopped, number + 1); }
};

// Searches for the leaders of a batch, and chains those that the tables do not hold.
struct FindOrChain {
  using Find = FindInSectors<NoProbe, const SectorTableRef*>;
  SectorBatch batch;

  static constexpr int kPrefetchStages = Find::kPrefetchStages;
  VOX_HD void prefetch(uint64_t i, int stage) const {
    const PartedList& leaders = batch.scratch.leaders;
    if (const uint32_t k = leaders.place(i); k < leaders.end(i)) find().prefetch(k, stage);
  }
  VOX_HD void operator()(uint64_t i) const {
    const PartedList& leaders = batch.scratch.leaders;
    const uint32_t k = leaders.place(i);
    if (k >= leaders.end(i) || batch.stopped_before()) return;
    find()(k);
    chain_if_new(i, leaders.entries[k]);
  }
#ifdef __CUDACC__
  __device__ void warp(uint64_t first, uint64_t) const {
    const PartedList& leaders = batch.scratch.leaders;
    const uint32_t begin = leaders.place(first), end = leaders.end(first), k = begin + (threadIdx.x & 31);
    if (begin >= end || batch.stopped_before()) return;
    find().warp(begin, end);
    if (k < end) chain_if_new(first + (threadIdx.x & 31), leaders.entries[k]);
  }
#endif

 private:
  VOX_HD Find find() const {
    return {batch.ref(),
            {batch.scratch.leaders.entries},
            batch.context->tables.data(),
            batch.items.pointers,
            nullptr};
  }
  VOX_HD void chain_if_new(uint64_t place, uint32_t i) const {
    if (batch.items.pointers[i] != kNullPointer) return;
    const uint32_t size = batch.items.sizes[i];
    device::atomic_count_together(&batch.room->missing[PartedList::part(place)].of_size[size]);
    const uint32_t k = batch.scratch.fresh.take(place);
    const SectorTableRef& table = batch.context->tables.data()[size];
    batch.scratch.fresh.entries[k] = i;
    batch.scratch.slots[k] = table.generations == 0
                                 ? BatchScratch::kNoBuckets
                                 : enter(i, size, table.buckets[table.generations - 1].count);
  }
  // Adds a new item to the chain of its bucket. Returns the slot of the chain's head.
  VOX_HD uint32_t enter(uint32_t i, uint32_t size, uint32_t buckets) const {
    const BatchScratch& scratch = batch.scratch;
    const uint32_t bucket = bucket_of(scratch.hashes[i], buckets);
    for (uint32_t slot = bucket_of(mix64(uint64_t{bucket} << 4 | size), scratch.table_size);;
         slot = slot + 1 < scratch.table_size ? slot + 1 : 0) {
      uint32_t* head = scratch.heads + slot;
      for (uint32_t seen = device::atomic_load_relaxed(head);;) {
        if (seen != BatchScratch::kNone &&
            (batch.items.sizes[seen] != size || bucket_of(scratch.hashes[seen], buckets) != bucket))
          break;
        const uint32_t before = device::atomic_exchange_if_relaxed(head, seen, i);
        if (before == seen) {
          scratch.next[i] = seen;
          return slot;
        }
        seen = before;
      }
    }
  }
};
static_assert(device::StagedBody<FindOrChain>);
#ifdef __CUDACC__
static_assert(device::WarpBody<FindOrChain>);
#endif

// A sink for fill_bucket() that writes the items of a chain, from `item` on, to the slots that it is given.
// It leaves the last item to write_last(), so that the threads of a warp, most of whose chains have one item,
// write these items together.
struct WriteChain {
  const SectorBatch& batch;
  const SectorSpaces& spaces;
  const SectorSpace& space;
  uint32_t item;
  uint64_t offset;       // where the next run begins among the places that batches take
  uint32_t next_sector;  // the next of the sectors that the batch takes
  uint32_t last_pointer = kNullPointer;
  uint8_t* last_fingerprint = nullptr;

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
    return *link = cleared_sector(spaces, next_sector++, batch.context->overflow);
  }
  VOX_HD void write_last() const {
    const uint32_t size = batch.items.sizes[item];
    const uint32_t* from = batch.items.item(item);
    uint32_t* to = batch.context->memory.whole_item(last_pointer);
    for (uint32_t word = 0; word < kMaxItemWords; ++word)
      if (word < size) to[word] = from[word];
    *last_fingerprint = static_cast<uint8_t>(byte_fingerprint(batch.scratch.hashes[item]));
    batch.items.pointers[item] = last_pointer;
  }

 private:
  template <class Kind>
  VOX_HD void write(uint32_t* header, uint32_t slot) {
    if (last_fingerprint) {
      write_last();
      item = batch.scratch.next[item];
    }
    last_pointer = slot_pointer<Kind>(header, slot);
    last_fingerprint = reinterpret_cast<uint8_t*>(header) + slot;
  }
};

// Inserts each chain of new items. The thread of the chain's head inserts all of them.
struct InsertChains {
  static constexpr int kBlocksAtOnce = 6;
  SectorBatch batch;

  VOX_HD void prefetch(uint64_t i, int stage) const {
    const BatchScratch& scratch = batch.scratch;
    const uint32_t k = scratch.fresh.place(i);
    if (k >= scratch.fresh.end(i) || scratch.slots[k] == BatchScratch::kNoBuckets) return;
    const uint32_t head = scratch.fresh.entries[k];
    if (stage == 0) {
      prefetch_line(scratch.hashes + head);
      prefetch_line(batch.items.item(head));
    } else {
      prefetch_line(line(head, batch.items.sizes[head]) + SectorLine::kEndsWord);
    }
  }
  VOX_HD void operator()(uint64_t i) const {
    const BatchScratch& scratch = batch.scratch;
    if (batch.stopped_before()) return;
    if (i < SectorRoom::kSizes && batch.room->missing_of(i) > batch.context->limits.missing[i]) batch.stop();
    const uint32_t k = scratch.fresh.place(i);
    if (k >= scratch.fresh.end(i)) return;
    const uint32_t head = scratch.fresh.entries[k], slot = scratch.slots[k], size = batch.items.sizes[head];
    if (slot == BatchScratch::kNoBuckets) return refuse(size, 1);
    if (scratch.heads[slot] != head) return;
    uint32_t count = 0;
    for (uint32_t item = head; item != BatchScratch::kNone; item = scratch.next[item]) ++count;
    if (device::load_perhaps_old(&batch.room->stopped) != 0 || !insert(head, size, count))
      refuse(size, count);
  }

 private:
  VOX_HD void refuse(uint32_t size, uint64_t count) const {
    device::atomic_add_together(&batch.room->of_size[size].refused_items, count);
  }

  VOX_HD uint32_t* line(uint32_t head, uint32_t size) const {
    const SectorTableRef& table = batch.context->tables.data()[size];
    return table.buckets[table.generations - 1].line(batch.scratch.hashes[head]);
  }
  VOX_HD bool insert(uint32_t head, uint32_t size, uint32_t count) const {
    const SectorLimits& limits = batch.context->limits;
    const SectorSpace& space = limits.spaces[size];
    SectorRoom::OfSize& room = batch.room->of_size[size];
    uint32_t* line = this->line(head, size);
    CountNeeds needs;
    fill_bucket(line, batch.context->overflow, count, space.spare, needs);
    const uint64_t places = needs.needs % kOneSectorNeeded * kGranule,
                   sectors = needs.needs / kOneSectorNeeded;
    const uint64_t place = places == 0 ? 0 : device::atomic_add_together(&room.places, places);
    const uint64_t sector = sectors == 0 ? 0 : device::atomic_add_together(&batch.room->sectors, sectors);
    if ((places != 0 && place + places > limits.places[size]) ||
        (sectors != 0 && sector + sectors > limits.sectors)) {
      if (places != 0) device::atomic_add_together(&room.refused_places, places);
      batch.stop();
      return false;
    }
    WriteChain sink = {.batch = batch,
                       .spaces = limits.spaces,
                       .space = space,
                       .item = head,
                       .offset = place,
                       .next_sector = static_cast<uint32_t>(sector)};
    fill_bucket(line, batch.context->overflow, count, space.spare, sink);
    sink.write_last();
    return true;
  }
};
static_assert(device::PrefetchingBody<InsertChains> && device::ResidentBody<InsertChains>);

}  // namespace vox::hash
