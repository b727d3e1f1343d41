// Hash tables on the device that VOX_TEST_DEVICE names. The interface depends neither on the variant nor on
// the device, so that tests are written once, in plain C++.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/store.h"
#include "libvox/hash/batch.h"
#include "libvox/hash/find_or_insert.h"
#include "libvox/hash/slab/tables.h"
#include "libvox/hash/table_options.h"
#include "libvox/hash/table_set.h"
#include "tests/common/random.h"

namespace vox {

// Batches of items for tests of the hash tables.

using Item = std::vector<uint32_t>;

struct ItemHash {
  size_t operator()(const Item& item) const {
    return hash::hash_words(item.data(), static_cast<uint32_t>(item.size()));
  }
};

// The items that tables should hold, with their pointers.
using Known = std::unordered_map<Item, uint32_t, ItemHash>;

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
  std::unordered_set<Item, ItemHash> seen;
  std::vector<Item> items;
  while (items.size() < count)
    if (Item item = random_item(random, size, values); seen.insert(item).second) items.push_back(item);
  return items;
}

using Pointers = std::vector<uint32_t>;
using Chosen = std::vector<uint32_t>;  // indices of items of a batch

struct CountedPointers {
  Pointers pointers;
  uint64_t sectors = 0;       // the number of sectors of 32 bytes that were touched
  hash::SearchCounts counts;  // of searches
};

// A batch whose items may depend on items of the batch before.
struct LinkedBatch {
  static constexpr uint32_t kNoLink = UINT32_MAX;
  Batch items;
  // For each item, the index of an item in the batch before, whose pointer becomes the item's last word; or
  // kNoLink.
  std::vector<uint32_t> links;

  void add(const Item& item, uint32_t link = kNoLink) {
    items.add(item);
    links.push_back(link);
  }
  uint64_t size() const { return items.size(); }
};

// The results of batches that are inserted one after another.
struct InsertedBatches {
  std::vector<Chosen> leaders;  // empty if the tables do not report them
  std::vector<Pointers> pointers;
  std::vector<hash::InternWork> work;
  uint32_t stops = 0;       // the number of batches that had to be repeated
  uint32_t first_item = 0;  // the pointer of the last batch's first item
};

// A DagStore and its tables.
class AnyTables {
 public:
  static constexpr uint32_t kUntouched = 0xfffffffe;  // the pointer of items that are not chosen

  virtual ~AnyTables() = default;

  virtual void expect(const hash::SizeCounts& items) = 0;
  virtual void expect_growth(double growth) = 0;
  virtual Pointers find(const Batch& batch, const Chosen& chosen) = 0;
  virtual Pointers insert(const Batch& batch, const Chosen& chosen) = 0;
  virtual Pointers find_all(const Batch& batch) = 0;
  virtual Pointers insert_all(const Batch& batch) = 0;
  virtual CountedPointers find_counted(const Batch& batch) = 0;
  virtual CountedPointers insert_counted(const Batch& batch) = 0;
  virtual Pointers intern(const Batch& batch) = 0;

  // The last batch must not be empty.
  virtual InsertedBatches insert_batches(const std::vector<LinkedBatch>& batches) = 0;
  // Inserts the batches, but an exception follows after the last batch before it is finished.
  virtual void abandon_batches(const std::vector<LinkedBatch>& batches) = 0;

  // Keeps the items at these pointers.
  virtual hash::SweepResult sweep(const Pointers& kept) = 0;

  using Roots = std::vector<dag::DagRoot>;
  virtual dag::DagRoot load(const dag::FrozenDag& dag) = 0;
  virtual dag::FrozenDag freeze(const dag::DagRoot& root, const dag::FrozenDag& like) = 0;
  virtual dag::CollectWork collect(const Roots& roots) = 0;
  // Collects in steps, with other calls between them.
  virtual void start_collecting(const Roots& roots) = 0;
  virtual bool collect_step(uint64_t pointers) = 0;
  virtual bool collect_for(double seconds) = 0;
  virtual dag::CollectWork finish_collecting() = 0;

  // Returns for each item i as many words at pointers[i] as the item has.
  virtual std::vector<Item> read(const Batch& batch, const Pointers& pointers) = 0;
  virtual uint64_t items() = 0;
  virtual uint64_t pointer_range() = 0;
  virtual std::vector<hash::TableMemory> memory() = 0;
};

enum class LeaderFinder { OpenAddressing, Slabs };

class AnyDevice {
 public:
  virtual ~AnyDevice() = default;
  // The tables must not outlive the device.
  virtual std::unique_ptr<AnyTables> make_tables(const hash::TableOptions& options) = 0;
  virtual uint64_t bytes_used() = 0;  // the bytes of its memory in use
  virtual std::vector<uint32_t> leaders(const Batch& batch, LeaderFinder finder) = 0;
};

std::unique_ptr<AnyDevice> make_any_device();
std::unique_ptr<AnyDevice> make_any_cpu_device();
std::unique_ptr<AnyDevice> make_any_cuda_device(int index);

// The fixture of the tests of hash tables. Every test runs once for each variant in table_names().

class TablesTest : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<AnyTables> make(hash::TableOptions options = {}) {
    options.table = GetParam();
    return device_->make_tables(options);
  }
  AnyDevice& device() { return *device_; }

 private:
  std::unique_ptr<AnyDevice> device_ = make_any_device();
};

#define VOX_FOR_ALL_TABLES(suite)                                              \
  INSTANTIATE_TEST_SUITE_P(All, suite, testing::ValuesIn(hash::table_names()), \
                           [](const testing::TestParamInfo<std::string>& info) { return info.param; })

inline bool all_different(Pointers pointers) {
  std::sort(pointers.begin(), pointers.end());
  return std::adjacent_find(pointers.begin(), pointers.end()) == pointers.end();
}

inline Pointers no_pointers(uint64_t count) {
  return Pointers(count, hash::kNullPointer);
}

// Checks that the tables hold item i at pointers[i].
inline void expect_items_at(AnyTables& tables, const Batch& batch, const Pointers& pointers) {
  const uint64_t range = tables.pointer_range();
  for (uint32_t pointer : pointers) ASSERT_LT(pointer, range);
  const std::vector<Item> items = tables.read(batch, pointers);
  const std::span<const uint32_t> words = batch.words;
  for (uint64_t i = 0; i < batch.size(); ++i)
    ASSERT_TRUE(std::ranges::equal(items[i], words.subspan(batch.offsets[i], batch.words_of(i)))) << i;
}

inline std::vector<Batch> in_batches(const std::vector<Item>& items, const std::vector<uint64_t>& sizes) {
  std::vector<Batch> batches;
  auto at = items.begin();
  for (uint64_t size : sizes) {
    batches.emplace_back(std::vector<Item>(at, at + static_cast<int64_t>(size)));
    at += static_cast<int64_t>(size);
  }
  return batches;
}

// Inserts batches one after another, whose items all differ, and checks after each batch which items are
// found.
inline void insert_in_batches(AnyTables& tables, const std::vector<Batch>& batches) {
  std::vector<Pointers> pointers;
  Pointers all;
  for (size_t next = 0; next < batches.size(); ++next) {
    pointers.push_back(tables.insert_all(batches[next]));
    all.insert(all.end(), pointers.back().begin(), pointers.back().end());
    ASSERT_TRUE(all_different(all));
    for (size_t i = 0; i < batches.size(); ++i) {
      const Pointers found = tables.find_all(batches[i]);
      if (i <= next) {
        ASSERT_EQ(found, pointers[i]) << "of batch " << i << " after " << next;
        ASSERT_NO_FATAL_FAILURE(expect_items_at(tables, batches[i], pointers[i]));
      } else {
        ASSERT_EQ(found, no_pointers(found.size())) << "of batch " << i << " after " << next;
      }
    }
  }
  ASSERT_EQ(tables.items(), all.size());
}

}  // namespace vox
