#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/device/cpu_device.h"
#include "libvox/device/devices.h"
#include "libvox/device/handle.h"
#include "libvox/device/pool.h"
#include "libvox/device/profiler.h"
#include "libvox/engine/engine.h"
#include "tests/common/test_engine.h"
#include "tests/device/primitives_impl.h"

namespace vox {
namespace {

// held: blocks that the system has given and not got back; allocations: all blocks that it has given.
std::atomic<int> held = 0, allocations = 0;
std::atomic<bool> exhausted = false;
std::vector<uint64_t> shrunk_to;

void* counted_allocate(void*, uint64_t bytes) {
  if (exhausted) return nullptr;
  ++held;
  ++allocations;
  return std::aligned_alloc(256, bytes);
}

void counted_release(void*, void* block) {
  --held;
  std::free(block);
}

class PoolTest : public testing::Test {
 protected:
  void SetUp() override {
    held = allocations = 0;
    shrunk_to.clear();
    exhausted = false;
  }
  device::Pool::Backend backend_ = {counted_allocate, counted_release,
                                    [](void*, uint64_t bytes) { shrunk_to.push_back(bytes); }};
};

TEST_F(PoolTest, BlocksAreAlignedAndDistinctAndGivenBackAtTheEnd) {
  {
    device::Pool pool(backend_, nullptr, 1 << 20);
    std::set<void*> blocks;
    for (uint64_t bytes : {0, 1, 255, 256, 257, 5000}) {
      void* block = pool.allocate(bytes);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 256, 0u);
      EXPECT_TRUE(blocks.insert(block).second);
    }
    for (void* block : blocks) pool.release(block);
    EXPECT_EQ(pool.used(), 0u);
  }
  EXPECT_EQ(held, 0);
}

TEST_F(PoolTest, UseStaysBelowTheLimit) {
  device::Pool pool(backend_, nullptr, 4096);
  std::vector<void*> blocks;
  EXPECT_EQ(pool.limit(), 4096u);
  for (uint64_t i = 1; i <= 4; ++i) {
    blocks.push_back(pool.allocate(1024));
    EXPECT_EQ(pool.used(), i * 1024);
    EXPECT_EQ(pool.available(), 4096 - i * 1024);
  }
  EXPECT_THROW(pool.allocate(1), OutOfMemory);
  EXPECT_EQ(pool.used(), 4096u);
  pool.release(blocks.back());
  blocks.back() = pool.allocate(1024);
  for (void* block : blocks) pool.release(block);
}

std::string refusal(device::Pool& pool, uint64_t bytes) {
  try {
    pool.release(pool.allocate(bytes));
    return "";
  } catch (const OutOfMemory& error) {
    return error.what();
  }
}

TEST_F(PoolTest, OutOfMemoryNamesWhatWasAskedAndWhatIsAvailable) {
  device::Pool pool(backend_, nullptr, 4 << 20);
  device::Buffer<char> part(pool, 1 << 20);
  const std::string text = refusal(pool, 8 << 20);
  EXPECT_NE(text.find("8.00 MiB"), std::string::npos) << text;
  EXPECT_NE(text.find("3.00 MiB"), std::string::npos) << text;
  exhausted = true;  // the system has less than the limit permits
  EXPECT_NE(refusal(pool, 2 << 20).find("2.00 MiB"), std::string::npos);
  EXPECT_EQ(pool.used(), 1u << 20);
}

TEST_F(PoolTest, SizesThatWrapAroundWhenRoundedUpAreRefused) {
  device::Pool pool(backend_, nullptr, 1 << 20);
  EXPECT_NE(refusal(pool, UINT64_MAX), "");
  EXPECT_NE(refusal(pool, UINT64_MAX - 1000), "");
  EXPECT_NE(refusal(pool, uint64_t{1} << 63), "");
}

TEST_F(PoolTest, ABlockOfAboutTheSameSizeIsReused) {
  device::Pool pool(backend_, nullptr, 1 << 20);
  void* block = pool.allocate(10000);
  pool.release(block);
  EXPECT_EQ(pool.used(), 0u);
  EXPECT_EQ(pool.allocate(9900), block);
  EXPECT_EQ(allocations, 1);
  pool.release(block);
  EXPECT_EQ(pool.allocate(8500), block);  // takes all of the block
  EXPECT_EQ(pool.used(), 10240u);
  EXPECT_EQ(pool.peak(), 10240u);
  pool.release(block);

  void* small = pool.allocate(1000);  // so much smaller that it must not take the large block
  EXPECT_NE(small, block);
  EXPECT_EQ(allocations, 2);
  pool.release(small);
}

TEST_F(PoolTest, KeptBlocksMakeRoomForOthersWhenTheLimitIsReached) {
  device::Pool pool(backend_, nullptr, 8192);
  void* first = pool.allocate(1024);
  void* second = pool.allocate(2048);
  pool.release(first);
  pool.release(second);
  void* large = pool.allocate(7000);
  EXPECT_EQ(held, 1);
  EXPECT_EQ(pool.used(), 7168u);
  EXPECT_EQ(pool.peak(), 7168u);
  // Memory that the device's allocator keeps counts too, except for the part within the limit.
  EXPECT_EQ(shrunk_to, std::vector<uint64_t>{8192 - 7168});
  pool.release(large);
}

TEST_F(PoolTest, WhatTheAllocatorKeepsIsGivenUpBeforeABlockIsRefused) {
  const device::Pool::Backend keeping = {counted_allocate, counted_release,
                                         [](void*, uint64_t bytes) { exhausted = bytes > 0; }};
  device::Pool pool(keeping, nullptr, 1 << 20);
  exhausted = true;
  EXPECT_EQ(refusal(pool, 1024), "");
}

TEST_F(PoolTest, PeakCountsKeptBlocksUntilTheyAreTrimmed) {
  device::Pool pool(backend_, nullptr, 1 << 20);
  pool.release(pool.allocate(65536));
  EXPECT_EQ(pool.peak(), 65536u);
  void* small = pool.allocate(1024);
  EXPECT_EQ(pool.used(), 1024u);
  EXPECT_EQ(pool.peak(), 65536u + 1024u);
  EXPECT_EQ(held, 2);
  pool.trim();
  EXPECT_EQ(held, 1);  // the block in use stays
  pool.release(small);
  pool.trim();
  EXPECT_EQ(held, 0);
  EXPECT_EQ(pool.peak(), 65536u + 1024u);
  pool.restart_peak();
  EXPECT_EQ(pool.peak(), 0u);
  pool.release(pool.allocate(2048));
  pool.restart_peak();
  EXPECT_EQ(pool.peak(), 2048u);  // the kept block is held
}

TEST_F(PoolTest, ABufferGivesItsBlockBackAndHandsItOnWhenMoved) {
  device::Pool pool(backend_, nullptr, 1 << 20);
  {
    device::Buffer<uint64_t> buffer(pool, 128);
    EXPECT_EQ(buffer.size(), 128u);
    EXPECT_EQ(pool.used(), 1024u);
    uint64_t* data = buffer.data();

    device::Buffer<uint64_t> moved(std::move(buffer));
    EXPECT_EQ(moved.data(), data);
    EXPECT_EQ(moved.size(), 128u);
    EXPECT_EQ(buffer.data(), nullptr);  // NOLINT(bugprone-use-after-move): this state is guaranteed
    EXPECT_EQ(buffer.size(), 0u);       // NOLINT

    device::Buffer<uint64_t> target(pool, 256);
    target = std::move(moved);  // frees its own
    EXPECT_EQ(target.data(), data);
    EXPECT_EQ(pool.used(), 1024u);

    device::Buffer<uint64_t> other(pool, 32);
    target.swap(other);
    EXPECT_EQ(other.data(), data);
    EXPECT_EQ(target.size(), 32u);
    target.reset();
    EXPECT_EQ(pool.used(), 1024u);
  }
  EXPECT_EQ(pool.used(), 0u);
}

TEST_F(PoolTest, ThreadsNeverShareABlock) {
  device::Pool pool(backend_, nullptr, 1 << 20);
  std::atomic<int> shared = 0;
  std::vector<std::thread> threads;
  for (uint64_t thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (uint64_t round = 0; round < 500; ++round) {
        std::vector<device::Buffer<uint64_t>> mine;
        for (uint64_t i = 0; i < 4; ++i) {
          mine.emplace_back(pool, 32 * (1 + (round * 7 + i) % 30));
          for (uint64_t at = 0; at < mine[i].size(); ++at) mine[i].data()[at] = thread << 32 | round << 8 | i;
        }
        for (uint64_t i = 0; i < 4; ++i)
          for (uint64_t at = 0; at < mine[i].size(); ++at)
            if (mine[i].data()[at] != (thread << 32 | round << 8 | i)) ++shared;
        if (round % 100 == 0) pool.trim();
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(shared, 0);
  EXPECT_EQ(pool.used(), 0u);
  pool.trim();
  EXPECT_EQ(held, 0);
}

// Compares and adds up profiles, and checks them against sums by hand.

using KernelList = std::vector<device::KernelTime>;

TEST(KernelTimes, AreWhatCameBetweenTwoLooks) {
  const KernelList before = {{"find", 3, 0.5, 100}, {"split", 1, 0.25, 0}},
                   after = {{"find", 4, 0.75, 120}, {"split", 1, 0.25, 0}, {"nodes", 2, 1, 8}};
  const KernelList between = device::kernels_since(before, after);
  ASSERT_EQ(between.size(), 2u);
  EXPECT_EQ(between[0].name, "nodes");
  EXPECT_EQ(between[1].name, "find");
  EXPECT_EQ(between[1].launches, 1u);
  EXPECT_EQ(between[1].seconds, 0.25);
  EXPECT_EQ(between[1].bytes, 20u);
  EXPECT_EQ(device::seconds_of(between), 1.25);
  EXPECT_EQ(device::seconds_of(between, "find"), 0.25);
  EXPECT_EQ(device::seconds_of(between, "other"), 0);
}

TEST(KernelTimes, OfAProfileAreSumsLongestFirst) {
  device::Profiler profiler(true);
  profiler.add({"find", 10}, 3, 0.5);
  profiler.add({"nodes", 2.5}, 4, 2);
  profiler.add({"find", 10}, 1, 0.25);
  const KernelList rows = profiler.rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "nodes");
  EXPECT_EQ(rows[0].bytes, 10u);
  EXPECT_EQ(rows[1].name, "find");
  EXPECT_EQ(rows[1].launches, 2u);
  EXPECT_EQ(rows[1].seconds, 0.75);
  EXPECT_EQ(rows[1].bytes, 40u);
}

TEST(KernelTimes, AddUpByNameLongestFirst) {
  const KernelList all = device::all_kernels({{{"a", 1, 1, 10}, {"b", 1, 1.5, 0}}, {}, {{"a", 2, 2, 5}}});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "a");
  EXPECT_EQ(all[0].launches, 3u);
  EXPECT_EQ(all[0].seconds, 3);
  EXPECT_EQ(all[0].bytes, 15u);
  EXPECT_EQ(all[1].name, "b");
}

TEST(Devices, AListNamesEachOfThem) {
  EXPECT_TRUE(device::names_several("cpu,cpu"));
  EXPECT_FALSE(device::names_several("cuda:1"));
  EXPECT_EQ(device::listed_devices("cuda:0,1,cpu,cuda:7"),
            (std::vector<std::string>{"cuda:0", "cuda:1", "cpu", "cuda:7"}));
  EXPECT_EQ(device::listed_devices("cpu,cpu"), (std::vector<std::string>{"cpu", "cpu"}));
  EXPECT_EQ(device::listed_devices("cuda,1"), (std::vector<std::string>{"cuda:0", "cuda:1"}));
  for (const char* wrong :
       {"cpu,", ",cpu", "cpu,1", "auto,cpu", "cpu,,cpu", "cuda:0,cuda:0", "cuda,0", "0,1"})
    EXPECT_THROW(device::listed_devices(wrong), UsageError) << wrong;
}

TEST(Devices, OneIsMadeByItsName) {
  EXPECT_EQ(device::make_device({.name = "cpu"})->name(), "cpu");
  EXPECT_EQ(device::make_device({.name = "auto"})->name(), device::gpu_count() > 0 ? "cuda:0" : "cpu");
  for (const char* wrong :
       {"", "gpu", "cpu:0", "cpu,cpu", "cuda:", "cuda:x", "cuda:1x", "cuda:-1", "cuda: 1"})
    EXPECT_THROW(device::make_device({.name = wrong}), UsageError) << wrong;
  EXPECT_THROW(device::make_device({.name = "cuda:999"}), Error);
}

}  // namespace

// Compares the primitives of the device that VOX_TEST_DEVICE names with plain loops.

namespace {

// The sizes are no element, one, numbers around a group of lanes, and more than one block of any loop.
class Primitives : public testing::TestWithParam<uint64_t> {
 protected:
  static PrimitiveResults run(uint64_t n) {
    const auto engine = test_engine();
    return device::with_device(engine->handle(), [&](auto& device) { return run_primitives(device, n); });
  }

  uint64_t n_ = GetParam();
  PrimitiveResults results_ = run(n_);
};

INSTANTIATE_TEST_SUITE_P(Sizes, Primitives, testing::Values(0, 1, 31, 32, 33, (1 << 20) + 1));

TEST_P(Primitives, LoopsVisitEachIndexOnce) {
  EXPECT_EQ(results_.visits, std::vector<uint32_t>(n_, 1));
  EXPECT_EQ(results_.group_visits, std::vector<uint32_t>(n_, 1));
}

TEST_P(Primitives, TheThreadsOfABlockSeeWhatTheOthersWroteToSharedMemory) {
  ASSERT_EQ(results_.blocks.size(), n_ / kTestBlockStep + 1);
  for (uint64_t b = 0; b < results_.blocks.size(); ++b) {
    TestBlock expected = {.reversed_sum = 0, .kept = 0, .any_kept = 0, .once = 1};
    const uint32_t count = test_block_count(b);
    for (uint32_t j = 0; j < count; ++j) {
      const uint64_t i = b * kTestBlockStep + j;
      expected.reversed_sum += TestValues::small(i) * (count - 1 - j);
      expected.kept += TestValues::kept(i) ? 1 : 0;
    }
    expected.any_kept = expected.kept > 0 ? 1 : 0;
    ASSERT_EQ(results_.blocks[b], expected) << b;
  }
}

// Returns the indices of the elements, sorted by the low bits of their values; equal ones keep their order.
std::vector<uint32_t> sorted_indices(uint64_t n, uint32_t bits) {
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  std::vector<uint32_t> indices(n);
  std::iota(indices.begin(), indices.end(), 0u);
  std::stable_sort(indices.begin(), indices.end(), [&](uint32_t a, uint32_t b) {
    return (TestValues::value(a) & mask) < (TestValues::value(b) & mask);
  });
  return indices;
}

TEST_P(Primitives, SortsByTheLowBitsAndKeepsTheOrderOfEqualKeys) {
  const std::vector<uint32_t> by_few = sorted_indices(n_, kSortBits),
                              by_many = sorted_indices(n_, kSortBits64);
  EXPECT_EQ(results_.sorted_values, by_few);
  EXPECT_EQ(results_.sorted_values64, by_many);
  EXPECT_EQ(results_.sorted_alone64, results_.sorted_keys64);
  for (uint64_t i = 0; i < n_; ++i) {
    ASSERT_EQ(results_.sorted_keys[i], static_cast<uint32_t>(TestValues::value(by_few[i]))) << i;
    ASSERT_EQ(results_.sorted_keys64[i], TestValues::value(by_many[i])) << i;
  }
}

TEST_P(Primitives, ScansGiveWhatComesBefore) {
  uint64_t sum32 = 0, sum64 = 0;
  for (uint64_t i = 0; i <= n_; ++i) {
    ASSERT_EQ(results_.scan32[i], sum32) << i;
    ASSERT_EQ(results_.scan64[i], sum64) << i;
    if (i < n_) sum32 += TestValues::small(i), sum64 += TestValues::value(i) >> 8;
  }
  EXPECT_EQ(results_.scan32_total, sum32);
  EXPECT_EQ(results_.scan64_total, sum64);
}

TEST_P(Primitives, SelectsInAscendingOrder) {
  std::vector<uint32_t> kept;
  for (uint64_t i = 0; i < n_; ++i)
    if (TestValues::kept(i)) kept.push_back(static_cast<uint32_t>(i));
  EXPECT_EQ(results_.selected, kept);
}

TEST_P(Primitives, ScattersEachValueToItsPlace) {
  std::vector<uint32_t> placed(n_);
  for (uint64_t i = 0; i < n_; ++i) placed[TestValues::place(i, n_)] = TestValues::small(i);
  EXPECT_EQ(results_.scattered, placed);
}

TEST_P(Primitives, SumsAndHistogramsCountEachElementOnce) {
  uint64_t sum = 0;
  std::vector<uint64_t> counts(kTestBins);
  for (uint64_t i = 0; i < n_; ++i) sum += TestValues::value(i) >> 32, ++counts[TestValues::small(i)];
  EXPECT_EQ(results_.sum, sum);
  EXPECT_EQ(results_.histogram, counts);
}

TEST_P(Primitives, FillsAndCopies) {
  EXPECT_EQ(results_.filled, std::vector<uint16_t>(n_, kTestFill));
  EXPECT_EQ(results_.copied, std::vector<uint16_t>(n_, kTestFill));
}

}  // namespace
}  // namespace vox
