// Tests that the benchmark of the hash tables notices a wrong table, and that its items are as it claims.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "libvox/base/error.h"
#include "libvox/device/cpu_device.h"
#include "libvox/measure/hash_bench_impl.h"

namespace vox {
namespace {

// A table whose pointers are indices of an array.
struct ArrayTables {
  struct Memory {
    const uint32_t* words;
    uint32_t item_words;
    hash::ItemRef item(uint32_t pointer) const { return words + uint64_t{pointer} * item_words; }
  };
  Memory memory;
  uint64_t items;
  Memory memory_ref() const { return memory; }
  uint64_t pointer_range() const { return items; }
};

class BenchCheck : public testing::Test {
 protected:
  static constexpr uint32_t kWords = 5;
  static constexpr uint64_t kStored = 300, kSearched = 1000;

  // Items 1 to kStored are at pointers 0 to kStored - 1. SetUp() also makes the results of a correct search.
  void SetUp() override {
    stored_words_ = items(measure::bench::Consecutive{1}, kStored);
    searched_words_ = items(numbers_, kSearched);
    for (uint64_t i = 0; i < kSearched; ++i) {
      const uint64_t number = numbers_(i);
      pointers_.push_back(number <= kStored ? static_cast<uint32_t>(number - 1) : hash::kNullPointer);
    }
  }

  template <class Numbers>
  static std::vector<uint32_t> items(const Numbers& numbers, uint64_t n) {
    std::vector<uint32_t> words(n * kWords);
    for (uint64_t i = 0; i < n; ++i)
      measure::bench::write_item(numbers(i), kWords, words.data() + i * kWords);
    return words;
  }

  measure::SearchOutcome outcome(uint64_t stored = kStored) {
    const ArrayTables tables = {{stored_words_.data(), kWords}, kStored};
    return measure::search_outcome(device_, tables, stored, numbers_,
                                   hash::BatchRef{searched_words_.data(), nullptr, nullptr, kWords},
                                   kSearched, pointers_.data());
  }
  uint64_t first(bool stored) const {
    uint64_t i = 0;
    while ((pointers_[i] != hash::kNullPointer) != stored) ++i;
    return i;
  }

  device::CpuDevice device_{0, false};
  measure::bench::RandomHits numbers_ = {kStored, kStored + 1, 50, 3};
  std::vector<uint32_t> stored_words_, searched_words_, pointers_;
};

TEST_F(BenchCheck, AcceptsACorrectSearch) {
  EXPECT_NO_THROW(measure::check_search("search", outcome()));
  EXPECT_EQ(outcome().wrong, 0u);
  EXPECT_GT(outcome().hits, 0u);
}

TEST_F(BenchCheck, RefusesACorrectSearchWhereAnotherNumberOfHitsIsExpected) {
  for (const uint64_t stored : {kStored - 50, kStored + 50})
    EXPECT_THROW(measure::check_search("search", outcome(stored)), Error);
  measure::SearchOutcome counts = outcome();
  counts.expected_hits += 1;
  EXPECT_THROW(measure::check_search("search", counts), Error);
}

TEST_F(BenchCheck, NoticesOneItemThatWasMissed) {
  pointers_[first(true)] = hash::kNullPointer;
  EXPECT_EQ(outcome().hits + 1, outcome().expected_hits);
  EXPECT_THROW(measure::check_search("search", outcome()), Error);
}

TEST_F(BenchCheck, NoticesOneItemThatIsNotStored) {
  pointers_[first(false)] = 0;
  EXPECT_THROW(measure::check_search("search", outcome()), Error);
}

TEST_F(BenchCheck, NoticesOneFoundAndOneMissedThoughTheNumberIsRight) {
  pointers_[first(true)] = hash::kNullPointer;
  pointers_[first(false)] = 0;
  EXPECT_EQ(outcome().hits, outcome().expected_hits);
  EXPECT_THROW(measure::check_search("search", outcome()), Error);
}

TEST_F(BenchCheck, NoticesAPointerToAnotherItemOrToNone) {
  const uint64_t at = first(true);
  const uint32_t right = pointers_[at];
  for (const uint32_t wrong : {(right + 1) % static_cast<uint32_t>(kStored), static_cast<uint32_t>(kStored),
                               hash::kNullPointer - 1}) {
    pointers_[at] = wrong;
    EXPECT_EQ(outcome().wrong, 1u);
    EXPECT_THROW(measure::check_search("search", outcome()), Error);
  }
}

TEST_F(BenchCheck, NoticesLeadersThatAreNone) {
  const measure::bench::RandomCopies numbers = {kSearched, 50};
  const auto check = [&](const std::vector<uint32_t>& leaders) {
    measure::check_leaders(device_, "duplicates", numbers, kSearched, leaders.data());
  };
  std::vector<uint32_t> right(kSearched);
  uint64_t copy = 0;
  for (uint32_t i = 0; i < kSearched; ++i) {
    right[i] = 0;
    while (numbers(right[i]) != numbers(i)) ++right[i];
    if (right[i] != i) copy = i;
  }
  ASSERT_GT(copy, 0u);
  EXPECT_NO_THROW(check(right));
  std::vector<uint32_t> alone = right, elsewhere = right, outside = right, follower = right;
  alone[copy] = static_cast<uint32_t>(copy);  // an item that equals a leader leads, too
  elsewhere[copy] = right[copy] == 0 ? 1 : 0;
  outside[copy] = kSearched;
  follower[right[copy]] = static_cast<uint32_t>(copy);
  for (const auto& wrong : {alone, elsewhere, outside, follower}) EXPECT_THROW(check(wrong), Error);
}

TEST(BenchItems, DifferInTheirFirstTwoWordsWhichAreNeverBothZero) {
  for (uint32_t words = hash::kMinItemWords; words <= hash::kMaxItemWords; ++words) {
    std::set<std::pair<uint32_t, uint32_t>> seen = {{0, 0}};
    for (uint64_t number = 1; number <= 5000; ++number) {
      std::vector<uint32_t> item(words + 1, 77);
      measure::bench::write_item(number, words, item.data());
      EXPECT_TRUE(seen.emplace(item[0], item[1]).second);
      EXPECT_EQ(item[words], 77u);  // nothing is written after the item
    }
  }
}

TEST(BenchItems, DifferInTheirOnlyWordWhichIsNeverZero) {
  std::set<uint32_t> seen = {0};
  for (uint64_t number = 1; number <= 500000; ++number) {
    uint32_t item[2] = {0, 77};
    measure::bench::write_item(number, 1, item);
    ASSERT_TRUE(seen.insert(item[0]).second);
    ASSERT_EQ(item[1], 77u);
  }
}

TEST(BenchItems, AreFoundAtRandomInTheShareAskedFor) {
  constexpr uint64_t kItems = 20000, kStored = 1000;
  for (const uint32_t percent : {0u, 25u, 50u, 75u, 100u}) {
    const measure::bench::RandomHits numbers = {kStored, kStored + 501, percent, 9};
    std::set<uint64_t> hits, misses;
    uint64_t found = 0;
    for (uint64_t i = 0; i < kItems; ++i) {
      const uint64_t number = numbers(i);
      EXPECT_TRUE((number >= 1 && number <= kStored) || number > kStored + 500);
      found += number <= kStored ? 1 : 0;
      (number <= kStored ? hits : misses).insert(number);
    }
    const double expected = kItems * percent / 100.0;
    EXPECT_NEAR(static_cast<double>(found), expected, 5 * std::sqrt(kItems / 4.0));
    EXPECT_EQ(misses.size(), kItems - found);  // all different
    EXPECT_GE(hits.size(), percent > 0 ? kStored * 9 / 10 : 0);
  }
}

TEST(BenchItems, AreOthersForAnotherSeed) {
  uint64_t same = 0;
  for (uint64_t i = 0; i < 1000; ++i)
    same += measure::bench::RandomHits{1000000, 1000001, 100, 1}(i) ==
                    measure::bench::RandomHits{1000000, 1000001, 100, 2}(i)
                ? 1
                : 0;
  EXPECT_LT(same, 10u);
}

}  // namespace
}  // namespace vox
