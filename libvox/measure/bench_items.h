// Makes items for benchmarks of hash tables, on the device, from numbers. Equal numbers give equal items, and
// different numbers different items, so the correct result of a search is known without a table.
#pragma once

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/hash/batch.h"
#include "libvox/hash/keyed/key_table.h"
#include "libvox/hash/slab_memory.h"
#include "libvox/hash/table_options.h"
#include "libvox/measure/hash_bench.h"

namespace vox::measure::bench {

// Writes item `number`, which is 1 to 2^36, or 1 to 2^32 - 1 for items of one word. mix64 is a bijection that
// maps 0 to 0, so the first two words differ for all items and are never both 0 (tables may use 0 for an
// empty slot). The same holds for mix32 and items of one word.
VOX_HD inline void write_item(uint64_t number, uint32_t item_words, uint32_t* words) {
  if (item_words == 1) *words = mix32(static_cast<uint32_t>(number));
  for (uint32_t word = 0; item_words > 1 && word < item_words; word += 2) {
    const uint64_t bits = mix64(number + (uint64_t{word} << 36));
    words[word] = static_cast<uint32_t>(bits);
    if (word + 1 < item_words) words[word + 1] = static_cast<uint32_t>(bits >> 32);
  }
}

// --- functions that choose the i-th item of a batch ---

// Consecutive items from `first` on.
struct Consecutive {
  uint64_t first;
  VOX_HD uint64_t operator()(uint64_t i) const { return first + i; }
};

// A batch in which `percent` of the items are chosen at random among items 1 to `stored`. The others are
// numbered from `first_miss` on, each at most once. Another seed gives another choice.
struct RandomHits {
  uint64_t stored;
  uint64_t first_miss;
  uint32_t percent;
  uint32_t seed;
  VOX_HD uint64_t operator()(uint64_t i) const {
    const uint64_t random = mix64(i + (uint64_t{seed} << 40));
    return random % 100 < percent ? 1 + mix64(random) % stored : first_miss + i;
  }
};

// A batch of `count` items of which `percent` are copies of items of the same batch.
struct RandomCopies {
  uint64_t count;
  uint32_t percent;
  VOX_HD uint64_t operator()(uint64_t i) const {
    const uint64_t random = mix64(i + 1);
    return 1 + (random % 100 < percent ? mix64(random) % count : i);
  }
};

// --- bodies of loops ---

template <class Numbers>
struct WriteBenchItems {
  Numbers numbers;
  uint32_t item_words;
  uint32_t* words;
  VOX_HD void operator()(uint64_t i) const { write_item(numbers(i), item_words, words + i * item_words); }
};

// Returns 1 if the i-th item is stored, that is, if its number is at most `stored`.
template <class Numbers>
struct IsStored {
  Numbers numbers;
  uint64_t stored;
  VOX_HD uint32_t operator()(uint64_t i) const { return numbers(i) <= stored ? 1 : 0; }
};

struct IsFound {
  const uint32_t* pointers;
  VOX_HD uint32_t operator()(uint64_t i) const { return pointers[i] != hash::kNullPointer ? 1 : 0; }
};

// Returns 1 if the i-th pointer is wrong. If the i-th item is stored, the search for it must return a pointer
// below `pointer_end` to equal words, otherwise kNullPointer. A Memory has item(pointer).
template <class Numbers, class Memory>
struct IsWrong {
  IsStored<Numbers> is_stored;
  hash::BatchRef batch;
  Memory memory;
  uint64_t pointer_end;
  const uint32_t* pointers;
  VOX_HD uint32_t operator()(uint64_t i) const {
    const uint32_t pointer = pointers[i];
    if (pointer == hash::kNullPointer || is_stored(i) == 0)
      return (pointer == hash::kNullPointer) == (is_stored(i) != 0);
    return pointer >= pointer_end || !hash::same_words(memory.item(pointer), batch.item(i), batch.words_each);
  }
};

template <class Numbers>
struct MarkNumber {
  Numbers numbers;
  uint32_t* marks;  // indexed by the item's number
  VOX_HD void operator()(uint64_t i) const { device::atomic_or(marks + numbers(i), 1u); }
};

struct IsMarked {
  const uint32_t* marks;
  VOX_HD uint32_t operator()(uint64_t i) const { return marks[i]; }
};

// Returns 1 if the i-th item's leader is wrong: if it does not equal the item, or is not its own leader.
template <class Numbers>
struct IsWrongLeader {
  Numbers numbers;
  uint64_t count;
  const uint32_t* leader_of;
  VOX_HD uint32_t operator()(uint64_t i) const {
    const uint32_t leader = leader_of[i];
    return leader >= count || leader_of[leader] != leader || numbers(leader) != numbers(i);
  }
};

}  // namespace vox::measure::bench

namespace vox::measure {

// Adapts a growing table of voxel keys to those parts of a table set's interface that the benchmark of
// hash tables uses. Keys replace items of one or two words, and slots replace pointers.
struct SectorsOfItem {
  const uint32_t* sectors;
  VOX_HD uint32_t operator()(uint64_t i) const { return sectors[i]; }
};

template <class Device, hash::CellWord Cell>
class KeyItems {
 public:
  static constexpr uint32_t kItemWords = hash::CellFormat<Cell>::kBits / 32;

  struct Memory {
    const uint32_t* words;
    VOX_HD hash::ItemRef item(uint32_t slot) const { return words + uint64_t{slot} * kItemWords; }
  };

  KeyItems(Device& device, const hash::TableOptions& options)
      : device_(device),
        table_(hash::make_growing_key_table<Device, Cell>(
            device, {.table = options.table, .load_factor = HashBenchOptions::kMostFull})),
        keys_per_bucket_(options.load_factor) {}

  // Makes the empty table in advance, so that an insertion only inserts.
  void expect(const hash::SizeCounts& items) {
    table_->expect(items[kItemWords], keys_per_bucket_);
    table_->build(nullptr, 0);
  }

  void insert(const hash::BatchRef& batch, const hash::ChosenRef&, uint64_t n, uint32_t*) {
    table_->insert(keys(batch), n);
  }
  void find(const hash::BatchRef& batch, const hash::ChosenRef&, uint64_t n, uint32_t* pointers) const {
    table_->find(keys(batch), n, pointers);
  }

  uint64_t insert_counted(const hash::BatchRef& batch, const hash::ChosenRef&, uint64_t n, uint32_t*) {
    return table_->insert_counted(keys(batch), n).sectors;
  }
  // Searches, and counts only sectors.
  hash::SearchCounts find_counted(const hash::BatchRef& batch, const hash::ChosenRef& all, uint64_t n,
                                  uint32_t* pointers) const {
    auto sectors = device_.template make<uint32_t>(n);
    table_->count_sectors(keys(batch), n, sectors.data());
    find(batch, all, n, pointers);
    hash::SearchCounts counts;
    counts.sectors = device_.sum("sum sectors", n, SectorsOfItem{sectors.data()});
    return counts;
  }

  Memory memory_ref() const { return {reinterpret_cast<const uint32_t*>(table_->cells())}; }
  uint64_t pointer_range() const { return table_->slots() + 1; }  // plus the key kept outside of the slots
  uint64_t bytes() const { return table_->bytes_in_use(); }
  uint64_t allocated_bytes() const { return table_->bytes(); }

 private:
  static const Cell* keys(const hash::BatchRef& batch) { return reinterpret_cast<const Cell*>(batch.words); }

  Device& device_;
  std::unique_ptr<hash::GrowingKeyTable<Device, Cell>> table_;
  uint32_t keys_per_bucket_;
};

}  // namespace vox::measure
