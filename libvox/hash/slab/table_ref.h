// Finds which of many bytes have a given value, within a single thread of either device.
#pragma once

#include <cstdint>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/device/atomics.h"
#include "libvox/hash/batch.h"
#include "libvox/hash/slab_memory.h"

#if defined(__SSE2__) && !defined(__CUDA_ARCH__)
#include <emmintrin.h>
#endif

namespace vox::hash {

// A set of up to 128 slots, one bit each.
struct SlotMask {
  uint64_t low = 0, high = 0;

  VOX_HD bool any() const { return (low | high) != 0; }
  // Removes the lowest slot and returns it. The set must not be empty.
  VOX_HD uint32_t take_lowest() {
    uint64_t& word = low != 0 ? low : high;
    const uint32_t slot = static_cast<uint32_t>(lowest_bit(word)) + (low != 0 ? 0 : 64);
    word &= word - 1;
    return slot;
  }
};

// Returns a mask in which bit b is set if byte b of `word` equals the byte that `repeated` holds four times.
VOX_HD inline uint32_t match_bytes_of_word(uint32_t word, uint32_t repeated) {
  const uint32_t differ = word ^ repeated;
  // Sets 0x80 where a byte of `differ` is 0, because adding 0x7f to its lower bits does not reach the highest
  // bit.
  const uint32_t same = ~(((differ & 0x7f7f7f7f) + 0x7f7f7f7f) | differ) & 0x80808080;
  return same * 0x00204081 >> 28;  // bits 7, 15, 23, 31 → 0, 1, 2, 3
}

// The inverse: returns a word in which byte b is 0xff if bit b, of four, is set, and 0 otherwise.
VOX_HD inline uint32_t bytes_of_bits(uint32_t bits) {
  return (bits * 0x00204081 & 0x01010101) * 0xff;  // bits 0, 1, 2, 3 → 0, 8, 16, 24
}

// Returns a mask in which bit s is set if byte s of the first `Bytes` is `value`. `Bytes` must be a multiple
// of 4. The bytes lie in words, low byte first. On a GPU, with 16 bytes or more, `words` must be aligned to
// 16 bytes.
template <uint32_t Bytes>
VOX_HD SlotMask match_bytes(const uint32_t* words, uint32_t value) {
  SlotMask mask;
  uint32_t word = 0;
  auto add = [&](uint64_t bits) { (word < 16 ? mask.low : mask.high) |= bits << word % 16 * 4; };
#if defined(__CUDA_ARCH__)
  const uint32_t repeated = value * 0x01010101;
#pragma unroll
  for (; word + 4 <= Bytes / 4; word += 4) {
    const uint4 four = *reinterpret_cast<const uint4*>(words + word);
    add(match_bytes_of_word(four.x, repeated) | match_bytes_of_word(four.y, repeated) << 4 |
        match_bytes_of_word(four.z, repeated) << 8 | match_bytes_of_word(four.w, repeated) << 12);
  }
#pragma unroll
  for (; word < Bytes / 4; ++word) add(match_bytes_of_word(words[word], repeated));
#else
#ifdef __SSE2__
  const __m128i wanted = _mm_set1_epi8(static_cast<char>(value));
  for (; word + 4 <= Bytes / 4; word += 4) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(words + word));
    add(static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted))));
  }
#endif
  for (; word < Bytes / 4; ++word) add(match_bytes_of_word(words[word], value * 0x01010101));
#endif
  return mask;
}

// A hash table whose buckets are linked lists of slabs, which a group of 32 lanes walks (Molenaar & Eisemann
// 2024, §4.2, §5.1, appendix A). The variant's Scheme defines the slabs: Atomic64, Ticket, Accel32 or Accel8.
//
// Items go into the first slab of their bucket. A full bucket gets a new slab at the front. If items have
// been removed, free slots of a bucket's other slabs are used first. Search and insertion are separate
// phases: while one runs, the other does not.
//
// A table grows by replacing each bucket by `factor` buckets that start with the same slab. Buckets are taken
// from the hash's high bits, so an item's new bucket is always one of those that replace its old bucket.
// Nothing moves, and pointers stay valid. The shared slabs also hold items of sibling buckets, which searches
// skip.
//
// A Scheme has:
//   kName, kSlots (at most 32), layout(item_words)
//   kHeaderWords    how many words at the front of a slab are cleared in a new one; the word behind kNextWord
//                   is for sweeps
//   kReadWords      how many of these words load() reads; kNextWord is one of them
//   kKnownWords     how many words at the front of an item candidates() compares and claim() stores
//   kReadsAhead     true if a search asks for the next slab while it looks at one, because that takes long
//   load(group, slab)                               the words of a slab's front, which the lanes hold
//   load_shared(group, slab)                        the same while other groups insert, without kNextWord
//   candidates(group, slab, front, layout, item, words, hash, probe)
//                                                   a bit for each slot that may hold the item
//   empty_slots(group, front)                       a bit for each slot that is empty
//   keep(group, slab, live)                         empties all slots but those in `live`
//   claim(group, slab, front, slot, item, hash)     takes a slot; returns true if the group got it
//   fingerprint_bytes(), padding_bytes(item_words)  what these take in one slab

// Fingerprints consist of bits of a hash that bucket_of() does not use. They are never 0, which means an
// empty slot.
VOX_HD inline uint32_t byte_fingerprint(uint64_t hash) {
  return 1 + static_cast<uint32_t>(hash) % 255;
}
VOX_HD inline uint32_t word_fingerprint(uint64_t hash) {
  const auto low = static_cast<uint32_t>(hash);
  return low == 0 ? 1 : low;
}

// A scheme that aligns its slabs pads them to whole lines of this many words.
inline constexpr uint32_t kLineWords = 32;
constexpr uint32_t whole_lines(uint32_t words) {
  return (words + kLineWords - 1) / kLineWords * kLineWords;
}

// The trivially copyable view of a table, which kernel bodies capture.
template <class Scheme>
struct SlabTableRef {
  SlabAllocatorRef allocator;
  uint32_t* buckets;  // the first slab of each, or kNullSlab
  uint32_t bucket_count;
  uint32_t item_words;
  SlabLayout layout;
  uint32_t slabs_searched;  // how many slabs of a bucket an insertion searches for a free slot: one, or all

  static constexpr uint32_t kSlotMask = Scheme::kSlots == 32 ? UINT32_MAX : (1u << Scheme::kSlots) - 1;

  VOX_HD uint32_t* head(uint64_t hash) const { return buckets + bucket_of(hash, bucket_count); }
  VOX_HD uint32_t* slab(uint32_t number) const { return allocator.memory.slab(number, layout.slab_words); }

  // Prefetches what find() and insert() read first (stage 0), and what they read next (stage 1).
  VOX_HD void prefetch(uint64_t hash, int stage) const {
    if (bucket_count == 0) return;
    if (stage == 0) {
      prefetch_line(head(hash));
    } else if (const uint32_t number = device::atomic_load_consume(head(hash)); number != kNullSlab) {
      prefetch_lines(slab(number), Scheme::kReadWords * 4);
    }
  }

  // Returns the first slab of the bucket, where find() and insert() begin.
  VOX_HD uint32_t first_slab(uint64_t hash) const {
    return bucket_count == 0 ? kNullSlab : device::atomic_load_consume(head(hash));
  }

  // Returns the pointer to the item, or kNullPointer.
  template <class Group, class Probe>
  VOX_HD uint32_t find(Group group, const uint32_t* item, uint64_t hash, uint32_t first, Probe& probe) const {
    const auto held = group.load(item, item_words);
    if (bucket_count > 0) probe.touch(head(hash), 4);
    for (uint32_t number = first; number != kNullSlab;) {
      const uint32_t* at = slab(number);
      probe.touch(at, Scheme::kReadWords * 4);
      const auto front = Scheme::load(group, at);
      const uint32_t next = group.word(front, Scheme::kNextWord);
      if (Scheme::kReadsAhead && next != kNullSlab) prefetch_lines(slab(next), Scheme::kReadWords * 4);
      const uint32_t candidates = Scheme::candidates(group, at, front, layout, held, item_words, hash, probe);
      touch_candidates(at, candidates, probe);
      const uint32_t slot = group.find_equal(candidates, at + layout.tail_first, layout.tail_words, held,
                                             Scheme::kKnownWords, item_words);
      probe.look(false_candidates(candidates, slot));
      if (slot != Group::kLanes) return number << kSlotBits | slot;
      number = next;
    }
    return kNullPointer;
  }

  // Stores an item that is not in the table and returns its pointer.
  template <class Group, class Probe>
  VOX_HD uint32_t insert(Group group, const uint32_t* item, uint64_t hash, uint32_t first,
                         Probe& probe) const {
    const auto held = group.load(item, item_words);
    probe.touch(head(hash), 4);
    uint32_t searches = slabs_searched;
    for (uint32_t number = first;;) {
      for (uint32_t here = number; here != kNullSlab;) {
        uint32_t* at = slab(here);
        probe.touch(at, Scheme::kReadWords * 4);
        const auto front = Scheme::load_shared(group, at);
        for (uint32_t empty = Scheme::empty_slots(group, front); empty != 0; empty &= empty - 1) {
          const auto slot = static_cast<uint32_t>(lowest_bit(empty));
          if (!Scheme::claim(group, at, front, slot, held, hash)) continue;
          uint32_t* there = at + layout.tail_first + slot * layout.tail_words;
          group.store(held, there, Scheme::kKnownWords, item_words);
          probe.touch(there + Scheme::kKnownWords, (item_words - Scheme::kKnownWords) * 4);
          return here << kSlotBits | slot;
        }
        if (searches == 1) break;
        here = group.once([&] { return device::atomic_load_relaxed(at + Scheme::kNextWord); });
      }
      searches = 1;  // all slabs of the bucket are full; only new ones have room
      number = slab_after(group, head(hash), number, static_cast<uint32_t>(hash));
    }
  }

  // Returns the new first slab of a bucket whose first slab was `first`, which is full. It is a slab that
  // another group has put there, or else a new, empty one.
  template <class Group>
  VOX_HD uint32_t slab_after(Group group, uint32_t* head, uint32_t first, uint32_t seed) const {
    const uint32_t now = group.once([&] { return device::atomic_load_consume(head); });
    return now == first ? push_slab(group, head, first, seed) : now;
  }

 private:
  // Returns how many candidates lie before the slot of the item, or how many there are if no slot has it.
  VOX_HD static uint32_t false_candidates(uint32_t candidates, uint32_t slot) {
    return static_cast<uint32_t>(popcount(slot < 32 ? candidates & ((1u << slot) - 1) : candidates));
  }

  template <class Probe>
  VOX_HD void touch_candidates(const uint32_t* at, uint32_t candidates, Probe& probe) const {
    if constexpr (Probe::kCounts)
      for (; candidates != 0 && item_words > Scheme::kKnownWords; candidates &= candidates - 1)
        probe.touch(at + layout.tail_first +
                        static_cast<uint32_t>(lowest_bit(candidates)) * layout.tail_words +
                        Scheme::kKnownWords,
                    (item_words - Scheme::kKnownWords) * 4);
  }

  template <class Group>
  VOX_HD uint32_t push_slab(Group group, uint32_t* head, uint32_t first, uint32_t seed) const {
    const uint32_t number = allocator.allocate(group, seed);
    uint32_t* at = slab(number);
    group.each(Scheme::kHeaderWords,
               [&](uint32_t word) { at[word] = word == Scheme::kNextWord ? first : 0; });
    return group.once([&] {
      const uint32_t seen = device::atomic_exchange_if(head, first, number);
      if (seen == first) return number;
      allocator.free(number);
      return seen;
    });
  }
};

// Kernel bodies that remove items from slab tables (hash/table_set.h). First, every slab loses the items that are
// not marked. Then empty slabs are taken out of the lists, which several buckets may share, and freed.

// All slabs of a table, in use or not, including those of its superblocks without memory.
template <class Scheme>
struct SlabsOfTable {
  SlabTableRef<Scheme> table;

  // The word of a slab that has, between the two passes, a bit for each slot that holds an item.
  static constexpr uint32_t kLiveWord = Scheme::kNextWord + 1;

  VOX_HD const Superblock& superblock(uint64_t i) const {
    return table.allocator.memory.superblocks[table.allocator.superblocks[i / kSlabsPerSuperblock]];
  }
  VOX_HD bool in_memory(uint64_t i) const { return i % kSlabsPerSuperblock < superblock(i).slab_count; }
  VOX_HD uint32_t* bitmap(uint64_t i) const { return superblock(i).bitmap + i % kSlabsPerSuperblock / 32; }
  VOX_HD uint32_t number(uint64_t i) const {
    return table.allocator.superblocks[i / kSlabsPerSuperblock] * kSlabsPerSuperblock +
           static_cast<uint32_t>(i % kSlabsPerSuperblock);
  }
  VOX_HD uint32_t live(uint32_t number) const { return table.slab(number)[kLiveWord]; }
  // Returns the first slab of a list, from this one on, that is not empty, or kNullSlab.
  VOX_HD uint32_t skip_empty(uint32_t number) const {
    while (number != kNullSlab && live(number) == 0) number = table.slab(number)[Scheme::kNextWord];
    return number;
  }
};

// The first pass: removes the items of slab i that are not marked.
template <class Scheme>
struct SweepSlab {
  SlabsOfTable<Scheme> slabs;
  const uint32_t* marks;

  template <class Group>
  VOX_HD void operator()(Group group, uint64_t i) const {
    if (!slabs.in_memory(i) || (*slabs.bitmap(i) >> i % 32 & 1) == 0) return;
    const uint32_t number = slabs.number(i);
    uint32_t* slab = slabs.table.slab(number);
    const auto front = Scheme::load(group, slab);
    const uint32_t occupied = ~Scheme::empty_slots(group, front) & slabs.table.kSlotMask;
    const uint32_t live = occupied & marks[number];
    if (live != occupied) Scheme::keep(group, slab, live);
    group.once([&] { slab[SlabsOfTable<Scheme>::kLiveWord] = live; });
  }
};

// The second pass: takes the empty ones of the slabs 32 i to 32 i + 31 out of their lists and frees them. An
// empty slab keeps its link to the next one, because other groups may still follow it.
template <class Scheme>
struct UnlinkEmptySlabs {
  SlabsOfTable<Scheme> slabs;
  uint64_t* items;  // counts the remaining items
  uint64_t* used;   // counts the remaining slabs

  template <class Group>
  VOX_HD void operator()(Group group, uint64_t i) const {
    uint32_t* bitmap = slabs.bitmap(32 * i);
    const uint32_t used_before = *bitmap, first = slabs.number(32 * i);
    if (used_before == 0 || !slabs.in_memory(32 * i)) return;
    auto live = [&](uint32_t lane) { return (used_before >> lane & 1) != 0 ? slabs.live(first + lane) : 0; };
    const uint32_t used_now = group.ballot([&](uint32_t lane) { return live(lane) != 0; });
    const uint32_t items_now =
        group.sum([&](uint32_t lane) { return static_cast<uint32_t>(popcount(live(lane))); });
    group.each(32, [&](uint32_t lane) {
      if ((used_now >> lane & 1) == 0) return;
      uint32_t* next = slabs.table.slab(first + lane) + Scheme::kNextWord;
      if (const uint32_t kept = slabs.skip_empty(*next); kept != *next) *next = kept;
    });
    group.once([&] {
      *bitmap = used_now;
      device::atomic_add(items, items_now);
      device::atomic_add(used, static_cast<uint64_t>(popcount(used_now)));
    });
  }
};

// The second pass for buckets: makes each list begin with its first slab that is not empty.
template <class Scheme>
struct UnlinkFromBucket {
  SlabsOfTable<Scheme> slabs;
  VOX_HD void operator()(uint64_t bucket) const {
    uint32_t* head = slabs.table.buckets + bucket;
    *head = slabs.skip_empty(*head);
  }
};

}  // namespace vox::hash
