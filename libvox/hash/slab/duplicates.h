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
#pragma once

#include <vector>

#include "libvox/device/device.h"
#include "libvox/hash/slab/tables.h"
#include "libvox/hash/slab/variants.h"

namespace vox::hash {

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
