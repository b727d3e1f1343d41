// The table `atomic64` of Molenaar & Eisemann 2024, §4.2 ("Atomic 64"). A slab, padded to whole lines of 128
// bytes:
//
//   words 0–61   the first 8 bytes of 31 items; 0: the slot is empty, so items must not begin with 8 bytes
//                of 0, which neither nodes nor leaves do
//   word 62      the next slab of the bucket, or kNullSlab
//   word 63      for sweeps: a bit for each slot that holds an item
//   words 64…    the other words of the 31 items
#pragma once

#include "libvox/hash/slab/table_ref.h"

namespace vox::hash {

struct Atomic64 {
  static constexpr const char* kName = "atomic64";
  static constexpr uint32_t kSlots = 31;
  static constexpr uint32_t kNextWord = 62, kReadWords = 64, kHeaderWords = 64;
  static constexpr uint32_t kKnownWords = 2;
  static constexpr bool kReadsAhead = false;
  static constexpr uint32_t kSlotMask = (1u << kSlots) - 1;

  static constexpr SlabLayout layout(uint32_t item_words) {
    return split_layout(kHeaderWords, kHeaderWords + kSlots * (item_words - kKnownWords), item_words);
  }
  static constexpr uint32_t fingerprint_bytes() { return 0; }
  static constexpr uint32_t padding_bytes(uint32_t item_words) {
    return (layout(item_words).slab_words - kHeaderWords - kSlots * (item_words - kKnownWords)) * 4;
  }

  template <class Group>
  VOX_HD static auto load(Group group, const uint32_t* slab) {
    return group.load_pairs(slab);
  }
  template <class Group>
  VOX_HD static auto load_shared(Group group, const uint32_t* slab) {
    return group.load_shared_pairs(slab);
  }

  template <class Group, class Front, class Item, class Probe>
  VOX_HD static uint32_t candidates(Group group, const uint32_t*, const Front& front, const SlabLayout&,
                                    const Item& item, uint32_t, uint64_t, Probe&) {
    return group.match_pairs(front, group.word(item, 0), group.word(item, 1)) & kSlotMask;
  }

  template <class Group, class Front>
  VOX_HD static uint32_t empty_slots(Group group, const Front& front) {
    return group.match_pairs(front, 0, 0) & kSlotMask;
  }

  template <class Group>
  VOX_HD static void keep(Group group, uint32_t* slab, uint32_t live) {
    group.each(kSlots, [&](uint32_t slot) {
      if ((live >> slot & 1) == 0) slab[2 * slot] = slab[2 * slot + 1] = 0;
    });
  }

  template <class Group, class Front, class Item>
  VOX_HD static bool claim(Group group, uint32_t* slab, const Front&, uint32_t slot, const Item& item,
                           uint64_t) {
    const uint64_t first = group.word(item, 0) | uint64_t{group.word(item, 1)} << 32;
    return group.once([&] {
      return device::atomic_exchange_if_relaxed(reinterpret_cast<uint64_t*>(slab) + slot, uint64_t{0},
                                                first) == 0;
    });
  }

  // Returns a layout with the first two words of all items at the front, and their other words from word
  // `tail` on. A slab has `words` words before it is padded.
  static constexpr SlabLayout split_layout(uint32_t tail, uint32_t words, uint32_t item_words) {
    return {static_cast<uint16_t>(whole_lines(words)), 0, kKnownWords,
            static_cast<uint16_t>(tail - kKnownWords), static_cast<uint16_t>(item_words - kKnownWords)};
  }
};

}  // namespace vox::hash
