// The four variants of the slab tables of Molenaar & Eisemann 2024, §4.2: how each finds an item among a slab's.
#pragma once

#include <vector>

#include "libvox/device/device.h"
#include "libvox/hash/slab/table_ref.h"
#include "libvox/hash/slab/tables.h"

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

// Finds duplicates inside a batch as Molenaar & Eisemann 2024, §5.2, do: with a hash table of slabs like
// those of Atomic64, whose slots also have a value, the item's index in the batch. An item is inserted unless
// the first slab of its bucket holds an equal one. Further slabs are not checked, so equal items may be in
// the table several times. A search then finds the same one for all equal items, the first in the bucket,
// which is their leader. find_leaders() does the same with open addressing. A slab:
//
//   words 0–63    as in a slab of Atomic64
//   words 64–94   values: index in the batch + 1, or 0 while the item is not completely written
//   word 95       unused
//   words 96…     the other words of the 31 items

struct DuplicateSlab : Atomic64 {
  static constexpr uint32_t kValuesFirst = Atomic64::kHeaderWords, kHeaderWords = kValuesFirst + kLineWords;

  static constexpr SlabLayout layout(uint32_t item_words) {
    return split_layout(kHeaderWords, kHeaderWords + kSlots * (item_words - kKnownWords), item_words);
  }
};

using DuplicateTableRef = SlabTableRef<DuplicateSlab>;

struct EnterItems {
  ItemsInTables<DuplicateSlab> items;

  VOX_HD void prefetch(uint64_t i, int stage) const { items.prefetch(i, stage); }
  VOX_HD PreparedItem prepare(uint64_t i) const { return items.prepare(i); }

  template <class Group>
  VOX_HD void operator()(Group group, const PreparedItem& prepared) const {
    const DuplicateTableRef& table = items.tables[prepared.words];
    const auto held = group.load(items.batch.item(prepared.item), prepared.words);
    for (uint32_t number = prepared.first_slab;;) {
      if (number != kNullSlab && enter(group, table, table.slab(number), held, prepared)) return;
      number = table.slab_after(group, table.head(prepared.hash()), number, prepared.hash_low);
    }
  }

 private:
  // Returns true if the slab now holds the item; otherwise the slab is full. No group waits between claiming
  // a slot and setting its value, so every wait for a value ends.
  template <class Group, class Item>
  VOX_HD static bool enter(Group group, const DuplicateTableRef& table, uint32_t* slab, const Item& held,
                           const PreparedItem& prepared) {
    uint32_t* values = slab + DuplicateSlab::kValuesFirst;
    uint32_t* slots = slab + table.layout.tail_first;
    const uint32_t step = table.layout.tail_words, known = DuplicateSlab::kKnownWords;
    for (;;) {
      const auto front = DuplicateSlab::load_shared(group, slab);
      NoProbe probe;
      const uint32_t candidates = DuplicateSlab::candidates(group, slab, front, table.layout, held,
                                                            prepared.words, prepared.hash(), probe);
      for (uint32_t unread = candidates; unread != 0; unread &= unread - 1)
        device::atomic_wait_for_any(values + lowest_bit(unread));
      if (group.find_equal(candidates, slots, step, held, known, prepared.words) != Group::kLanes)
        return true;
      const uint32_t empty = DuplicateSlab::empty_slots(group, front);
      if (empty == 0) return false;
      const auto slot = static_cast<uint32_t>(lowest_bit(empty));
      if (!DuplicateSlab::claim(group, slab, front, slot, held, prepared.hash())) continue;
      group.store(held, slots + slot * step, known, prepared.words);
      group.once([&] { device::atomic_store(values + slot, prepared.item + 1); });
      return true;
    }
  }
};
static_assert(device::PrefetchingBody<EnterItems> && device::PreparingBody<EnterItems>);

struct FindEntered {
  ItemsInTables<DuplicateSlab> items;

  VOX_HD void prefetch(uint64_t i, int stage) const { items.prefetch(i, stage); }
  VOX_HD PreparedItem prepare(uint64_t i) const { return items.prepare(i); }

  template <class Group>
  VOX_HD void operator()(Group group, const PreparedItem& prepared) const {
    const DuplicateTableRef& table = items.tables[prepared.words];
    NoProbe probe;
    const uint32_t pointer =
        table.find(group, items.batch.item(prepared.item), prepared.hash(), prepared.first_slab, probe);
    const uint32_t slot = pointer & ((1 << kSlotBits) - 1);
    const uint32_t* values = table.slab(pointer >> kSlotBits) + DuplicateSlab::kValuesFirst;
    group.once([&] { items.pointers[prepared.item] = values[slot] - 1; });
  }
};
static_assert(device::PrefetchingBody<FindEntered> && device::PreparingBody<FindEntered>);

struct HasWords {
  BatchRef batch;
  VOX_HD bool operator()(uint64_t i) const { return batch.size(i) > 0; }
};

// Does the same as find_leaders(). The first 8 bytes of an item must not all be 0; those of nodes and leaves
// never are.
template <class Device>
void find_leaders_in_slabs(Device& device, const BatchRef& batch, uint64_t n, uint32_t* leaders) {
  // Buckets have so few items that most items are in the first slab, the only one that enter() checks.
  constexpr uint32_t kLoadFactor = DuplicateSlab::kSlots / 2;
  device::Buffer<uint32_t> with_words;  // the items that have words, if some may have none
  if (!batch.all_of_one_size()) {
    device.fill(leaders, n, FindLeader::kNone);
    with_words = device.template make<uint32_t>(n);
    n = device.select({"select items with words", 8}, n, HasWords{batch}, with_words.data());
  }
  const ChosenRef chosen = {with_words.data()};
  Superblocks<Device> memory(device);
  std::vector<SlabTable<Device, DuplicateSlab>> tables;
  SlabTableRefs<DuplicateSlab> refs = {};
  const SizeCounts counts = count_sizes(device, batch, chosen, n);
  for (uint32_t words = 0; words <= kMaxItemWords; ++words) {
    tables.emplace_back(device, memory, words, kLoadFactor);
    tables[words].expect(counts[words]);
    tables[words].reserve(counts[words]);
    refs[words] = tables[words].ref();
  }
  const ItemsInTables<DuplicateSlab> items = {batch, chosen, refs, leaders, nullptr};
  device.for_each_group({"enter items for duplicates", 132}, n, EnterItems{items});
  device.for_each_group({"duplicates in the batch", 100}, n, FindEntered{items});
}

}  // namespace vox::hash
