#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "libvox/device/cpu_device.h"
#include "libvox/hash/slab/tables.h"

namespace vox {
namespace {

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

}  // namespace
}  // namespace vox
