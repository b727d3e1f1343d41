// The table `accel8` of Molenaar & Eisemann 2024, §4.2 ("Acceleration Hash, 8 bit"). A slab, unpadded:
//
//   words 0–7    32 one-byte fingerprints, slot 0 lowest; 0: the slot is empty
//   word 8       the next slab of the bucket, or kNullSlab
//   word 9       garbage bits: one per slot
//   words 10…    32 items
#pragma once

#include "libvox/hash/slab_table_ref.h"

namespace vox {

struct Accel8 {
  static constexpr const char* kName = "accel8";
  static constexpr uint32_t kSlots = 32;
  static constexpr uint32_t kNextWord = 8, kGarbageWord = 9, kHeaderWords = 10;

  static constexpr SlabLayout layout(uint32_t item_words) {
    return SlabLayout::contiguous(kHeaderWords + kSlots * item_words, kHeaderWords, item_words);
  }
  static constexpr uint32_t fingerprint_bytes() { return kSlots; }
  static constexpr uint32_t padding_bytes(uint32_t) { return 0; }

  template <class Group, class Probe>
  VOX_HD static uint32_t find_slot(Group group, const uint32_t* slab, const SlabLayout& layout,
                                   const uint32_t* item, uint32_t words, uint64_t hash, Probe& probe) {
    probe.touch(slab, kHeaderWords * 4);
    for (uint32_t same = group.match_bytes(slab, byte_fingerprint(hash)); same != 0; same &= same - 1) {
      const auto slot = static_cast<uint32_t>(lowest_bit(same));
      const uint32_t* there = slab + layout.head_first + slot * layout.head_words;
      probe.touch(there, words * 4);
      if (group.equal_words(there, item, words)) return slot;
    }
    return kSlots;
  }

  template <class Group>
  VOX_HD static uint32_t empty_slots(Group group, const uint32_t* slab) {
    return group.match_shared_bytes(slab, 0);
  }

  VOX_HD static bool claim(uint32_t* slab, uint32_t slot, const uint32_t*, uint64_t hash) {
    uint32_t* word = slab + slot / 4;
    const uint32_t shift = slot % 4 * 8;
    for (uint32_t seen = atomic_load(word); (seen >> shift & 0xff) == 0;) {
      const uint32_t before = atomic_exchange_if(word, seen, seen | byte_fingerprint(hash) << shift);
      if (before == seen) return true;
      seen = before;
    }
    return false;
  }

  VOX_HD static uint32_t occupied(const uint32_t* slab) {
    uint32_t mask = 0;
    for (uint32_t slot = 0; slot < kSlots; ++slot)
      mask |= static_cast<uint32_t>((slab[slot / 4] >> slot % 4 * 8 & 0xff) != 0) << slot;
    return mask;
  }
};

}  // namespace vox
