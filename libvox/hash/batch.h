// Batches: a call on a set of tables works on many items at once.
#pragma once

#include <array>
#include <cstdint>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/device/atomics.h"

namespace vox::hash {

// An item is a leaf or a node, with 2 to 10 words. The code below reads, hashes and compares items.

inline constexpr uint32_t kMinItemWords = 2;
inline constexpr uint32_t kMaxItemWords = 10;  // a full leaf with materials

// The words of an item in memory. They lie in one array, or in two if a table keeps the first two words of
// its items apart from the others. Both pointers point to where word 0 would be.
class ItemRef {
 public:
  VOX_HD ItemRef(const uint32_t* words) : head_(words), tail_(words) {}
  VOX_HD ItemRef(const uint32_t* head, const uint32_t* tail) : head_(head), tail_(tail) {}

  VOX_HD uint32_t operator[](uint32_t word) const { return (word < 2 ? head_ : tail_)[word]; }
  VOX_HD const uint32_t* head() const { return head_; }
  VOX_HD const uint32_t* tail() const { return tail_; }

 private:
  const uint32_t* head_;
  const uint32_t* tail_;
};

VOX_HD inline uint64_t start_hash(uint32_t count) {
  return 0x9e3779b97f4a7c15ull * count;
}
VOX_HD inline uint64_t hash_word(uint64_t hash, uint32_t word) {
  hash = (hash ^ word) * 0xff51afd7ed558ccdull;
  return hash ^ hash >> 32;
}
VOX_HD inline uint64_t hash_words(const uint32_t* words, uint32_t count) {
  uint64_t hash = start_hash(count);
  for (uint32_t i = 0; i < count; ++i) hash = hash_word(hash, words[i]);
  return mix64(hash);
}

VOX_HD inline bool same_words(const ItemRef& a, const uint32_t* b, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    if (a[i] != b[i]) return false;
  return true;
}

// A batch of items. Item i has the words [offsets[i], offsets[i + 1]). Without offsets, it begins at word i *
// words_each and has sizes[i] words or, without sizes, words_each. A size of 0 means that there is no item; only
// find_or_insert() and linked batches allow it.
struct BatchRef {
  const uint32_t* words;
  const uint32_t* offsets;  // may be nullptr
  const uint64_t* hashes;   // may be nullptr; hashes are then computed where needed
  uint32_t words_each = 0;
  const uint8_t* sizes = nullptr;

  VOX_HD const uint32_t* item(uint64_t i) const { return words + (offsets ? offsets[i] : i * words_each); }
  VOX_HD uint32_t size(uint64_t i) const {
    return offsets ? offsets[i + 1] - offsets[i] : sizes ? sizes[i] : words_each;
  }
  bool all_of_one_size() const { return !offsets && !sizes; }
  VOX_HD uint64_t hash(uint64_t i) const { return hashes ? hashes[i] : hash_words(item(i), size(i)); }
};

// The items of a batch that a call works on: those that `indices` names, or the first ones, or only the
// leaders among the first ones (find_or_insert.h).
struct ChosenRef {
  const uint32_t* indices;              // nullptr stands for 0, 1, 2, …
  const uint32_t* leader_of = nullptr;  // if set, items that are not their own leader are left out

  VOX_HD uint64_t operator[](uint64_t i) const { return indices ? indices[i] : i; }
  VOX_HD bool has(uint64_t i) const { return !leader_of || leader_of[i] == i; }
};

using SizeCounts = std::array<uint64_t, kMaxItemWords + 1>;  // the number of items of each size

// Returns the size of the i-th chosen item, for counting.
struct ChosenSize {
  BatchRef batch;
  ChosenRef chosen;
  VOX_HD uint32_t operator()(uint64_t i) const { return batch.size(chosen[i]); }
};

template <class Device>
SizeCounts count_sizes(Device& device, const BatchRef& batch, const ChosenRef& chosen, uint64_t n) {
  SizeCounts counts = {};
  if (batch.all_of_one_size()) {
    counts[batch.words_each] = n;
  } else {
    device.histogram({"count sizes", 12}, n, ChosenSize{batch, chosen}, counts.data(), counts.size());
  }
  return counts;
}

// The work of searches, summed. Insertions count only sectors.
struct SearchCounts {
  uint64_t searches = 0;          // 8 B
  uint64_t sectors = 0;           // 8 B, sectors of 32 bytes, the least that a GPU's memory moves
  uint64_t slabs = 0;             // 8 B, slabs, or lines and overflow sectors, that were looked at
  uint64_t false_candidates = 0;  // 8 B, items that were compared although they are not the wanted one

  SearchCounts& operator+=(const SearchCounts& other) {
    searches += other.searches;
    sectors += other.sectors;
    slabs += other.slabs;
    false_candidates += other.false_candidates;
    return *this;
  }
};
static_assert(sizeof(SearchCounts) == 32);

// A probe that counts nothing, for searches and insertions that are not measured. It costs nothing.
struct NoProbe {
  static constexpr bool kCounts = false;
  VOX_HD void touch(const void*, uint64_t) {}
  VOX_HD void look(uint32_t) {}
  VOX_HD void add_to(SearchCounts*) const {}
};

// A probe that counts the sectors, slabs and false candidates of a search or an insertion.
class SearchProbe {
 public:
  static constexpr bool kCounts = true;
  VOX_HD void touch(const void* begin, uint64_t bytes) {
    const auto at = reinterpret_cast<uintptr_t>(begin);
    sectors_ += static_cast<uint32_t>((at + bytes - 1) / 32 - at / 32 + 1);
  }
  // Notes that a slab was looked at, and how many of its items were compared in vain.
  VOX_HD void look(uint32_t false_candidates) {
    ++slabs_;
    false_candidates_ += false_candidates;
  }
  VOX_HD void add_to(SearchCounts* sum) const {
    device::atomic_add(&sum->searches, uint64_t{1});
    device::atomic_add(&sum->sectors, uint64_t{sectors_});
    device::atomic_add(&sum->slabs, uint64_t{slabs_});
    device::atomic_add(&sum->false_candidates, uint64_t{false_candidates_});
  }

 private:
  uint32_t sectors_ = 0, slabs_ = 0, false_candidates_ = 0;
};

// Returns the bucket, of `count` buckets, to which an item with this hash belongs. The hash's high bits decide.
VOX_HD inline uint32_t bucket_of(uint64_t hash, uint32_t count) {
  return static_cast<uint32_t>((hash >> 32) * count >> 32);
}

}  // namespace vox::hash
