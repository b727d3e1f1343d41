#include "libvox/dag/store.h"

#include <gtest/gtest.h>

#include <map>

#include "libvox/device/cpu_device.h"
#include "tests/hash/items.h"

namespace vox {
namespace {

using Store = DagStore<CpuDevice>;

// Interns the batch and compares with what a map from content to pointer says.
void intern(Store& store, const Batch& batch, std::map<Item, uint32_t>& known) {
  std::vector<uint32_t> pointers(batch.size(), kNullPointer);
  store.intern(batch.words.data(), batch.offsets.data(), batch.size(), pointers.data());
  std::map<uint32_t, uint64_t> item_at;
  for (const auto& [item, pointer] : known) item_at.emplace(pointer, item.size());
  for (uint64_t i = 0; i < batch.size(); ++i) {
    const Item item = batch.item(i);
    const auto [known_item, is_new] = known.emplace(item, pointers[i]);
    ASSERT_EQ(known_item->second, pointers[i]) << "of equal items, " << i;
    if (is_new) {
      ASSERT_TRUE(item_at.emplace(pointers[i], item.size()).second) << "of different items, " << i;
    }
    ASSERT_LT(pointers[i], store.pointer_range());
    ASSERT_TRUE(same_words(store.ref().item(pointers[i]), item.data(), batch.ref().size(i)));
  }
  ASSERT_EQ(store.items(), known.size());
}

// Those of earlier batches are still where they were.
void expect_kept(const Store& store, const std::map<Item, uint32_t>& known) {
  for (const auto& [item, pointer] : known)
    ASSERT_TRUE(same_words(store.ref().item(pointer), item.data(), static_cast<uint32_t>(item.size())));
}

TEST(DagStore, NothingIsInternedFromAnEmptyBatch) {
  CpuDevice device(0, false);
  Store store(device);
  std::map<Item, uint32_t> known;
  intern(store, {}, known);
  EXPECT_EQ(store.items(), 0u);
}

TEST(DagStore, EqualItemsHaveEqualPointersWithinAndAcrossBatches) {
  CpuDevice device(0, false);
  Store store(device);
  std::map<Item, uint32_t> known;
  const Batch batch({{1, 2}, {1, 2, 3}, {1, 2}, {2, 1}, {1, 2, 3}});
  intern(store, batch, known);
  EXPECT_EQ(store.items(), 3u);
  intern(store, batch, known);
  EXPECT_EQ(store.items(), 3u);
  intern(store, Batch({{2, 1}, {0, 0}, {1, 2, 3, 0}, {1, 2}}), known);
  EXPECT_EQ(store.items(), 5u);
}

TEST(DagStore, RandomItemsOfMixedSizesAgreeWithAMapAfterEveryBatch) {
  CpuDevice device(0, false);
  Store store(device);
  Random random(1);
  std::map<Item, uint32_t> known;
  for (int count : {3, 500, 1, 9000, 9000}) {
    Batch batch;
    // Few values make many repetitions, of short items above all.
    for (int i = 0; i < count; ++i) batch.add(random_item(random, 2 + random.below(9), 1 + random.below(20)));
    intern(store, batch, known);
    expect_kept(store, known);
  }
  EXPECT_LT(known.size(), 17000u);
  EXPECT_GT(known.size(), 5000u);
}

TEST(DagStore, PointersStayWhileATableOutgrowsItsBuckets) {
  CpuDevice device(0, false);
  Store store(device);
  Random random(2);
  std::map<Item, uint32_t> known;
  for (int count : {10, 30000, 30000}) {
    Batch batch;
    for (int i = 0; i < count; ++i) batch.add(random_item(random, 4));
    for (const auto& [item, pointer] : known)
      if (random.below(4) == 0) batch.add(item);
    intern(store, batch, known);
  }
  expect_kept(store, known);
}

}  // namespace
}  // namespace vox
