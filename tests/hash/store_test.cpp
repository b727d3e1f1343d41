// Tests DagStore: equal items that are interned have one pointer, for every variant.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_set>

#include "libvox/device/cpu_device.h"
#include "libvox/hash/slab/table_ref.h"
#include "libvox/hash/slab/tables.h"
#include "tests/common/random.h"
#include "tests/hash/any_device.h"

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

// An allocator with several superblocks of tiny slabs.
struct Slabs {
  explicit Slabs(uint32_t superblocks) : memory(device), numbers(superblocks), full(superblocks, 0) {
    memory.grow(3, 0, hash::SlabLayout::contiguous(1, 0, 1));  // superblocks of another table
    const uint32_t first = memory.grow(superblocks, 0, hash::SlabLayout::contiguous(4, 1, 1));
    std::iota(numbers.begin(), numbers.end(), first);
  }

  hash::SlabAllocatorRef ref() {
    return {memory.ref(), numbers.data(), full.data(), static_cast<uint32_t>(numbers.size()), &used};
  }
  uint32_t capacity() const { return static_cast<uint32_t>(numbers.size()) * hash::kSlabsPerSuperblock; }

  // Allocates slabs by groups that begin their search anywhere or, without `spread`, all at the same place.
  std::vector<uint32_t> allocate(uint64_t count, bool spread = true) {
    std::vector<uint32_t> slabs(count);
    device.for_each_group("allocate", count, [&, allocator = ref()](device::CpuGroup group, uint64_t i) {
      slabs[i] = allocator.allocate(group, spread ? static_cast<uint32_t>(mix64(i)) : 0);
    });
    return slabs;
  }

  // A block wrongly marked as full would never be searched again.
  void expect_that_marked_blocks_are_full() const {
    for (uint32_t index = 0; index < numbers.size(); ++index)
      for (uint32_t block = 0; block < hash::kBlocksPerSuperblock; ++block) {
        const uint32_t* bitmap =
            memory.ref().superblocks[numbers[index]].bitmap + block * hash::kBitmapWordsPerBlock;
        if ((full[index] >> block & 1) == 0) continue;
        EXPECT_TRUE(std::all_of(bitmap, bitmap + hash::kBitmapWordsPerBlock,
                                [](uint32_t word) { return word == UINT32_MAX; }));
      }
  }

  device::CpuDevice device{0, false};
  hash::Superblocks<device::CpuDevice> memory;
  std::vector<uint32_t> numbers, full;
  uint32_t used = 0;
};

std::vector<uint32_t> sorted(std::vector<uint32_t> slabs) {
  std::sort(slabs.begin(), slabs.end());
  return slabs;
}

TEST(SlabAllocator, SlabsThatThereIsNoMemoryForAreNotHandedOut) {
  Slabs slabs(1);
  constexpr uint32_t kSlabs = 96;
  const uint32_t number = slabs.memory.grow(1, 0, hash::SlabLayout::contiguous(4, 1, 1), kSlabs);
  slabs.numbers = {number};
  std::vector<uint32_t> all(kSlabs);
  std::iota(all.begin(), all.end(), number * hash::kSlabsPerSuperblock);
  EXPECT_EQ(sorted(slabs.allocate(kSlabs)), all);
}

TEST(SlabAllocator, EverySlabOfItsSuperblocksIsHandedOutOnce) {
  for (uint32_t superblocks : {1u, 4u})
    for (bool spread : {false, true}) {
      Slabs slabs(superblocks);
      std::vector<uint32_t> all(slabs.capacity());
      std::iota(all.begin(), all.end(), slabs.numbers[0] * hash::kSlabsPerSuperblock);
      EXPECT_TRUE(sorted(slabs.allocate(slabs.capacity(), spread)) == all);
      EXPECT_EQ(slabs.used, slabs.capacity());
      slabs.expect_that_marked_blocks_are_full();
    }
}

TEST(SlabAllocator, SlabsAreWhereTheirNumberSaysAndDoNotOverlap) {
  Slabs slabs(2);
  const auto numbers = slabs.allocate(20000);
  for (uint32_t number : numbers) std::fill_n(slabs.memory.ref().slab(number, 4), 4, number);
  for (uint32_t number : numbers) {
    const uint32_t* slab = slabs.memory.ref().slab(number, 4);
    ASSERT_TRUE(std::all_of(slab, slab + 4, [&](uint32_t word) { return word == number; }));
    ASSERT_EQ(slabs.memory.ref().item(number << hash::kSlotBits | 2).head(), slab + 1 + 2);
  }
}

TEST(SlabAllocator, FreedSlabsComeBack) {
  Slabs slabs(2);
  auto held = slabs.allocate(slabs.capacity());
  const std::vector<uint32_t> freed(held.begin(), held.begin() + 3000);
  slabs.device.for_each("free", freed.size(),
                        [&, allocator = slabs.ref()](uint64_t i) { allocator.free(freed[i]); });
  EXPECT_EQ(slabs.used, slabs.capacity() - 3000);
  slabs.expect_that_marked_blocks_are_full();
  EXPECT_EQ(sorted(slabs.allocate(3000)), sorted(freed));
}

TEST(SlabAllocator, AFullBlockIsMarkedAndFoundAgainAfterOneOfItsSlabsIsFree) {
  Slabs slabs(1);
  const hash::SlabAllocatorRef allocator = slabs.ref();
  std::vector<uint32_t> first_block;
  for (uint32_t i = 0; i < hash::kSlabsPerBlock; ++i)
    first_block.push_back(allocator.allocate(device::CpuGroup(), 0));
  const uint32_t begin = slabs.numbers[0] * hash::kSlabsPerSuperblock;
  EXPECT_EQ(*std::max_element(first_block.begin(), first_block.end()), begin + hash::kSlabsPerBlock - 1);
  // This slab is in the second block.
  EXPECT_EQ(allocator.allocate(device::CpuGroup(), 0), begin + hash::kSlabsPerBlock);
  EXPECT_EQ(slabs.full[0], 1u);
  allocator.free(begin + 77);
  EXPECT_EQ(slabs.full[0], 0u);
  EXPECT_EQ(allocator.allocate(device::CpuGroup(), 0), begin + 77);
}

TEST(SlabAllocator, GroupsThatTakeAndGiveBackTheLastSlabsNeverShareOne) {
  Slabs slabs(2);
  const auto held = slabs.allocate(slabs.capacity() - 2);
  std::vector<uint32_t> taken(slabs.capacity(), 0);
  const uint32_t begin = slabs.numbers[0] * hash::kSlabsPerSuperblock;
  uint32_t shared = 0;
  // All groups begin at the same place, so that they collide.
  slabs.device.for_each_group("race", 4000, [&, allocator = slabs.ref()](device::CpuGroup group, uint64_t) {
    const uint32_t slab = allocator.allocate(group, 0);
    // Only the allocator orders these accesses. The thread sanitizer checks that it does.
    if (taken[slab - begin]++ != 0) device::atomic_add(&shared, 1);
    --taken[slab - begin];
    allocator.free(slab);
  });
  EXPECT_EQ(shared, 0u);
  EXPECT_EQ(slabs.used, slabs.capacity() - 2);
  slabs.expect_that_marked_blocks_are_full();
}

TEST(Superblocks, ThatGoLeaveTheOthersInOrderAndTheirNumbersComeAgain) {
  device::CpuDevice device(0, false);
  hash::Superblocks<device::CpuDevice> memory(device);
  const hash::SlabLayout layout = hash::SlabLayout::contiguous(4, 1, 1);
  const uint64_t used = device.pool().used();
  for (uint32_t i = 0; i < 5; ++i) EXPECT_EQ(memory.grow(1, i, layout), i);
  std::vector<uint32_t> marks(memory.pointer_range() / 32);
  for (const uint32_t marked : {0u, 3u}) marks[(marked + 1) * hash::kSlabsPerSuperblock - 1] = 1;
  const auto released = memory.without_marks(marks.data());
  EXPECT_EQ(released, (std::vector<uint32_t>{0, 1, 1, 0, 1}));
  const uint64_t used_by_five = device.pool().used() - used;
  memory.set_order({3, 0});
  memory.release(released);
  EXPECT_EQ(5 * (device.pool().used() - used), 2 * used_by_five);
  EXPECT_EQ(memory.pointer_range(), uint64_t{4} << 19);
  EXPECT_EQ(memory.ref().superblocks[3].index, 0u);
  EXPECT_EQ(memory.ref().superblocks[0].index, 1u);
  EXPECT_EQ(memory.grow(3, 0, layout), 4u);  // with consecutive numbers
  EXPECT_EQ(memory.grow(2, 0, layout), 1u);
  EXPECT_EQ(memory.pointer_range(), uint64_t{7} << 19);
}

TEST(Fingerprints, AreNeverThoseOfAnEmptySlotAndBucketsAreInRange) {
  Random random(4);
  std::unordered_set<uint32_t> bytes;
  for (uint64_t i = 0; i < 10000; ++i) {
    const uint64_t hash = i < 2 ? 0 - i : mix64(i);
    const uint32_t buckets = 1 + random.below(UINT32_MAX);
    EXPECT_LT(hash::bucket_of(hash, buckets), buckets);
    bytes.insert(hash::byte_fingerprint(hash));
  }
  EXPECT_EQ(bytes.size(), 255u);
  EXPECT_EQ(bytes.count(0), 0u);
}

// Tests both ways of finding duplicates inside a batch.

// checked_leaders() returns the leaders of a batch after checking them: equal items, and no others, have the
// same leader, which is one of them and its own leader.
class BatchDuplicates : public testing::TestWithParam<LeaderFinder> {
 protected:
  std::vector<uint32_t> checked_leaders(const Batch& batch);

 private:
  std::unique_ptr<AnyDevice> device_ = make_any_device();
};

std::vector<uint32_t> BatchDuplicates::checked_leaders(const Batch& batch) {
  std::vector<uint32_t> leaders = device_->leaders(batch, GetParam());

  std::map<Item, uint32_t> leader_of;
  for (uint64_t i = 0; i < batch.size(); ++i) {
    const uint32_t leader = leaders[i];
    if (leader >= batch.size()) {
      ADD_FAILURE() << "no leader for " << i;
      return {};
    }
    EXPECT_EQ(leaders[leader], leader);
    EXPECT_EQ(batch.item(leader), batch.item(i));
    EXPECT_EQ(leader_of.emplace(batch.item(i), leader).first->second, leader);
  }
  return leaders;
}

INSTANTIATE_TEST_SUITE_P(Ways, BatchDuplicates,
                         testing::Values(LeaderFinder::OpenAddressing, LeaderFinder::Slabs),
                         [](const auto& info) {
                           return info.param == LeaderFinder::Slabs ? "slabs" : "open_addressing";
                         });

TEST_P(BatchDuplicates, AnEmptyBatchAndASingleItemAreFine) {
  EXPECT_TRUE(checked_leaders({}).empty());
  EXPECT_EQ(checked_leaders(Batch({{1, 2}})), std::vector<uint32_t>{0});
}

TEST_P(BatchDuplicates, ItemsThatAreAllEqualShareOneLeader) {
  const auto leaders = checked_leaders(Batch(std::vector<Item>(20000, Item{7, 0, 9})));
  EXPECT_EQ(leaders, std::vector<uint32_t>(20000, leaders[0]));
}

TEST_P(BatchDuplicates, ItemsThatAreAllDifferentLeadThemselves) {
  Random random(1);
  const auto leaders = checked_leaders(Batch(unique_items(random, 20000, 3)));
  for (uint32_t i = 0; i < 20000; ++i) ASSERT_EQ(leaders[i], i);
}

TEST_P(BatchDuplicates, RandomItemsOfAllSizesAreGroupedByContent) {
  Random random(2);
  Batch batch;
  for (int i = 0; i < 40000; ++i) batch.add(random_item(random, 2 + random.below(9), 2 + random.below(30)));
  checked_leaders(batch);
}

TEST_P(BatchDuplicates, AnItemIsNotTheBeginningOfALongerOne) {
  Batch batch;
  for (uint32_t i = 0; i < 1000; ++i)
    for (uint32_t size = 2; size <= 10; ++size) batch.add(Item(size, 1 + i % 10), 5);  // hashes collide
  checked_leaders(batch);
}

TEST_P(BatchDuplicates, DuplicatesOfABucketWithManySlabsAreFound) {
  Random random(4);
  Batch batch;
  const auto items = unique_items(random, 1000, 5);
  for (int round = 0; round < 3; ++round)
    for (const Item& item : items) batch.add(item, 77);
  checked_leaders(batch);
}

TEST_P(BatchDuplicates, ItemsThatDifferInTheirLastWordOnlyAreToldApart) {
  Batch batch;
  for (uint32_t i = 0; i < 20000; ++i) {
    Item item(10, UINT32_MAX);  // such as a completely filled leaf
    item.back() = i % 500;
    batch.add(item, i % 50);
  }
  checked_leaders(batch);
}

TEST_P(BatchDuplicates, DifferentItemsWithTheSameHashHaveDifferentLeaders) {
  Random random(3);
  Batch batch;
  for (const Item& item : unique_items(random, 300, 4)) {
    batch.add(item, UINT64_MAX);  // in the table's last slot, so the search continues at the first
    batch.add(item, UINT64_MAX);
  }
  checked_leaders(batch);
}

}  // namespace
}  // namespace vox
