// Batches: a call on a set of tables works on many items at once.
#pragma once

#include <array>

#include "libvox/hash/item.h"

namespace vox::hash {

// A batch of items. Item i has the words from offsets[i] to before offsets[i + 1]. Without offsets, it begins
// at word i * words_each and has sizes[i] words or, without sizes, words_each. A size of 0 means that there
// is no item; only find_or_insert() and linked batches allow it.
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
// leaders among the first ones (batch_duplicates.h).
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

// A probe that counts nothing, for searches and insertions that are not measured. It costs nothing.
struct NoProbe {
  static constexpr bool kCounts = false;
  VOX_HD void touch(const void*, uint64_t) {}
  VOX_HD uint32_t sectors() const { return 0; }
};

// A probe that counts the sectors that a search or an insertion touches. A sector has 32 bytes, the least
// that a GPU's memory moves.
class SectorProbe {
 public:
  static constexpr bool kCounts = true;
  VOX_HD void touch(const void* begin, uint64_t bytes) {
    const auto at = reinterpret_cast<uintptr_t>(begin);
    sectors_ += static_cast<uint32_t>((at + bytes - 1) / 32 - at / 32 + 1);
  }
  VOX_HD uint32_t sectors() const { return sectors_; }

 private:
  uint32_t sectors_ = 0;
};

}  // namespace vox::hash
