#include "libvox/base/phrase.h"

#include <gtest/gtest.h>

#include "libvox/base/error.h"

namespace vox {
namespace {

constexpr int kPhrases = static_cast<int>(Phrase::ListCommands) + 1;

TEST(Phrase, TheLibraryHasWordsForAllThatNameNoOption) {
  for (int i = 0; i < kPhrases; ++i) {
    const std::string text = phrase(static_cast<Phrase>(i));
    EXPECT_FALSE(text.empty()) << i;
    EXPECT_EQ(text.find("--"), std::string::npos) << text;
  }
}

std::string_view shouted(Phrase what) {
  return what == Phrase::AllowMoreMemory ? "BUY MEMORY" : "?";
}

TEST(Phrase, AProgramsWordsStandInMessages) {
  const std::string before = OutOfMemory(3, 2).what();
  EXPECT_NE(before.find("allow more memory by at least 1 B"), std::string::npos) << before;
  set_phrases(shouted);
  EXPECT_NE(std::string(OutOfMemory(3, 2).what()).find("BUY MEMORY by at least"), std::string::npos);
  set_phrases(nullptr);
  EXPECT_EQ(OutOfMemory(3, 2).what(), before);
}

}  // namespace
}  // namespace vox
