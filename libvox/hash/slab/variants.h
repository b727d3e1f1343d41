// The four variants of the slab tables of Molenaar & Eisemann 2024, §4.2: how each finds an item among a slab's.
#pragma once

#include "libvox/hash/byte_match.h"
#include "libvox/hash/slab/table_ref.h"

namespace vox::hash {

// The table `accel8` of Molenaar & Eisemann 2024, §4.2 ("Acceleration Hash, 8 bit"). A slab, unpadded:
//
//   words 0–7    32 one-byte fingerprints, slot 0 lowest; 0: the slot is empty
//   word 8       the next slab of the bucket, or kNullSlab
//   word 9       for sweeps: a bit for each slot that holds an item
//   words 10…    32 items
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

// The table `accel32` of Molenaar & Eisemann 2024, §4.2 ("Acceleration Hash, 32 bit"). A slab, padded to
// whole lines of 128 bytes:
//
//   words 0–30   31 fingerprints; 0: the slot is empty
//   word 31      the next slab of the bucket, or kNullSlab
//   word 32      for sweeps: a bit for each slot that holds an item
//   words 33…    31 items
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

// The table `atomic64` of Molenaar & Eisemann 2024, §4.2 ("Atomic 64"). A slab, padded to whole lines of 128
// bytes:
//
//   words 0–61   the first 8 bytes of 31 items; 0: the slot is empty, so items must not begin with 8 bytes
//                of 0, which neither nodes nor leaves do
//   word 62      the next slab of the bucket, or kNullSlab
//   word 63      for sweeps: a bit for each slot that holds an item
//   words 64…    the other words of the 31 items
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

// The table `ticket` of Molenaar & Eisemann 2024, §4.2 ("Ticket Board"). A slab, unpadded:
//
//   word 0       a bit for each slot that holds an item
//   word 1       the next slab of the bucket, or kNullSlab
//   word 2       for sweeps: a bit for each slot that holds an item
//   words 3…     32 items
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
