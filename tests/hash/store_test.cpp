// Tests DagStore: equal items that are interned have one pointer, for every variant.
#include <map>

#include "tests/hash/tables_fixture.h"

namespace vox {
namespace {

using Store = TablesTest;
VOX_FOR_ALL_TABLES(Store);

// Interns a batch and compares the pointers with a map from items to pointers.
void intern(AnyTables& store, const Batch& batch, std::map<Item, uint32_t>& known) {
  const Pointers pointers = store.intern(batch);
  std::map<uint32_t, uint64_t> item_at;
  for (const auto& [item, pointer] : known) item_at.emplace(pointer, item.size());
  for (uint64_t i = 0; i < batch.size(); ++i) {
    const Item item = batch.item(i);
    const auto [known_item, is_new] = known.emplace(item, pointers[i]);
    ASSERT_EQ(known_item->second, pointers[i]) << "of equal items, " << i;
    if (is_new) {
      ASSERT_TRUE(item_at.emplace(pointers[i], item.size()).second) << "of different items, " << i;
    }
  }
  ASSERT_EQ(store.items(), known.size());
  expect_items_at(store, batch, pointers);
}

// Checks that the items of earlier batches are still where they were.
void expect_kept(AnyTables& store, const std::map<Item, uint32_t>& known) {
  Batch batch;
  Pointers pointers;
  for (const auto& [item, pointer] : known) {
    batch.add(item);
    pointers.push_back(pointer);
  }
  expect_items_at(store, batch, pointers);
}

TEST_P(Store, NothingIsInternedFromAnEmptyBatch) {
  const auto store = make();
  EXPECT_TRUE(store->intern({}).empty());
  EXPECT_EQ(store->items(), 0u);
}

TEST_P(Store, EqualItemsHaveEqualPointersWithinAndAcrossBatches) {
  const auto store = make();
  std::map<Item, uint32_t> known;
  const Batch batch({{1, 2}, {1, 2, 3}, {1, 2}, {2, 1}, {1, 2, 3}});
  intern(*store, batch, known);
  EXPECT_EQ(store->items(), 3u);
  intern(*store, batch, known);
  EXPECT_EQ(store->items(), 3u);
  intern(*store, Batch({{2, 1}, {0, 1}, {1, 2, 3, 0}, {1, 2}}), known);
  EXPECT_EQ(store->items(), 5u);
}

TEST_P(Store, RandomItemsOfMixedSizesAgreeWithAMapAfterEveryBatch) {
  const auto store = make();
  Random random(1);
  std::map<Item, uint32_t> known;
  for (int count : {3, 500, 1, 9000, 9000}) {
    Batch batch;
    // With few different values there are many repetitions, above all of short items.
    for (int i = 0; i < count; ++i) batch.add(random_item(random, 2 + random.below(9), 2 + random.below(19)));
    ASSERT_NO_FATAL_FAILURE(intern(*store, batch, known));
    expect_kept(*store, known);
  }
  EXPECT_LT(known.size(), 17000u);
  EXPECT_GT(known.size(), 5000u);
}

TEST_P(Store, PointersStayWhileATableOutgrowsItsBuckets) {
  const auto store = make();
  Random random(2);
  std::map<Item, uint32_t> known;
  for (int count : {10, 30000, 30000}) {
    Batch batch;
    for (int i = 0; i < count; ++i) batch.add(random_item(random, 4));
    for (const auto& [item, pointer] : known)
      if (random.below(4) == 0) batch.add(item);
    ASSERT_NO_FATAL_FAILURE(intern(*store, batch, known));
  }
  expect_kept(*store, known);
}

}  // namespace
}  // namespace vox
