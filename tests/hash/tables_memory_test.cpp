// Compares the memory that tables report with a recount.
#include <map>
#include <set>

#include "tests/hash/tables_fixture.h"

namespace vox {
namespace {

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
  Random random(4);
  const auto tables = make();
  Pointers first;
  const auto batches = in_batches(unique_items(random, 900000, 3), {10, 8000, 20000, 71990, 200000, 600000});
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
