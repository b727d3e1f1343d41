// The table `accel8` of Molenaar & Eisemann 2024, §4.2 ("Acceleration Hash, 8 bit"). A slab, unpadded:
//
//   words 0–7    32 one-byte fingerprints, slot 0 lowest; 0: the slot is empty
//   word 8       the next slab of the bucket, or kNullSlab
//   word 9       for sweeps: a bit for each slot that holds an item
//   words 10…    32 items
#pragma once

#include "libvox/hash/byte_match.h"
#include "libvox/hash/slab/table_ref.h"

namespace vox::hash {

struct Accel8 {
  static constexpr const char* kName = "accel8";
  static constexpr uint32_t kSlots = 32;
  static constexpr uint32_t kNextWord = 8, kReadWords = 9, kHeaderWords = 10;
  static constexpr uint32_t kKnownWords = 0;
  static constexpr bool kReadsAhead = false;

  static constexpr SlabLayout layout(uint32_t item_words) {
    return SlabLayout::contiguous(kHeaderWords + kSlots * item_words, kHeaderWords, item_words);
  }
  static constexpr uint32_t fingerprint_bytes() { return kSlots; }
  static constexpr uint32_t padding_bytes(uint32_t) { return 0; }

  template <class Group>
  VOX_HD static auto load(Group group, const uint32_t* slab) {
    return group.load(slab, kReadWords);
  }
  template <class Group>
  VOX_HD static auto load_shared(Group group, const uint32_t* slab) {
    return group.template load_shared<kSlots / 4>(slab);
  }

  template <class Group, class Front, class Item, class Probe>
  VOX_HD static uint32_t candidates(Group group, const uint32_t*, const Front& front, const SlabLayout&,
                                    const Item&, uint32_t, uint64_t hash, Probe&) {
    return group.match_bytes(front, byte_fingerprint(hash));
  }

  template <class Group, class Front>
  VOX_HD static uint32_t empty_slots(Group group, const Front& front) {
    return group.match_bytes(front, 0);
  }

  template <class Group>
  VOX_HD static void keep(Group group, uint32_t* slab, uint32_t live) {
    group.each(kSlots / 4, [&](uint32_t word) { slab[word] &= bytes_of_bits(live >> word * 4 & 15); });
  }

  template <class Group, class Front, class Item>
  VOX_HD static bool claim(Group group, uint32_t* slab, const Front& front, uint32_t slot, const Item&,
                           uint64_t hash) {
    const uint32_t shift = slot % 4 * 8, seen_first = group.word(front, slot / 4);
    return group.once([&] {
      for (uint32_t seen = seen_first; (seen >> shift & 0xff) == 0;) {
        const uint32_t claimed = seen | byte_fingerprint(hash) << shift;
        const uint32_t before = device::atomic_exchange_if_relaxed(slab + slot / 4, seen, claimed);
        if (before == seen) return true;
        seen = before;
      }
      return false;
    });
  }
};

}  // namespace vox::hash
