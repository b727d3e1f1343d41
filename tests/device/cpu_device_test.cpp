#include "libvox/device/cpu_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <set>
#include <thread>

#include "libvox/base/bits.h"
#include "libvox/base/process.h"
#include "tests/common/random.h"

namespace vox {
namespace {

constexpr uint64_t kMemory = 0;  // as much as the machine has
// The sizes are no element, one, some, an odd number, numbers around one block of the device's loops (2^14),
// and several blocks.
constexpr uint64_t kSizes[] = {0, 1, 2, 37, 511, 16383, 16384, 16385, 100003};

uint32_t small_number(uint64_t i) {
  return static_cast<uint32_t>(mix64(i) % 5);
}

TEST(CpuDevice, EveryIndexIsVisitedOnce) {
  device::CpuDevice device(kMemory, false);
  for (uint64_t n : kSizes) {
    std::vector<uint32_t> visits(n, 0), group_visits(n, 0);
    device.for_each("test", n, [&](uint64_t i) { device::atomic_add(&visits[i], 1); });
    device.for_each_group("test", n,
                          [&](device::CpuGroup, uint64_t i) { device::atomic_add(&group_visits[i], 1); });
    EXPECT_EQ(visits, std::vector<uint32_t>(n, 1));
    EXPECT_EQ(group_visits, std::vector<uint32_t>(n, 1));
  }
}

// Counts the indices for which the loop calls prefetch(), and those that it visits.
struct AskedAhead {
  uint64_t n;
  uint32_t* stages[2];
  uint32_t* visits;
  void prefetch(uint64_t i, int stage) const {
    EXPECT_LT(i, n);
    device::atomic_add(stages[stage] + i, 1);
  }
  void operator()(uint64_t i) const { device::atomic_add(visits + i, 1); }
  void operator()(device::CpuGroup, uint64_t i) const { device::atomic_add(visits + i, 1); }
};
static_assert(device::PrefetchingBody<AskedAhead>);

TEST(CpuDevice, PrefetchIsCalledForIndicesOfTheLoopOnlyAndNoMoreThanOncePerStage) {
  device::CpuDevice device(kMemory, false);
  for (bool groups : {false, true})
    for (uint64_t n : {1, 15, 16, 17, 10007}) {
      std::vector<uint32_t> first(n, 0), second(n, 0), visits(n, 0);
      const AskedAhead body = {n, {first.data(), second.data()}, visits.data()};
      if (groups)
        device.for_each_group("test", n, body);
      else
        device.for_each("test", n, body);
      EXPECT_EQ(visits, std::vector<uint32_t>(n, 1));
      EXPECT_LE(*std::max_element(first.begin(), first.end()), 1u);
      EXPECT_LE(*std::max_element(second.begin(), second.end()), 1u);
      if (n > 10000) {
        EXPECT_GT(std::count(first.begin(), first.end(), 1u), 5000);
      }
    }
}

// Prefetches in three stages, each for the elements that the stage before has requested.
struct AskedInThreeStages {
  static constexpr int kPrefetchStages = 3;
  uint32_t* asked;
  void prefetch(uint64_t i, int stage) const {
    const uint32_t before = device::atomic_or(asked + i, 1u << stage);
    EXPECT_LE(before, (1u << stage) - 1);
  }
  bool operator()(uint64_t i) const { return i % 3 == 0; }
};
static_assert(device::StagedBody<AskedInThreeStages>);

TEST(CpuDevice, ABodySaysInHowManyStagesItIsAskedAheadAlsoWhereIndicesAreSelectedOrScanned) {
  device::CpuDevice device(kMemory, false);
  constexpr uint64_t n = 50007;
  const auto asked_by = [&](const auto& loop) {
    std::vector<uint32_t> asked(n, 0);
    loop(AskedInThreeStages{asked.data()});
    EXPECT_GT(std::count(asked.begin(), asked.end(), 7u), 40000);
  };
  std::vector<uint32_t> out(n + 1);
  asked_by([&](const auto& body) { device.for_each("test", n, body); });
  asked_by([&](const auto& body) { EXPECT_EQ(device.select("test", n, body, out.data()), n / 3); });
  for (uint32_t i = 0; i < n / 3; ++i) ASSERT_EQ(out[i], 3 * i);
  asked_by([&](const auto& body) { EXPECT_EQ(device.exclusive_scan("test", n, body, out.data()), n / 3); });
  for (uint32_t i = 0; i <= n; ++i) ASSERT_EQ(out[i], (i + 2) / 3);
}

TEST(CpuDevice, ExclusiveScanIsTheSumOfWhatComesBefore) {
  device::CpuDevice device(kMemory, false);
  for (uint64_t n : kSizes) {
    std::vector<uint32_t> counts(n), expected(n + 1, 0), scanned(n + 1, 77);
    for (uint64_t i = 0; i < n; ++i) counts[i] = small_number(i);
    std::partial_sum(counts.begin(), counts.end(), expected.begin() + 1);
    EXPECT_EQ(device.exclusive_scan("test", n, small_number, scanned.data()), expected.back());
    EXPECT_EQ(scanned, expected);
  }
}

TEST(CpuDevice, ScansAndSumsReachBeyond32Bits) {
  device::CpuDevice device(kMemory, false);
  constexpr uint64_t n = 40000, each = uint64_t{1} << 31;
  std::vector<uint64_t> scanned(n + 1);
  auto value = [](uint64_t) { return static_cast<uint32_t>(each); };
  EXPECT_EQ(device.exclusive_scan("test", n, value, scanned.data()), n * each);
  for (uint64_t i = 0; i <= n; ++i) ASSERT_EQ(scanned[i], i * each);
  EXPECT_EQ(device.sum("test", n, value), n * each);
}

TEST(CpuDevice, SelectKeepsTheWantedIndicesInOrder) {
  device::CpuDevice device(kMemory, false);
  for (uint64_t n : kSizes)
    for (uint32_t below : {0u, 2u, 5u}) {  // none, some, all
      auto keep = [&](uint64_t i) { return small_number(i) < below; };
      std::vector<uint32_t> all(n), expected, selected(n);
      std::iota(all.begin(), all.end(), 0u);
      std::copy_if(all.begin(), all.end(), std::back_inserter(expected), keep);
      const uint64_t count = device.select("test", n, keep, selected.data());
      ASSERT_EQ(count, expected.size());
      selected.resize(count);
      EXPECT_EQ(selected, expected);
    }
}

TEST(CpuDevice, SumAddsEveryValue) {
  device::CpuDevice device(kMemory, false);
  for (uint64_t n : kSizes) {
    uint64_t expected = 0;
    for (uint64_t i = 0; i < n; ++i) expected += small_number(i);
    EXPECT_EQ(device.sum("test", n, small_number), expected);
  }
}

// All bits of the keys are random, so that a sort that uses more than `bits` of them is noticed.
template <class Key>
void sort_like_the_standard_library(uint64_t n, uint32_t bits, Key different) {
  device::CpuDevice device(kMemory, false);
  const Key mask = static_cast<Key>(~uint64_t{0} >> (64 - bits));
  auto keys = device.make<Key>(n);
  auto values = device.make<uint32_t>(n);
  std::vector<std::pair<Key, uint32_t>> expected(n);
  for (uint32_t i = 0; i < n; ++i) {
    expected[i] = {static_cast<Key>(mix64(mix64(i + bits) % different)), i};
    keys.data()[i] = expected[i].first;
    values.data()[i] = i;
  }
  std::stable_sort(expected.begin(), expected.end(),
                   [&](const auto& a, const auto& b) { return (a.first & mask) < (b.first & mask); });
  device.sort_pairs("test", keys, values, n, bits);
  for (uint64_t i = 0; i < n; ++i) {
    ASSERT_EQ(keys.data()[i], expected[i].first) << "of " << n << ", " << bits << " bits, at " << i;
    ASSERT_EQ(values.data()[i], expected[i].second) << "of " << n << ", " << bits << " bits, at " << i;
  }
}

TEST(CpuDevice, SortPairsOrdersByTheLowBitsAndKeepsTheOrderOfEqualKeys) {
  for (uint64_t n : {0, 1, 2, 1001, 70001}) {
    for (uint32_t bits : {1u, 10u, 11u, 18u, 31u, 32u})
      sort_like_the_standard_library<uint32_t>(n, bits, ~0u);
    for (uint32_t bits : {1u, 10u, 18u, 33u, 54u, 64u})
      sort_like_the_standard_library<uint64_t>(n, bits, ~uint64_t{0});
  }
}

TEST(CpuDevice, SortPairsKeepsTheOrderAmongManyEqualKeys) {
  sort_like_the_standard_library<uint32_t>(50000, 32, 7);
  sort_like_the_standard_library<uint64_t>(50000, 54, 7);
  sort_like_the_standard_library<uint64_t>(50000, 33, 1);
}

TEST(CpuDevice, SortPairsLeavesWhatIsBehindTheFirstN) {
  device::CpuDevice device(kMemory, false);
  auto keys = device.make<uint32_t>(4);
  auto values = device.make<uint32_t>(4);
  const uint32_t unsorted[] = {9, 3, 1, 0};
  device.upload(keys.data(), unsorted, 4);
  device.upload(values.data(), unsorted, 4);
  device.sort_pairs("test", keys, values, 2, 4);
  EXPECT_EQ(std::vector<uint32_t>(keys.data(), keys.data() + 2), (std::vector<uint32_t>{3, 9}));
  EXPECT_EQ(std::vector<uint32_t>(values.data(), values.data() + 2), (std::vector<uint32_t>{3, 9}));
  EXPECT_EQ(keys.size(), 4u);
}

TEST(CpuDevice, WhatIsFilledUploadedAndCopiedIsDownloaded) {
  device::CpuDevice device(kMemory, false);
  for (uint64_t n : kSizes) {
    auto there = device.make<uint64_t>(n + 1), copy = device.make<uint64_t>(n + 1);
    device.fill(there.data(), n + 1, uint64_t{3});
    device.fill(there.data(), n, uint64_t{7} << 40);
    std::vector<uint64_t> back(n + 1), expected(n + 1, uint64_t{7} << 40);
    expected[n] = 3;
    device.download(back.data(), there.data(), n + 1);
    EXPECT_EQ(back, expected);

    std::iota(expected.begin(), expected.end(), uint64_t{1});
    device.upload(there.data(), expected.data(), n + 1);
    device.copy(copy.data(), there.data(), n + 1);
    device.download(back.data(), copy.data(), n + 1);
    device.sync();
    EXPECT_EQ(back, expected);
  }
}

TEST(CpuDevice, AThreadLimitOfOneKeepsTheLoopOnTheCallingThread) {
  device::CpuDevice device(kMemory, false);
  std::set<std::thread::id> threads;
  {
    ThreadLimit limit(1);
    EXPECT_EQ(device.text(), "CPU, 1 thread");
    device.for_each("test", 100000, [&](uint64_t) { threads.insert(std::this_thread::get_id()); });
  }
  EXPECT_EQ(threads, std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST(CpuDevice, TheProfilerCountsLaunchesAndBytesOnlyWhenAsked) {
  device::CpuDevice quiet(kMemory, false), profiled(kMemory, true);
  for (device::CpuDevice* device : {&quiet, &profiled})
    for (uint64_t n : {0, 100}) device->for_each({"work", 8}, n, [](uint64_t) {});
  EXPECT_TRUE(quiet.profiler().rows().empty());
  ASSERT_EQ(profiled.profiler().rows().size(), 1u);
  EXPECT_EQ(profiled.profiler().rows()[0].launches, 2u);
  EXPECT_EQ(profiled.profiler().rows()[0].bytes, 800u);
}

TEST(CpuGroup, ABallotHasTheBitsOfTheLanesThatAgree) {
  device::CpuGroup group;
  EXPECT_EQ(group.ballot([](uint32_t) { return false; }), 0u);
  EXPECT_EQ(group.ballot([](uint32_t) { return true; }), UINT32_MAX);
  EXPECT_EQ(group.ballot([](uint32_t lane) { return lane == 0 || lane == 31; }), 0x80000001u);
  const uint32_t mask = 0x12345678;
  EXPECT_EQ(group.ballot([&](uint32_t lane) { return (mask >> lane & 1) != 0; }), mask);
}

TEST(CpuGroup, LanesHoldWordsOfTheirOwnAndBallotOverThem) {
  const device::CpuGroup group;
  std::vector<uint64_t> words(32);
  for (uint64_t i = 0; i < 32; ++i) words[i] = i << 40;
  const uint64_t* const at = words.data();
  const auto own = group.load_own<32>(at);
  const auto shared = group.load_shared_own<16>(at);
  words[3] = 99;  // shared words were copied
  EXPECT_EQ(group.of_lane(shared, 3), uint64_t{3} << 40);
  EXPECT_EQ(group.of_lane(own, 31), uint64_t{31} << 40);
  const auto odd = [](uint64_t word) { return (word >> 40 & 1) != 0; };
  EXPECT_EQ(group.ballot_of(shared, odd), 0x0000aaaau);  // lanes 16 to 31 have no words
  EXPECT_EQ(group.ballot_of(own, odd), 0xaaaaaaa2u);
}

TEST(CpuGroup, LanesBelowTheCountAreCalledAndOneSpeaksForAll) {
  device::CpuGroup group;
  for (uint32_t count : {0u, 1u, 10u, 32u}) {
    std::vector<uint32_t> calls(32, 0);
    group.each(count, [&](uint32_t lane) { ++calls[lane]; });
    for (uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(calls[lane], lane < count ? 1u : 0u);
  }
  int calls = 0;
  EXPECT_EQ(group.once([&] { return ++calls; }), 1);
  EXPECT_EQ(calls, 1);
}

TEST(CpuGroup, MatchedBytesAreThoseThatALoopFinds) {
  device::CpuGroup group;
  Random random(1);
  for (int round = 0; round < 2000; ++round) {
    const uint32_t values = round % 2 == 0 ? 3 : 256;  // many matches, or few
    uint32_t words[9];                                 // read from an odd word, so not aligned to 16 bytes
    uint32_t bytes[32], *first = words + round % 2;
    for (uint32_t i = 0; i < 32; ++i) bytes[i] = random.below(values) + (256 - values);
    for (uint32_t i = 0; i < 8; ++i)
      first[i] = bytes[4 * i] | bytes[4 * i + 1] << 8 | bytes[4 * i + 2] << 16 | bytes[4 * i + 3] << 24;
    for (uint32_t value : {0u, 127u, 128u, 254u, 255u, bytes[5]}) {
      uint32_t expected = 0;
      for (uint32_t i = 0; i < 32; ++i) expected |= (bytes[i] == value ? 1u : 0u) << i;
      ASSERT_EQ(group.match_bytes(group.load(first, 8), value), expected);
      ASSERT_EQ(group.match_bytes(group.load_shared<8>(first), value), expected);
    }
  }
}

TEST(CpuGroup, MatchedWordsAndPairsAreThoseThatALoopFinds) {
  device::CpuGroup group;
  Random random(2);
  for (int round = 0; round < 2000; ++round) {
    uint32_t words[66], *first = words + round % 2 * 2;
    for (uint32_t& word : words)
      word = std::array{0u, 1u, 0x8000u, 0x80000000u, UINT32_MAX}[random.below(round % 5 + 1)];
    for (uint32_t value : {0u, 1u, UINT32_MAX, words[9]}) {
      uint32_t expected = 0, expected_pairs = 0;
      for (uint32_t i = 0; i < 32; ++i) {
        expected |= (first[i] == value ? 1u : 0u) << i;
        expected_pairs |= (first[2 * i] == value && first[2 * i + 1] == words[3] ? 1u : 0u) << i;
      }
      ASSERT_EQ(group.match_words(group.load(first, 32), value), expected);
      ASSERT_EQ(group.match_words(group.load_shared<32>(first), value), expected);
      ASSERT_EQ(group.match_pairs(group.load_pairs(first), value, words[3]), expected_pairs);
      ASSERT_EQ(group.match_pairs(group.load_shared_pairs(first), value, words[3]), expected_pairs);
      ASSERT_EQ(group.word(group.load_pairs(first), 62), first[62]);
    }
  }
}

TEST(CpuGroup, TheLowestCandidateWithTheItemsWordsIsFound) {
  device::CpuGroup group;
  uint32_t slots[32 * 10], item[10];
  for (uint32_t i = 0; i < 10; ++i) item[i] = i << 24 | i;
  for (uint32_t stride : {2u, 10u})
    for (uint32_t differs = 0; differs < stride; ++differs) {
      for (uint32_t i = 0; i < 32 * stride; ++i) slots[i] = item[i % stride];
      const auto held = group.load(item, stride);
      const auto find = [&](uint32_t candidates, uint32_t begin, uint32_t end) {
        return group.find_equal(candidates, slots, stride, held, begin, end);
      };
      EXPECT_EQ(find(0, 0, stride), device::CpuGroup::kLanes);
      EXPECT_EQ(find(0x80000000, 0, stride), 31u);
      EXPECT_EQ(find(0xff00, 0, stride), 8u);
      slots[8 * stride + differs] ^= 1u << 31;
      EXPECT_EQ(find(0x100, 0, stride), device::CpuGroup::kLanes);
      EXPECT_EQ(find(0xff00, 0, stride), 9u);
      EXPECT_EQ(find(0xff00, 0, differs), 8u);  // bytes outside the range do not count
      EXPECT_EQ(find(0xff00, differs + 1, stride), 8u);
    }
}

TEST(CpuGroup, OnlyTheWordsAskedForAreStored) {
  device::CpuGroup group;
  const uint32_t item[4] = {1, 2, 3, 4};
  uint32_t to[5] = {9, 9, 9, 9, 9};
  group.store(group.load(item, 4), to, 2, 4);
  EXPECT_EQ(std::vector<uint32_t>(to, to + 5), (std::vector<uint32_t>{9, 9, 3, 4, 9}));
}

// Asks for memory as the bodies of loops do. The tests of this room are optimized, without which nothing is dropped.
struct Asking {
  const uint32_t* items;
  const uint32_t* order;
  [[gnu::noinline]] void prefetch(uint64_t i) const { prefetch_line(items + order[i]); }
};
[[gnu::noinline]] void ask_for_two(const Asking& asking) {
  asking.prefetch(0);
  asking.prefetch(1);
}

TEST(Prefetching, IsNotDroppedByTheCompiler) {
#ifndef __x86_64__
  GTEST_SKIP() << "knows the instructions of x86-64 only";
#endif
  constexpr std::array<uint32_t, 2> kOrder = {1, 0};
  ask_for_two({kOrder.data(), kOrder.data()});
  constexpr std::array<uint8_t, 4> kBranchTarget = {0xf3, 0x0f, 0x1e, 0xfa};  // with -fcf-protection
  constexpr uint8_t kReturn = 0xc3;
  const auto* code = reinterpret_cast<const uint8_t*>(&ask_for_two);
  if (std::equal(kBranchTarget.begin(), kBranchTarget.end(), code)) code += kBranchTarget.size();
  EXPECT_NE(*code, kReturn) << "the function is empty";
}

}  // namespace
}  // namespace vox
