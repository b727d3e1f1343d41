// Kernel bodies that remove items from slab tables (hash/sweep.h). First, every slab loses the items that are
// not marked. Then empty slabs are taken out of the lists, which several buckets may share, and freed.
#pragma once

#include "libvox/hash/slab/table_ref.h"

namespace vox::hash {

// All slabs of a table, in use or not, including those of its superblocks without memory.
template <class Scheme>
struct SlabsOfTable {
  SlabTableRef<Scheme> table;

  // The word of a slab that has, between the two passes, a bit for each slot that holds an item.
  static constexpr uint32_t kLiveWord = Scheme::kNextWord + 1;

  VOX_HD const Superblock& superblock(uint64_t i) const {
    return table.allocator.memory.superblocks[table.allocator.superblocks[i / kSlabsPerSuperblock]];
  }
  VOX_HD bool in_memory(uint64_t i) const { return i % kSlabsPerSuperblock < superblock(i).slab_count; }
  VOX_HD uint32_t* bitmap(uint64_t i) const { return superblock(i).bitmap + i % kSlabsPerSuperblock / 32; }
  VOX_HD uint32_t number(uint64_t i) const {
    return table.allocator.superblocks[i / kSlabsPerSuperblock] * kSlabsPerSuperblock +
           static_cast<uint32_t>(i % kSlabsPerSuperblock);
  }
  VOX_HD uint32_t live(uint32_t number) const { return table.slab(number)[kLiveWord]; }
  // Returns the first slab of a list, from this one on, that is not empty, or kNullSlab.
  VOX_HD uint32_t skip_empty(uint32_t number) const {
    while (number != kNullSlab && live(number) == 0) number = table.slab(number)[Scheme::kNextWord];
    return number;
  }
};

// The first pass: removes the items of slab i that are not marked.
template <class Scheme>
struct SweepSlab {
  SlabsOfTable<Scheme> slabs;
  const uint32_t* marks;

  template <class Group>
  VOX_HD void operator()(Group group, uint64_t i) const {
    if (!slabs.in_memory(i) || (*slabs.bitmap(i) >> i % 32 & 1) == 0) return;
    const uint32_t number = slabs.number(i);
    uint32_t* slab = slabs.table.slab(number);
    const auto front = Scheme::load(group, slab);
    const uint32_t occupied = ~Scheme::empty_slots(group, front) & slabs.table.kSlotMask;
    const uint32_t live = occupied & marks[number];
    if (live != occupied) Scheme::keep(group, slab, live);
    group.once([&] { slab[SlabsOfTable<Scheme>::kLiveWord] = live; });
  }
};

// The second pass: takes the empty ones of the slabs 32 i to 32 i + 31 out of their lists and frees them. An
// empty slab keeps its link to the next one, because other groups may still follow it.
template <class Scheme>
struct UnlinkEmptySlabs {
  SlabsOfTable<Scheme> slabs;
  uint64_t* items;  // counts the remaining items
  uint64_t* used;   // counts the remaining slabs

  template <class Group>
  VOX_HD void operator()(Group group, uint64_t i) const {
    uint32_t* bitmap = slabs.bitmap(32 * i);
    const uint32_t used_before = *bitmap, first = slabs.number(32 * i);
    if (used_before == 0 || !slabs.in_memory(32 * i)) return;
    auto live = [&](uint32_t lane) { return (used_before >> lane & 1) != 0 ? slabs.live(first + lane) : 0; };
    const uint32_t used_now = group.ballot([&](uint32_t lane) { return live(lane) != 0; });
    const uint32_t items_now =
        group.sum([&](uint32_t lane) { return static_cast<uint32_t>(popcount(live(lane))); });
    group.each(32, [&](uint32_t lane) {
      if ((used_now >> lane & 1) == 0) return;
      uint32_t* next = slabs.table.slab(first + lane) + Scheme::kNextWord;
      if (const uint32_t kept = slabs.skip_empty(*next); kept != *next) *next = kept;
    });
    group.once([&] {
      *bitmap = used_now;
      device::atomic_add(items, items_now);
      device::atomic_add(used, static_cast<uint64_t>(popcount(used_now)));
    });
  }
};

// The second pass for buckets: makes each list begin with its first slab that is not empty.
template <class Scheme>
struct UnlinkFromBucket {
  SlabsOfTable<Scheme> slabs;
  VOX_HD void operator()(uint64_t bucket) const {
    uint32_t* head = slabs.table.buckets + bucket;
    *head = slabs.skip_empty(*head);
  }
};

}  // namespace vox::hash
