// The table `ticket` of Molenaar & Eisemann 2024, §4.2 ("Ticket Board"). A slab, unpadded:
//
//   word 0       a bit for each slot that holds an item
//   word 1       the next slab of the bucket, or kNullSlab
//   word 2       for sweeps: a bit for each slot that holds an item
//   words 3…     32 items
#pragma once

#include "libvox/hash/slab/table_ref.h"

namespace vox::hash {

struct Ticket {
  static constexpr const char* kName = "ticket";
  static constexpr uint32_t kSlots = 32;
  static constexpr uint32_t kNextWord = 1, kReadWords = 2, kHeaderWords = 3;
  static constexpr uint32_t kKnownWords = 0;
  // A slab's items can only be read once its front says which slots are taken. The next slab's front is
  // fetched meanwhile.
  static constexpr bool kReadsAhead = true;

  static constexpr SlabLayout layout(uint32_t item_words) {
    return SlabLayout::contiguous(kHeaderWords + kSlots * item_words, kHeaderWords, item_words);
  }
  static constexpr uint32_t fingerprint_bytes() { return 4; }
  static constexpr uint32_t padding_bytes(uint32_t) { return 0; }

  template <class Group>
  VOX_HD static auto load(Group group, const uint32_t* slab) {
    return group.load(slab, kReadWords);
  }
  template <class Group>
  VOX_HD static auto load_shared(Group group, const uint32_t* slab) {
    return group.template load_shared<1>(slab);
  }

  // Each lane compares the first word of its slot's item.
  template <class Group, class Front, class Item, class Probe>
  VOX_HD static uint32_t candidates(Group group, const uint32_t* slab, const Front& front,
                                    const SlabLayout& layout, const Item& item, uint32_t words, uint64_t,
                                    Probe& probe) {
    const uint32_t occupied = group.word(front, 0), wanted = group.word(item, 0);
    const uint32_t* first_words = slab + layout.head_first;
    probe.touch(first_words, static_cast<uint32_t>(popcount(occupied)) * words * 4);
    return group.ballot([&](uint32_t lane) {
      return (occupied >> lane & 1) != 0 && first_words[lane * layout.head_words] == wanted;
    });
  }

  template <class Group, class Front>
  VOX_HD static uint32_t empty_slots(Group group, const Front& front) {
    return ~group.word(front, 0);
  }

  template <class Group>
  VOX_HD static void keep(Group group, uint32_t* slab, uint32_t live) {
    group.once([&] { *slab = live; });
  }

  template <class Group, class Front, class Item>
  VOX_HD static bool claim(Group group, uint32_t* slab, const Front&, uint32_t slot, const Item&, uint64_t) {
    const uint32_t bit = 1u << slot;
    return group.once([&] { return (device::atomic_or_relaxed(slab, bit) & bit) == 0; });
  }
};

}  // namespace vox::hash
