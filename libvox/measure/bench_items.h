// Items to measure hash tables with. They are made on the device from numbers: equal numbers give equal
// items, different numbers different ones, so that what a search has to find is known without a table.
#pragma once

#include "libvox/base/hd.h"
#include "libvox/base/mix.h"
#include "libvox/hash/batch.h"
#include "libvox/hash/slab_memory.h"

namespace vox::measure::bench {

// Writes item `number`, 1 to 2^36, or to 2^32 - 1 where it has one word. mix64 maps numbers to the first two
// words one to one, and 0 to 0, so that these words differ for all items and are never 0 (which tables may use
// for an empty slot). So does mix32 with a single word.
VOX_HD inline void write_item(uint64_t number, uint32_t item_words, uint32_t* words) {
  if (item_words == 1) *words = mix32(static_cast<uint32_t>(number));
  for (uint32_t word = 0; item_words > 1 && word < item_words; word += 2) {
    const uint64_t bits = mix64(number + (uint64_t{word} << 36));
    words[word] = static_cast<uint32_t>(bits);
    if (word + 1 < item_words) words[word + 1] = static_cast<uint32_t>(bits >> 32);
  }
}

// --- which item is the i-th of a batch ---

// The items from `first` on, one after the other.
struct Consecutive {
  uint64_t first;
  VOX_HD uint64_t operator()(uint64_t i) const { return first + i; }
};

// Items of which `percent` are random ones among 1 to `stored`; the others are numbered from `first_miss` on,
// none of them twice. Another seed gives another choice.
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

// A batch of `count` items of which `percent` equal one of the others.
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
struct WriteItems {
  Numbers numbers;
  uint32_t item_words;
  uint32_t* words;
  VOX_HD void operator()(uint64_t i) const { write_item(numbers(i), item_words, words + i * item_words); }
};

// Whether the i-th item is stored, where items 1 to `stored` are.
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

// Whether the i-th pointer is wrong. A search for the i-th item has to give a pointer below `pointer_end` to
// equal words where the item is stored, else kNullPointer. A Memory has item(pointer).
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
  uint32_t* marks;  // by number
  VOX_HD void operator()(uint64_t i) const { device::atomic_or(marks + numbers(i), 1u); }
};

struct IsMarked {
  const uint32_t* marks;
  VOX_HD uint32_t operator()(uint64_t i) const { return marks[i]; }
};

// Whether the i-th item's leader is wrong: not equal to it, or not its own leader.
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
