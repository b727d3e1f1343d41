// Tests memory that is filled when it is read, against the formula that fills it. The thread sanitizer does not run
// these tests: it takes the system's call that drops a page for a write to what others read.
#include "libvox/base/paged_memory.h"

#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

#include <csignal>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "libvox/base/progress.h"
#include "libvox/base/words.h"
#include "tests/common/random.h"

namespace vox {
namespace {

constexpr uint64_t kPiece = 1 << 12, kPieceWords = kPiece / sizeof(uint32_t);

uint32_t word_of(uint64_t index) {
  return static_cast<uint32_t>(index * 2654435761u ^ index >> 7);
}

PagedMemory::Fill fill_words(std::atomic<uint64_t>& fills) {
  return [&fills](uint64_t piece, std::span<uint8_t> to) {
    ++fills;
    for (uint64_t i = 0; i < to.size() / sizeof(uint32_t); ++i) {
      const uint32_t word = word_of(piece * kPieceWords + i);
      std::memcpy(to.data() + i * sizeof(word), &word, sizeof(word));
    }
  };
}

TEST(PagedMemory, IsFilledWhenItIsRead) {
  std::atomic<uint64_t> fills = 0;
  const uint64_t words = 10 * kPieceWords + 77;
  const auto budget = std::make_shared<PagedBudget>(uint64_t{1} << 30);
  const Words paged =
      paged_vector<uint32_t>(std::make_shared<PagedMemory>(4 * words, kPiece, fill_words(fills), budget));
  ASSERT_EQ(paged.size(), words);
  EXPECT_EQ(fills, 0u);
  EXPECT_EQ(paged[3 * kPieceWords + 5], word_of(3 * kPieceWords + 5));
  EXPECT_EQ(fills, 1u);
  for (uint64_t i = 0; i < words; ++i) ASSERT_EQ(paged[i], word_of(i));
  EXPECT_EQ(fills, 11u);
  Words copy = paged;
  EXPECT_TRUE(std::equal(paged.begin(), paged.end(), copy.begin()));
  ++copy[9];
  EXPECT_EQ(paged[9], word_of(9));
  EXPECT_NE(copy.data(), paged.data());
}

TEST(PagedMemory, HoldsNoMoreThanItsBudgetHoweverManyReadAtOnce) {
  std::atomic<uint64_t> fills = 0;
  const uint64_t words = 300 * kPieceWords;
  const auto budget = std::make_shared<PagedBudget>(40 * kPiece);
  std::vector<Words> arrays;
  for (int i = 0; i < 3; ++i)
    arrays.push_back(
        paged_vector<uint32_t>(std::make_shared<PagedMemory>(4 * words, kPiece, fill_words(fills), budget)));
  tbb::parallel_for(0, 32, [&](int task) {
    Random random(static_cast<uint64_t>(task));
    for (int i = 0; i < 1000; ++i) {
      const uint64_t at = random.below(words);
      ASSERT_EQ(arrays[random.below(3)][at], word_of(at));
    }
    EXPECT_LE(budget->held(), budget->limit() + 32 * kPiece);  // each thread may be filling one more
  });
  EXPECT_LE(budget->held(), budget->limit());
  EXPECT_GE(fills, 900u);
  arrays.pop_back();
  EXPECT_EQ(arrays[1][5], word_of(5));
  arrays.clear();
  EXPECT_EQ(budget->held(), 0u);
}

// A piece that is read now and then stays, although the pieces read since would fill the budget many times.
TEST(PagedMemory, KeepsWhatIsReadOften) {
  std::atomic<uint64_t> fills = 0;
  const uint64_t pieces = 400;
  const auto budget = std::make_shared<PagedBudget>(40 * kPiece);
  const Words paged = paged_vector<uint32_t>(
      std::make_shared<PagedMemory>(pieces * kPiece, kPiece, fill_words(fills), budget));
  for (uint64_t piece = 0; piece < pieces; ++piece) {
    ASSERT_EQ(paged[piece * kPieceWords], word_of(piece * kPieceWords));
    ASSERT_EQ(paged[3], word_of(3));
  }
  EXPECT_EQ(fills, pieces);
}

TEST(PagedMemory, MayReadOtherPagedMemoryWhileItIsFilled) {
  std::atomic<uint64_t> fills = 0;
  const auto budget = std::make_shared<PagedBudget>(24 * kPiece);
  const uint64_t words = 50 * kPieceWords;
  const Words below =
      paged_vector<uint32_t>(std::make_shared<PagedMemory>(4 * words, kPiece, fill_words(fills), budget));
  const auto add_one = [&](uint64_t piece, std::span<uint8_t> to) {
    for (uint64_t i = 0; i < to.size() / sizeof(uint32_t); ++i) {
      const uint32_t word = below[words - 1 - (piece * kPieceWords + i)] + 1;
      std::memcpy(to.data() + i * sizeof(word), &word, sizeof(word));
    }
  };
  const Words above =
      paged_vector<uint32_t>(std::make_shared<PagedMemory>(4 * words, kPiece, add_one, budget));
  tbb::parallel_for(uint64_t{0}, words / 100,
                    [&](uint64_t i) { ASSERT_EQ(above[100 * i], word_of(words - 1 - 100 * i) + 1); });
}

TEST(PagedMemory, PiecesThatAreFilledOftenComeFromAFile) {
  const uint64_t pieces = 100, words = pieces * kPieceWords - 5;
  for (const bool in_file : {false, true}) {
    std::atomic<uint64_t> fills = 0;
    const auto budget =
        std::make_shared<PagedBudget>(20 * kPiece, in_file ? std::filesystem::current_path() : "");
    const Words paged =
        paged_vector<uint32_t>(std::make_shared<PagedMemory>(4 * words, kPiece, fill_words(fills), budget));
    for (int times = 0; times < 50; ++times)
      tbb::parallel_for(uint64_t{0}, words / 50,
                        [&](uint64_t i) { ASSERT_EQ(paged[50 * i], word_of(50 * i)); });
    EXPECT_EQ(paged.back(), word_of(words - 1));
    EXPECT_LE(budget->held(), 20 * kPiece);
    EXPECT_EQ(fills <= 4 * pieces, in_file) << fills;
  }
}

TEST(PagedMemory, WhatCannotBeFilledIsZerosAndAnErrorAtTheNextCheck) {
  const auto budget = std::make_shared<PagedBudget>(uint64_t{1} << 20);
  const auto refuse = [](uint64_t piece, std::span<uint8_t> to) {
    to[0] = 1;
    if (piece == 2) throw std::runtime_error("piece 2 is damaged");
  };
  const Words paged =
      paged_vector<uint32_t>(std::make_shared<PagedMemory>(5 * kPiece, kPiece, refuse, budget));
  EXPECT_EQ(paged[kPieceWords], 1u);
  EXPECT_NO_THROW(throw_if_cancelled());
  EXPECT_EQ(paged[2 * kPieceWords], 0u);
  try {
    throw_if_cancelled();
    ADD_FAILURE() << "no error";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "piece 2 is damaged");
  }
  EXPECT_NO_THROW(throw_if_cancelled());
}

using PagedMemoryDeathTest = testing::Test;

TEST_F(PagedMemoryDeathTest, OtherFaultsEndTheProgramAsBefore) {
  std::atomic<uint64_t> fills = 0;
  const auto budget = std::make_shared<PagedBudget>(uint64_t{1} << 20);
  const Words paged =
      paged_vector<uint32_t>(std::make_shared<PagedMemory>(kPiece, kPiece, fill_words(fills), budget));
  EXPECT_EQ(paged[1], word_of(1));
  EXPECT_DEATH(raise(SIGSEGV), "");
  EXPECT_DEATH(*const_cast<volatile uint32_t*>(paged.data()) = 1, "");  // it is only read
}

}  // namespace
}  // namespace vox
