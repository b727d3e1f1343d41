// Tests what every variant guarantees: items are found where they were inserted, at pointers that do not
// change.
#include "tests/hash/tables_fixture.h"

namespace vox {
namespace {

using Tables = TablesTest;
VOX_FOR_ALL_TABLES(Tables);

TEST_P(Tables, NothingIsFoundBeforeAnythingIsInserted) {
  const auto tables = make();
  Random random(1);
  for (uint32_t words = hash::kMinItemWords; words <= hash::kMaxItemWords; ++words) {
    const Batch batch(unique_items(random, 100, words));
    EXPECT_EQ(tables->find_all(batch), no_pointers(100));
  }
  EXPECT_EQ(tables->items(), 0u);
  EXPECT_TRUE(tables->memory().empty());
}

TEST_P(Tables, AnEmptyBatchChangesNothing) {
  const auto tables = make();
  EXPECT_TRUE(tables->insert_all({}).empty());
  EXPECT_TRUE(tables->find_all({}).empty());
  EXPECT_EQ(tables->items(), 0u);
  const Batch batch({{1, 2}, {3, 4}});
  const Pointers pointers = tables->insert_all(batch);
  EXPECT_TRUE(tables->insert_all({}).empty());
  EXPECT_TRUE(tables->find_all({}).empty());
  EXPECT_EQ(tables->insert(batch, {}), Pointers(2, +AnyTables::kUntouched));
  EXPECT_EQ(tables->find_all(batch), pointers);
  EXPECT_EQ(tables->items(), 2u);
}

TEST_P(Tables, ItemsOfAllSizesAreFoundWhereTheyWereInserted) {
  const auto tables = make();
  Random random(2);
  uint64_t before = 0;
  for (uint32_t words = hash::kMinItemWords; words <= hash::kMaxItemWords; ++words) {
    const auto one_size = make();
    insert_in_batches(*one_size, in_batches(unique_items(random, 2000, words), {1, 99, 900, 1000}));
    tables->insert_all(Batch(unique_items(random, 500, words)));
    EXPECT_EQ(tables->items(), before += 500);
  }
}

TEST_P(Tables, ABatchMayMixItemsOfAllSizes) {
  const auto tables = make();
  Random random(3);
  std::vector<Item> items;
  for (uint32_t words = hash::kMinItemWords; words <= hash::kMaxItemWords; ++words)
    for (const Item& item : unique_items(random, 100 * words, words)) items.push_back(item);
  for (size_t i = items.size() - 1; i > 0; --i)
    std::swap(items[i], items[random.below(static_cast<uint32_t>(i))]);
  insert_in_batches(*tables, in_batches(items, {40, 3000, items.size() - 3040}));
}

TEST_P(Tables, AnItemIsNotTheBeginningOfALongerOne) {
  const auto tables = make();
  std::vector<Item> items;
  for (uint32_t words = hash::kMinItemWords; words <= hash::kMaxItemWords; ++words)
    items.push_back(Item(words, 5));
  insert_in_batches(*tables, in_batches(items, {4, 5}));
}

TEST_P(Tables, ABatchOfOneSizeNeedsNeitherOffsetsNorHashes) {
  Random random(4);
  for (uint32_t words : {2u, 5u, 10u}) {
    const auto tables = make();
    const auto items = unique_items(random, 3000, words);
    const auto with_offsets = in_batches(items, {1500, 1500});
    auto without = with_offsets;
    for (Batch& batch : without) batch.words_each = words;
    const Pointers first = tables->insert_all(without[0]), second = tables->insert_all(with_offsets[1]);
    for (const auto& batches : {with_offsets, without}) {
      EXPECT_EQ(tables->find_all(batches[0]), first);
      EXPECT_EQ(tables->find_all(batches[1]), second);
    }
    expect_items_at(*tables, without[0], first);
  }
}

TEST_P(Tables, OnlyTheChosenItemsOfABatchAreSearchedAndInserted) {
  const auto tables = make();
  Random random(5);
  const Batch batch(unique_items(random, 2000, 4));
  Chosen third, all(batch.size());
  std::iota(all.begin(), all.end(), 0u);
  for (uint32_t i = 0; i < batch.size(); i += 3) third.push_back(i);
  const Pointers inserted = tables->insert(batch, third);
  const Pointers found = tables->find(batch, all), found_third = tables->find(batch, third);
  EXPECT_EQ(tables->items(), third.size());
  for (uint32_t i = 0; i < batch.size(); ++i) {
    const bool chosen = std::binary_search(third.begin(), third.end(), i);
    EXPECT_EQ(inserted[i] != AnyTables::kUntouched, chosen);
    EXPECT_EQ(found[i], chosen ? inserted[i] : hash::kNullPointer);
    EXPECT_EQ(found_third[i], inserted[i]);
  }
}

TEST_P(Tables, PointersStayWhileATableOutgrowsItsBuckets) {
  Random random(6);
  for (uint32_t words : {2u, 9u}) {
    const auto tables = make();
    const auto batches = in_batches(unique_items(random, 60000, words), {10, 990, 29000, 30000});
    std::vector<Pointers> pointers;
    uint64_t buckets = 0;
    for (const Batch& batch : batches) {
      pointers.push_back(tables->insert_all(batch));
      EXPECT_GE(tables->memory().at(0).buckets, buckets);
      if (pointers.size() == 1) buckets = tables->memory().at(0).buckets;
    }
    EXPECT_GT(tables->memory().at(0).buckets, buckets);
    Pointers all;
    for (size_t i = 0; i < batches.size(); ++i) {
      EXPECT_EQ(tables->find_all(batches[i]), pointers[i]);
      expect_items_at(*tables, batches[i], pointers[i]);
      all.insert(all.end(), pointers[i].begin(), pointers[i].end());
    }
    EXPECT_TRUE(all_different(all));
    EXPECT_EQ(tables->find_all(Batch(unique_items(random, 5000, words))), no_pointers(5000));
  }
}

TEST_P(Tables, ItemsThatDifferInOneWordOnlyAreToldApart) {
  for (uint32_t words : {2u, 3u, 5u, 10u})
    for (uint32_t differs : {0u, 1u, words - 1}) {
      const auto tables = make();
      std::vector<Item> items;
      for (uint32_t i = 0; i < 2000; ++i) {
        items.emplace_back(words, UINT32_MAX);  // such as a leaf that is completely filled
        items.back()[differs] = i;
      }
      insert_in_batches(*tables, in_batches(items, {5, 995, 1000}));
    }
}

TEST_P(Tables, OneOfTheFirstTwoWordsMayBeZero) {
  for (uint32_t words : {2u, 3u, 10u})
    for (uint32_t zero : {0u, 1u}) {
      const auto tables = make();
      std::vector<Item> items;
      for (uint32_t i = 1; i <= 1000; ++i) {
        items.emplace_back(words, 0);
        items.back()[1 - zero] = i;
      }
      insert_in_batches(*tables, in_batches(items, {3, 497, 500}));
    }
}

// Inserts items whose hashes all lead to one bucket. The low halves of the hashes, from which fingerprints
// are made, have `low_halves` different values.
void fill_one_bucket(AnyTables& tables, uint32_t words, uint32_t low_halves) {
  Random random(7);
  Batch batch, later, absent;
  uint32_t i = 0;
  for (const Item& item : unique_items(random, 4000, words)) {
    const uint64_t hash = uint64_t{0xabcd1234} << 32 | i++ % low_halves;
    (i % 10 == 0 ? absent : i % 10 < 6 ? batch : later).add(item, hash);
  }
  insert_in_batches(tables, {batch, later});
  EXPECT_EQ(tables.find_all(absent), no_pointers(absent.size()));
}

TEST_P(Tables, OneBucketHoldsThousandsOfItems) {
  for (uint32_t words : {2u, 3u, 10u}) fill_one_bucket(*make(), words, UINT32_MAX);
}

TEST_P(Tables, OneBucketHoldsThousandsOfItemsWithTheSameHash) {
  for (uint32_t words : {2u, 7u}) fill_one_bucket(*make(), words, 1);
}

TEST_P(Tables, HashesOfAllBitsAreFine) {
  const auto tables = make();
  Random random(8);
  Batch batch;
  for (const Item& item : unique_items(random, 1000, 4))
    batch.add(item, std::array{uint64_t{0}, UINT64_MAX, uint64_t{UINT32_MAX}, uint64_t{255},
                               UINT64_MAX << 32}[batch.size() % 5]);
  insert_in_batches(*tables, {batch});
}

TEST_P(Tables, WhatOneInsertsWithGrowthExpectedIsFound) {
  const auto tables = make();
  Random random(9);
  tables->expect_growth(20);
  insert_in_batches(*tables, in_batches(unique_items(random, 3000, 6), {100, 900, 2000}));
}

TEST_P(Tables, CountingTheSectorsTouchedFindsTheSame) {
  const auto tables = make();
  Random random(10);
  const auto batches = in_batches(unique_items(random, 6000, 6), {3000, 3000});
  const auto inserted = tables->insert_counted(batches[0]);
  expect_items_at(*tables, batches[0], inserted.pointers);
  const auto found = tables->find_counted(batches[0]), absent = tables->find_counted(batches[1]);
  EXPECT_EQ(found.pointers, inserted.pointers);
  EXPECT_EQ(absent.pointers, no_pointers(3000));
  // A search touches at least a bucket's head, a slab and an item in it; a slab has fewer than 100 sectors.
  for (const auto& counted : {inserted, found}) {
    EXPECT_GE(counted.sectors, 3 * 3000u);
    EXPECT_LE(counted.sectors, 100 * 8 * 3000u);
  }
  EXPECT_GE(absent.sectors, 2 * 3000u);
}

}  // namespace
}  // namespace vox
