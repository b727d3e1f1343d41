// A hash table whose buckets are linked lists of slabs that a group of 32 lanes walks (Molenaar & Eisemann
// 2024, §4.2, §5.1, appendix A). What a slab looks like is the scheme's: Atomic64, Ticket, Accel32, Accel8.
//
// Items go into the first slab of their bucket; a full one gets a new slab in front of it. Search and
// insertion are separate phases: while one runs, the other does not.
//
// A table grows by replacing each bucket by `factor` buckets that start with the same slab: with buckets
// taken from the hash's high bits, an item's new bucket is always one of its old bucket's successors, so that
// nothing moves and pointers stay. The shared slabs hold items of sibling buckets too, which searches pass
// over.
//
// A Scheme has:
//   kName, kSlots (at most 32), kHeaderWords (cleared in a new slab), kNextWord, layout(item_words)
//   find_slot(group, slab, layout, item, words, hash, probe)   the slot that holds the item, or kSlots
//   empty_slots(group, slab)                                   bit mask, while other groups fill them
//   claim(slab, slot, item, hash)                              by one lane; whether it got the slot
//   occupied(slab)                                             bit mask, when nothing changes
//   fingerprint_bytes(), padding_bytes(item_words)             of one slab
#pragma once

#include "libvox/base/bits.h"
#include "libvox/device/atomics.h"
#include "libvox/hash/batch.h"
#include "libvox/hash/slab_memory.h"

namespace vox {

// Which of `count` buckets an item with this hash belongs to: the hash's high bits decide.
VOX_HD inline uint32_t bucket_of(uint64_t hash, uint32_t count) {
  return static_cast<uint32_t>((hash >> 32) * count >> 32);
}

// One byte of the hash that bucket_of() does not use; never 0, which stands for an empty slot.
VOX_HD inline uint32_t byte_fingerprint(uint64_t hash) {
  return 1 + static_cast<uint32_t>(hash) % 255;
}

// Trivially copyable view that kernel bodies capture.
template <class Scheme>
struct SlabTableRef {
  SlabAllocatorRef allocator;
  uint32_t* buckets;  // first slab of each, or kNullSlab
  uint32_t bucket_count;
  uint32_t item_words;
  SlabLayout layout;

  VOX_HD uint32_t* head(uint64_t hash) const { return buckets + bucket_of(hash, bucket_count); }

  // What find and insert read first, and then.
  VOX_HD void prefetch(uint64_t hash, int stage) const {
    if (bucket_count == 0) return;
    if (stage == 0) {
      prefetch_line(head(hash));
    } else if (const uint32_t number = atomic_load(head(hash)); number != kNullSlab) {
      prefetch_line(allocator.memory.slab(number));
    }
  }

  // Pointer to the item, or kNullPointer.
  template <class Group, class Probe>
  VOX_HD uint32_t find(Group group, const uint32_t* item, uint64_t hash, Probe& probe) const {
    if (bucket_count == 0) return kNullPointer;
    probe.touch(head(hash), 4);
    for (uint32_t number = *head(hash); number != kNullSlab;) {
      const uint32_t* slab = allocator.memory.slab(number);
      const uint32_t slot = Scheme::find_slot(group, slab, layout, item, item_words, hash, probe);
      if (slot != Scheme::kSlots) return number << kSlotBits | slot;
      number = slab[Scheme::kNextWord];
    }
    return kNullPointer;
  }

  // Stores an item that is not in the table and returns its pointer.
  template <class Group, class Probe>
  VOX_HD uint32_t insert(Group group, const uint32_t* item, uint64_t hash, Probe& probe) const {
    probe.touch(head(hash), 4);
    uint32_t number = group.once([&] { return atomic_load(head(hash)); });
    for (;;) {
      if (number != kNullSlab) {
        uint32_t* slab = allocator.memory.slab(number);
        probe.touch(slab, Scheme::kHeaderWords * 4);
        for (uint32_t empty = Scheme::empty_slots(group, slab); empty != 0; empty &= empty - 1) {
          const auto slot = static_cast<uint32_t>(lowest_bit(empty));
          if (!group.once([&] { return Scheme::claim(slab, slot, item, hash); })) continue;
          write(group, slab, slot, item, probe);
          return number << kSlotBits | slot;
        }
      }
      number = push_slab(group, head(hash), number, static_cast<uint32_t>(hash));
    }
  }

 private:
  template <class Group, class Probe>
  VOX_HD void write(Group group, uint32_t* slab, uint32_t slot, const uint32_t* item, Probe& probe) const {
    uint32_t* head_words = slab + layout.head_first + slot * layout.head_words;
    uint32_t* tail_words = slab + layout.tail_first + slot * layout.tail_words;
    group.each(item_words, [&](uint32_t word) { (word < 2 ? head_words : tail_words)[word] = item[word]; });
    probe.touch(tail_words, item_words * 4);
  }

  // Puts an empty slab in front of `first`; returns the bucket's first slab, which another group may have put
  // there.
  template <class Group>
  VOX_HD uint32_t push_slab(Group group, uint32_t* head, uint32_t first, uint32_t seed) const {
    const uint32_t number = allocator.allocate(group, seed);
    uint32_t* slab = allocator.memory.slab(number);
    group.each(Scheme::kHeaderWords,
               [&](uint32_t word) { slab[word] = word == Scheme::kNextWord ? first : 0; });
    return group.once([&] {
      const uint32_t seen = atomic_exchange_if(head, first, number);
      if (seen == first) return number;
      allocator.free(number);
      return seen;
    });
  }
};

}  // namespace vox
