#include "libvox/base/nearest_word.h"

#include <gtest/gtest.h>

#include <array>

namespace vox {
namespace {

constexpr std::array<std::string_view, 5> kWords = {"sphere", "box", "capsule", "cylinder", "copy"};

TEST(NearestWord, MisspeltWordsAreFound) {
  for (std::string_view word : {"spheer", "spere", "sphre", "Sphere", "spheres", "psheer"})
    EXPECT_EQ(nearest_word(word, kWords), "sphere") << word;
  EXPECT_EQ(nearest_word("bx", kWords), "box");
  EXPECT_EQ(nearest_word("cpoy", kWords), "copy");
  EXPECT_EQ(nearest_word("cilinder", kWords), "cylinder");
}

TEST(NearestWord, WordsThatAreLikeNoneFindNone) {
  for (std::string_view word : {"", "x", "translate", "zzz", "spheroidal", "a very long line of text"})
    EXPECT_EQ(nearest_word(word, kWords), "") << word;
  EXPECT_EQ(did_you_mean("translate", kWords), "");
  EXPECT_EQ(did_you_mean("boxx", kWords), "did you mean 'box'?");
}

}  // namespace
}  // namespace vox
