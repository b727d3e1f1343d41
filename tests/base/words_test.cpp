#include "libvox/base/words.h"

#include <gtest/gtest.h>

#include <numeric>

namespace vox {
namespace {

TEST(Words, ThatAreAddedWithoutAValueKeepWhatTheirMemoryHolds) {
  Words words(1000);
  std::iota(words.begin(), words.end(), 1u);
  words.clear();
  words.resize(1000);
  for (uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(words[i], i + 1);
}

TEST(Words, ThatAreAddedWithAValueHaveIt) {
  Words words(3, 7);
  words.resize(5, 9);
  words.push_back(0);
  words.emplace_back(4u);
  EXPECT_EQ(words, (Words{7, 7, 7, 9, 9, 0, 4}));
}

TEST(Words, StayTheSameWhenTheyMove) {
  Words words;
  for (uint32_t i = 0; i < 10000; ++i) words.push_back(i);
  const Words copy = words;
  for (uint32_t i = 0; i < 10000; ++i) ASSERT_EQ(copy[i], i);
}

}  // namespace
}  // namespace vox
