// The table `accel8` of Molenaar & Eisemann 2024, §4.2 ("Acceleration Hash, 8 bit"): buckets are linked lists
// of slabs, a group of 32 lanes walks them. A slab, unpadded:
//
//   words 0–7    32 one-byte fingerprints, slot 0 lowest; 0: the slot is empty
//   word 8       the next slab of the bucket, or kNullSlab
//   word 9       garbage bits: one per slot
//   words 10…    32 items
//
// Items go into the first slab of their bucket; a full one gets a new slab in front of it. Search and
// insertion are separate phases: while one runs, the other does not.
//
// A table grows by replacing each bucket by `factor` buckets that start with the same slab: with buckets
// taken from the hash's high bits, an item's new bucket is always one of its old bucket's successors, so that
// nothing moves and pointers stay. The shared slabs hold items of sibling buckets too, which searches pass
// over.
#pragma once

#include <cstdint>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/device/atomics.h"
#include "libvox/hash/slab_memory.h"

namespace vox {

struct Accel8 {
  static constexpr const char* kName = "accel8";
  static constexpr uint32_t kSlots = 32;
  static constexpr uint32_t kNextWord = 8, kGarbageWord = 9, kFirstItem = 10;
  static constexpr uint32_t slab_words(uint32_t item_words) { return kFirstItem + kSlots * item_words; }

  // Trivially copyable view that kernel bodies capture.
  struct Ref {
    SlabAllocatorRef allocator;
    uint32_t* buckets;  // first slab of each, or kNullSlab
    uint32_t bucket_count;
    uint32_t item_words;

    VOX_HD uint32_t bucket(uint64_t hash) const {
      return static_cast<uint32_t>((hash >> 32) * bucket_count >> 32);
    }
    VOX_HD static uint32_t fingerprint(uint64_t hash) { return 1 + static_cast<uint32_t>(hash) % 255; }

    // What find and insert read first, and then.
    VOX_HD void prefetch(uint64_t hash, int stage) const {
      const uint32_t* head = buckets + bucket(hash);
      if (stage == 0) {
        prefetch_line(head);
      } else if (const uint32_t number = atomic_load(head); number != kNullSlab) {
        prefetch_line(allocator.memory.slab(number));
      }
    }

    // Pointer to the item, or kNullPointer.
    template <class Group>
    VOX_HD uint32_t find(Group group, const uint32_t* item, uint64_t hash) const {
      for (uint32_t number = buckets[bucket(hash)]; number != kNullSlab;) {
        const uint32_t* slab = allocator.memory.slab(number);
        for (uint32_t same = group.match_bytes(slab, fingerprint(hash)); same != 0; same &= same - 1) {
          uint32_t slot = static_cast<uint32_t>(lowest_bit(same));
          if (group.equal_words(slab + kFirstItem + slot * item_words, item, item_words))
            return number << kSlotBits | slot;
        }
        number = slab[kNextWord];
      }
      return kNullPointer;
    }

    // Stores an item that is not in the table and returns its pointer.
    template <class Group>
    VOX_HD uint32_t insert(Group group, const uint32_t* item, uint64_t hash) const {
      uint32_t* head = buckets + bucket(hash);
      uint32_t number = group.once([&] { return atomic_load(head); });
      for (;;) {
        if (number != kNullSlab) {
          uint32_t* slab = allocator.memory.slab(number);
          for (uint32_t empty = group.match_shared_bytes(slab, 0); empty != 0; empty &= empty - 1) {
            uint32_t slot = static_cast<uint32_t>(lowest_bit(empty));
            if (!group.once([&] { return claim(slab, slot, fingerprint(hash)); })) continue;
            uint32_t* to = slab + kFirstItem + slot * item_words;
            group.each(item_words, [&](uint32_t lane) { to[lane] = item[lane]; });
            return number << kSlotBits | slot;
          }
        }
        number = push_slab(group, head, number, static_cast<uint32_t>(hash));
      }
    }

   private:
    // Whether this group got the slot.
    VOX_HD static bool claim(uint32_t* slab, uint32_t slot, uint32_t fingerprint) {
      uint32_t* word = slab + slot / 4;
      const uint32_t shift = slot % 4 * 8;
      for (uint32_t seen = atomic_load(word); (seen >> shift & 0xff) == 0;) {
        uint32_t before = atomic_exchange_if(word, seen, seen | fingerprint << shift);
        if (before == seen) return true;
        seen = before;
      }
      return false;
    }

    // Puts an empty slab in front of `first`; returns the bucket's first slab, which another group may have
    // put there.
    template <class Group>
    VOX_HD uint32_t push_slab(Group group, uint32_t* head, uint32_t first, uint32_t seed) const {
      uint32_t number = allocator.allocate(group, seed);
      uint32_t* slab = allocator.memory.slab(number);
      group.each(kFirstItem, [&](uint32_t lane) { slab[lane] = lane == kNextWord ? first : 0; });
      return group.once([&] {
        uint32_t seen = atomic_exchange_if(head, first, number);
        if (seen == first) return number;
        allocator.free(number);
        return seen;
      });
    }
  };
};

}  // namespace vox
