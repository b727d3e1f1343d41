#include "libvox/hash/accel8.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <unordered_set>

#include "libvox/device/cpu_device.h"
#include "libvox/hash/slab_table.h"
#include "tests/hash/items.h"

namespace vox {
namespace {

using Memory = SlabMemory<CpuDevice>;
using Table = SlabTable<CpuDevice, Accel8>;

std::vector<uint32_t> insert(CpuDevice& device, Table& table, const Batch& batch) {
  table.reserve(batch.size());
  std::vector<uint32_t> pointers(batch.size());
  device.for_each_group("insert", batch.size(), [&, ref = table.ref()](CpuGroup group, uint64_t i) {
    pointers[i] = ref.insert(group, batch.ref().item(i), batch.hashes[i]);
  });
  return pointers;
}

std::vector<uint32_t> find(CpuDevice& device, const Table& table, const Batch& batch) {
  std::vector<uint32_t> pointers(batch.size());
  device.for_each_group("find", batch.size(), [&, ref = table.ref()](CpuGroup group, uint64_t i) {
    pointers[i] = ref.find(group, batch.ref().item(i), batch.hashes[i]);
  });
  return pointers;
}

void expect_items_at(const Memory& memory, const Batch& batch, const std::vector<uint32_t>& pointers) {
  const SlabMemoryRef ref = memory.ref();
  for (uint64_t i = 0; i < batch.size(); ++i) {
    ASSERT_LT(pointers[i], memory.pointer_range());
    ASSERT_TRUE(same_words(ref.item(pointers[i]), batch.ref().item(i), batch.ref().size(i))) << i;
  }
}

bool all_different(std::vector<uint32_t> pointers) {
  std::sort(pointers.begin(), pointers.end());
  return std::adjacent_find(pointers.begin(), pointers.end()) == pointers.end();
}

// Splits unique items into batches, inserts them, and looks after each batch for what is in and what is not.
void insert_in_batches(Table& table, Memory& memory, CpuDevice& device, const std::vector<Item>& items,
                       const std::vector<uint64_t>& batch_sizes) {
  std::vector<Batch> batches;
  std::vector<std::vector<uint32_t>> pointers;
  std::vector<uint32_t> all;
  auto at = items.begin();
  for (uint64_t size : batch_sizes) {
    batches.emplace_back(std::vector<Item>(at, at + static_cast<int64_t>(size)));
    at += static_cast<int64_t>(size);
  }
  for (size_t next = 0; next < batches.size(); ++next) {
    pointers.push_back(insert(device, table, batches[next]));
    all.insert(all.end(), pointers.back().begin(), pointers.back().end());
    ASSERT_TRUE(all_different(all));
    for (size_t i = 0; i < batches.size(); ++i) {
      const auto found = find(device, table, batches[i]);
      if (i <= next) {
        ASSERT_EQ(found, pointers[i]) << "of batch " << i << " after " << next;
        expect_items_at(memory, batches[i], pointers[i]);
      } else {
        ASSERT_EQ(found, std::vector<uint32_t>(found.size(), kNullPointer));
      }
    }
  }
  ASSERT_EQ(table.items(), all.size());
}

TEST(Accel8, ItemsOfAllSizesAreFoundWhereTheyWereInserted) {
  CpuDevice device(0, false);
  Memory memory(device);
  Random random(1);
  for (uint32_t words = 2; words <= 10; ++words) {
    Table table(device, memory, words);
    insert_in_batches(table, memory, device, unique_items(random, 3000, words), {1, 99, 1900, 1000});
  }
}

TEST(Accel8, PointersStayValidWhenTheBucketsAreSpread) {
  CpuDevice device(0, false);
  Memory memory(device);
  Random random(2);
  for (uint32_t words : {2u, 9u}) {
    Table table(device, memory, words);
    const auto items = unique_items(random, 60000, words);
    const std::vector<Item> early(items.begin(), items.begin() + 30000),
        late(items.begin() + 30000, items.end());
    insert_in_batches(table, memory, device, early, {10, 990, 29000});
    const uint32_t buckets = table.ref().bucket_count;
    const Batch early_batch(early), late_batch(late);
    const auto early_pointers = find(device, table, early_batch);
    const auto late_pointers = insert(device, table, late_batch);
    EXPECT_GT(table.ref().bucket_count, buckets);
    EXPECT_EQ(table.ref().bucket_count % buckets, 0u);
    EXPECT_EQ(find(device, table, early_batch), early_pointers);
    EXPECT_EQ(find(device, table, late_batch), late_pointers);
    expect_items_at(memory, early_batch, early_pointers);
    expect_items_at(memory, late_batch, late_pointers);

    auto all = early_pointers;
    all.insert(all.end(), late_pointers.begin(), late_pointers.end());
    EXPECT_TRUE(all_different(all));
  }
}

TEST(Accel8, ItemsThatDifferInTheirLastWordOnlyAreToldApart) {
  CpuDevice device(0, false);
  Memory memory(device);
  for (uint32_t words : {2u, 5u, 10u}) {
    Table table(device, memory, words);
    std::vector<Item> items;
    for (uint32_t i = 0; i < 5000; ++i) {
      items.emplace_back(words, 1);
      items.back().back() = i;
    }
    insert_in_batches(table, memory, device, items, {5, 2495, 2500});
  }
}

// Hashes that lead to one bucket; with one fingerprint, or all.
void fill_one_bucket(uint32_t fingerprints) {
  CpuDevice device(0, false);
  Memory memory(device);
  Table table(device, memory, 3);
  Random random(3);
  Batch batch, absent;
  uint32_t i = 0;
  for (const Item& item : unique_items(random, 2000, 3)) {
    const uint64_t hash = uint64_t{0xabcd1234} << 32 | i++ % fingerprints;
    (i % 10 == 0 ? absent : batch).add(item, hash);
  }
  const auto pointers = insert(device, table, batch);
  EXPECT_TRUE(all_different(pointers));
  EXPECT_EQ(find(device, table, batch), pointers);
  EXPECT_EQ(find(device, table, absent), std::vector<uint32_t>(absent.size(), kNullPointer));
  expect_items_at(memory, batch, pointers);
}

TEST(Accel8, OneBucketHoldsManyItems) {
  fill_one_bucket(UINT32_MAX);
}

TEST(Accel8, OneBucketHoldsManyItemsWithTheSameFingerprint) {
  fill_one_bucket(1);
}

TEST(Accel8, FingerprintsAreNeverThatOfAnEmptySlotAndBucketsAreInRange) {
  Random random(4);
  Accel8::Ref ref = {};
  std::unordered_set<uint32_t> fingerprints;
  for (uint64_t i = 0; i < 10000; ++i) {
    const uint64_t hash = i < 2 ? 0 - i : mix64(i);
    ref.bucket_count = 1 + random.below(UINT32_MAX);
    EXPECT_LT(ref.bucket(hash), ref.bucket_count);
    fingerprints.insert(Accel8::Ref::fingerprint(hash));
  }
  EXPECT_EQ(fingerprints.size(), 255u);
  EXPECT_EQ(fingerprints.count(0), 0u);
}

}  // namespace
}  // namespace vox
