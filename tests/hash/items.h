// Batches of items for tests of the hash tables.
#pragma once

#include <set>
#include <vector>

#include "libvox/hash/batch.h"
#include "tests/common/random.h"

namespace vox {

using Item = std::vector<uint32_t>;

// Items one after another, in the layout of BatchRef.
struct Batch {
  std::vector<uint32_t> words, offsets = {0};
  std::vector<uint64_t> hashes;
  uint32_t words_each = 0;  // if not 0, the size of all items; tables then get neither offsets nor hashes

  Batch() = default;
  explicit Batch(const std::vector<Item>& items) {
    for (const Item& item : items) add(item);
  }

  void add(const Item& item) { add(item, hash::hash_words(item.data(), static_cast<uint32_t>(item.size()))); }
  void add(const Item& item, uint64_t hash) {
    words.insert(words.end(), item.begin(), item.end());
    offsets.push_back(static_cast<uint32_t>(words.size()));
    hashes.push_back(hash);
  }
  uint64_t size() const { return hashes.size(); }
  uint32_t words_of(uint64_t i) const { return offsets[i + 1] - offsets[i]; }
  Item item(uint64_t i) const { return Item(words.begin() + offsets[i], words.begin() + offsets[i + 1]); }
};

// Returns an item of `size` words below `values`, which is at least 2. As in nodes and leaves, the first two
// words are not both 0.
inline Item random_item(Random& random, uint32_t size, uint32_t values = UINT32_MAX) {
  Item item(size);
  for (uint32_t& word : item) word = random.below(values);
  if (item[0] == 0 && item[1] == 0) item[random.below(2)] = 1;
  return item;
}

// Returns items that all differ; `count` must be less than `values` to the power of `size`.
inline std::vector<Item> unique_items(Random& random, uint64_t count, uint32_t size,
                                      uint32_t values = UINT32_MAX) {
  std::set<Item> seen;
  std::vector<Item> items;
  while (items.size() < count)
    if (Item item = random_item(random, size, values); seen.insert(item).second) items.push_back(item);
  return items;
}

}  // namespace vox
