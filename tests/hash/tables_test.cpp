// Tests what every variant guarantees: items are found where they were inserted, at pointers that do not
// change.

#include <map>
#include <set>

#include "tests/hash/any_device.h"

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

// A search for an item that is not stored looks at all slabs of a bucket. The expectation is the mean over all
// buckets. Of the items there, it compares those that look like the wanted one: with fingerprints of 8 bits,
// one of 255.
TEST_P(Tables, CountedSearchesLookAtWholeBucketsAndCompareWhatLooksAlike) {
  constexpr uint32_t kItems = 20000;
  const auto tables = make();
  Random random(12);
  const auto batches = in_batches(unique_items(random, 2 * kItems, 6), {kItems, kItems});
  tables->insert_all(batches[0]);
  const hash::SearchCounts found = tables->find_counted(batches[0]).counts,
                           absent = tables->find_counted(batches[1]).counts;
  EXPECT_EQ(found.searches, kItems);
  EXPECT_EQ(absent.searches, kItems);
  EXPECT_LE(found.slabs, absent.slabs);
  EXPECT_LE(found.false_candidates, absent.false_candidates);
  const hash::TableMemory memory = tables->memory().at(0);
  double slabs = 0;
  for (size_t length = 0; length < memory.chain_lengths.size(); ++length)
    slabs += static_cast<double>(length * memory.chain_lengths[length]);
  const double buckets = static_cast<double>(memory.buckets), items = kItems;
  EXPECT_NEAR(static_cast<double>(absent.slabs) / items, slabs / buckets, 0.05 * slabs / buckets);
  const bool bytes = GetParam() == "accel8" || GetParam() == "sector";
  const double alike = bytes ? items / buckets / 255 : 0;
  EXPECT_NEAR(static_cast<double>(absent.false_candidates) / items, alike, 0.1 * alike);
}

// Compares the memory that tables report with a recount.

using TablesMemory = TablesTest;
VOX_FOR_ALL_TABLES(TablesMemory);

uint64_t rounded_up(uint64_t bytes, uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

// Returns the bytes of a slab by Molenaar & Eisemann 2024, Figure 5, and 0 for variants that are not in it.
uint64_t slab_bytes(const std::string& table, uint64_t item_words) {
  const uint64_t item = 4 * item_words;
  if (table == "atomic64") return rounded_up(31 * 8 + 8 + 31 * (item - 8), 128);
  if (table == "ticket") return 4 + 8 + 32 * item;
  if (table == "accel32") return rounded_up(31 * 4 + 8 + 31 * item, 128);
  if (table == "accel8") return 32 + 8 + 32 * item;
  return 0;
}

uint64_t slots(const std::string& table) {
  return table == "atomic64" || table == "accel32" ? 31 : 32;
}

uint64_t bytes_in_slabs(const hash::TableMemory& memory) {
  return memory.item_bytes + memory.empty_bytes + memory.fingerprint_bytes + memory.link_bytes +
         memory.padding_bytes;
}

// Returns the number of slabs if a bucket takes another one only when all its slabs are full.
uint64_t fewest_slabs(const Batch& batch, const hash::TableMemory& memory, uint64_t slots_each) {
  std::map<uint32_t, uint64_t> items;  // the number of items in each bucket
  for (uint64_t i = 0; i < batch.size(); ++i)
    if (batch.words_of(i) == memory.item_words)
      ++items[hash::bucket_of(batch.hashes[i], static_cast<uint32_t>(memory.buckets))];
  uint64_t slabs = 0;
  for (const auto& [bucket, count] : items) slabs += (count + slots_each - 1) / slots_each;
  return slabs;
}

// Recounts the memory of a table whose buckets have never been split.
void expect_recounted(const std::string& table, const hash::TableMemory& memory, const Batch& batch,
                      const Pointers& pointers_of_all) {
  Pointers pointers;
  for (uint64_t i = 0; i < batch.size(); ++i)
    if (batch.words_of(i) == memory.item_words) pointers.push_back(pointers_of_all[i]);
  EXPECT_EQ(memory.items, pointers.size());
  EXPECT_EQ(memory.item_bytes, pointers.size() * memory.item_words * 4);
  EXPECT_EQ(memory.total_bytes(), bytes_in_slabs(memory) + memory.bucket_bytes);
  EXPECT_EQ(memory.allocated_bytes(), memory.total_bytes() + memory.bitmap_bytes + memory.slack_bytes);
  // The buckets of `sector` are lines themselves and not pointers to slabs.
  EXPECT_EQ(memory.bucket_bytes, table == "sector" ? 0 : memory.buckets * 4);
  uint64_t buckets = 0, slabs = 0;
  for (size_t length = 0; length < memory.chain_lengths.size(); ++length) {
    buckets += memory.chain_lengths[length];
    slabs += length * memory.chain_lengths[length];
  }
  EXPECT_EQ(buckets, memory.buckets);
  EXPECT_EQ(slabs, memory.slabs);
  if (slab_bytes(table, memory.item_words) == 0) return;

  std::set<uint32_t> slabs_of_items;
  for (uint32_t pointer : pointers) slabs_of_items.insert(pointer >> hash::kSlotBits);
  EXPECT_EQ(memory.slabs, slabs_of_items.size());
  EXPECT_EQ(memory.slabs, fewest_slabs(batch, memory, slots(table)));
  EXPECT_EQ(bytes_in_slabs(memory), slabs_of_items.size() * slab_bytes(table, memory.item_words));
  EXPECT_EQ(memory.empty_bytes,
            (slabs_of_items.size() * slots(table) - pointers.size()) * memory.item_words * 4);
  EXPECT_EQ(memory.link_bytes, slabs_of_items.size() * 8);
  const uint64_t slabs_allocated =
      (memory.slabs * slab_bytes(table, memory.item_words) + memory.slack_bytes) /
      slab_bytes(table, memory.item_words);
  EXPECT_GE(slabs_allocated, memory.slabs);
  EXPECT_GE(memory.bitmap_bytes, slabs_allocated / 8);
}

TEST_P(TablesMemory, ItsPartsAgreeWithARecountOfItemsSlabsAndBuckets) {
  Random random(1);
  const auto tables = make();
  std::vector<Item> items;
  hash::SizeCounts counts = {};
  for (uint32_t words = hash::kMinItemWords; words <= hash::kMaxItemWords; ++words) {
    counts[words] = 300 * words;
    for (const Item& item : unique_items(random, counts[words], words)) items.push_back(item);
  }
  tables->expect(counts);
  const Batch batch(items);
  const Pointers pointers = tables->insert_all(batch);
  const std::vector<hash::TableMemory> memory = tables->memory();
  ASSERT_EQ(memory.size(), hash::kMaxItemWords - hash::kMinItemWords + 1);
  for (const hash::TableMemory& one : memory) {
    EXPECT_EQ(one.items, counts[one.item_words]);
    expect_recounted(GetParam(), one, batch, pointers);
  }
}

TEST_P(TablesMemory, ExpectedItemsGetOneBucketForEveryLoadFactorOfThem) {
  Random random(2);
  for (uint32_t load_factor : {1u, 16u, 96u, 512u}) {
    const auto tables = make({.load_factor = load_factor});
    hash::SizeCounts counts = {};
    counts[6] = 5000;
    tables->expect(counts);
    const auto items = unique_items(random, 5000, 6);
    insert_in_batches(*tables, in_batches(items, {4000, 1000}));
    const hash::TableMemory memory = tables->memory().at(0);
    EXPECT_EQ(memory.buckets, (5000 + load_factor - 1) / load_factor);
    const Batch all(items);
    expect_recounted(GetParam(), memory, all, tables->find_all(all));
  }
}

TEST_P(TablesMemory, AfterGrowthEveryBucketIsStillCountedOnce) {
  Random random(3);
  const auto tables = make({.load_factor = 8});
  for (const Batch& batch : in_batches(unique_items(random, 20000, 4), {1000, 19000}))
    tables->insert_all(batch);
  const hash::TableMemory memory = tables->memory().at(0);
  EXPECT_EQ(std::accumulate(memory.chain_lengths.begin(), memory.chain_lengths.end(), uint64_t{0}),
            memory.buckets);
  EXPECT_EQ(memory.items, 20000u);
}

TEST_P(TablesMemory, WhereManyBatchesAreToldOfFewBucketsNeedOverflowSectors) {
  if (GetParam() != "sector") GTEST_SKIP() << "slabs are as large as they are, whatever is to come";
  constexpr uint64_t kBatches = 40, kEach = 500;
  Random random(5);
  const auto tables = make({.load_factor = 16});
  const auto batches =
      in_batches(unique_items(random, kBatches * kEach, 4), std::vector<uint64_t>(kBatches, kEach));
  for (uint64_t i = 0; i < kBatches; ++i) {
    const auto done = static_cast<double>(i + 1);
    tables->expect_growth(1 + 0.5 * (kBatches - done) / done);
    tables->insert_all(batches[i]);
    const hash::TableMemory memory = tables->memory().at(0);
    EXPECT_LE(memory.slabs - memory.buckets, memory.buckets / 2) << i;
    EXPECT_LE(memory.empty_bytes, 4 * memory.item_bytes) << i;  // places kept free for future items
  }
  for (const Batch& batch : batches) expect_items_at(*tables, batch, tables->find_all(batch));
}

TEST_P(TablesMemory, WhatIsTakenGrowsWithWhatIsStoredWhichStaysWhereItIs) {
  // Slab tables take whole superblocks at once; `sector` takes parts of the first one.
  const uint64_t at_least = GetParam() == "sector" ? uint64_t{1} << 18 : uint64_t{1} << 24;
  static const std::vector<Batch> batches = [] {  // for all tables
    Random random(4);
    return in_batches(unique_items(random, 900000, 3), {10, 8000, 20000, 71990, 200000, 600000});
  }();
  const auto tables = make();
  Pointers first;
  uint64_t items = 0;
  for (const Batch& batch : batches) {
    const Pointers pointers = tables->insert_all(batch);
    items += batch.size();
    const hash::TableMemory memory = tables->memory().at(0);
    EXPECT_EQ(memory.items, items);
    EXPECT_LT(memory.allocated_bytes(), at_least + 5 * memory.item_bytes);
    if (first.empty()) first = pointers;
    expect_items_at(*tables, batch, pointers);
    expect_items_at(*tables, batches[0], first);
  }
  for (const Batch& batch : batches) expect_items_at(*tables, batch, tables->find_all(batch));
}

TEST_P(TablesMemory, OnlySizesThatHaveItemsAreListed) {
  const auto tables = make();
  tables->insert_all(Batch({{1, 2, 3}, {1, 2, 3, 4, 5, 6, 7}}));
  const auto memory = tables->memory();
  ASSERT_EQ(memory.size(), 2u);
  EXPECT_EQ(memory[0].item_words, 3u);
  EXPECT_EQ(memory[1].item_words, 7u);
}

}  // namespace
}  // namespace vox
