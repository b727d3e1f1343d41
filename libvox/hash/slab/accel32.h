// The table `accel32` of Molenaar & Eisemann 2024, §4.2 ("Acceleration Hash, 32 bit"). A slab, padded to
// whole lines of 128 bytes:
//
//   words 0–30   31 fingerprints; 0: the slot is empty
//   word 31      the next slab of the bucket, or kNullSlab
//   word 32      for sweeps: a bit for each slot that holds an item
//   words 33…    31 items
#pragma once

#include "libvox/hash/slab/table_ref.h"

namespace vox::hash {

struct Accel32 {
  static constexpr const char* kName = "accel32";
  static constexpr uint32_t kSlots = 31;
  static constexpr uint32_t kNextWord = 31, kReadWords = 32, kHeaderWords = 33;
  static constexpr uint32_t kKnownWords = 0;
  static constexpr bool kReadsAhead = false;
  static constexpr uint32_t kSlotMask = (1u << kSlots) - 1;

  static constexpr SlabLayout layout(uint32_t item_words) {
    return SlabLayout::contiguous(whole_lines(kHeaderWords + kSlots * item_words), kHeaderWords, item_words);
  }
  static constexpr uint32_t fingerprint_bytes() { return kSlots * 4; }
  static constexpr uint32_t padding_bytes(uint32_t item_words) {
    return (layout(item_words).slab_words - kHeaderWords - kSlots * item_words) * 4;
  }

  template <class Group>
  VOX_HD static auto load(Group group, const uint32_t* slab) {
    return group.load(slab, kReadWords);
  }
  template <class Group>
  VOX_HD static auto load_shared(Group group, const uint32_t* slab) {
    return group.template load_shared<kReadWords>(slab);
  }

  template <class Group, class Front, class Item, class Probe>
  VOX_HD static uint32_t candidates(Group group, const uint32_t*, const Front& front, const SlabLayout&,
                                    const Item&, uint32_t, uint64_t hash, Probe&) {
    return group.match_words(front, word_fingerprint(hash)) & kSlotMask;
  }

  template <class Group, class Front>
  VOX_HD static uint32_t empty_slots(Group group, const Front& front) {
    return group.match_words(front, 0) & kSlotMask;
  }

  template <class Group>
  VOX_HD static void keep(Group group, uint32_t* slab, uint32_t live) {
    group.each(kSlots, [&](uint32_t slot) {
      if ((live >> slot & 1) == 0) slab[slot] = 0;
    });
  }

  template <class Group, class Front, class Item>
  VOX_HD static bool claim(Group group, uint32_t* slab, const Front&, uint32_t slot, const Item&,
                           uint64_t hash) {
    return group.once(
        [&] { return device::atomic_exchange_if_relaxed(slab + slot, 0u, word_fingerprint(hash)) == 0; });
  }
};

}  // namespace vox::hash
