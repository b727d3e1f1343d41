// Runs the corpus of edit scripts and random variations of it, for machines without libFuzzer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "formats/script/scripts.h"
#include "libvox/base/error.h"
#include "tests/common/random.h"
#include "tests/fuzz/targets.h"

namespace vox {
namespace {

std::vector<std::filesystem::path> corpus_files() {
  std::vector<std::filesystem::path> files;
  const char* folder = std::getenv("VOX_FUZZ_CORPUS");
  std::error_code none;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(folder ? folder : "") / "edit_script", none))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> corpus() {
  std::vector<std::string> texts;
  for (const auto& file : corpus_files()) {
    std::ifstream stream(file, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return texts;
}

void feed(const std::string& text) {
  fuzz::read_edit_scripts(text);
}

size_t place_in(Random& random, const std::string& text) {
  return random.below(static_cast<uint32_t>(text.size()) + 1);
}

// Returns the text with one change: a byte, a piece removed or doubled, a piece of another text, or an
// awkward word inserted.
std::string changed(std::string text, const std::vector<std::string>& texts, Random& random) {
  static const std::vector<std::string> kAwkward = {"nan",
                                                    "-",
                                                    "99999999999999999999",
                                                    "1e308",
                                                    "0.001953125",
                                                    ",",
                                                    "\"",
                                                    "#",
                                                    "\r",
                                                    " in ",
                                                    "seed ",
                                                    std::string("\0\xff", 2),
                                                    "\n",
                                                    "2097152,-2097152,0",
                                                    "repeat 10000000\n",
                                                    "end\n",
                                                    "\t",
                                                    "1e-400",
                                                    "sphere ",
                                                    "\xc3\xb6"};
  size_t at = place_in(random, text), length = random.below(20);
  const std::string& other = texts[random.below(static_cast<uint32_t>(texts.size()))];
  switch (random.below(6)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(random.below(256));
      return text;
    case 1:
      return text.erase(at, length);
    case 2:
      return text.insert(at, text.substr(place_in(random, text), length));
    case 3:
      return text.insert(at, other.substr(place_in(random, other), length));
    case 4:
      return text.substr(0, at) + other.substr(place_in(random, other));
    default:
      return text.insert(at, kAwkward[random.below(static_cast<uint32_t>(kAwkward.size()))]);
  }
}

TEST(EditScriptFuzz, TheCorpusIsReadWithoutACrash) {
  std::vector<std::string> texts = corpus();
  if (texts.empty()) GTEST_SKIP() << "VOX_FUZZ_CORPUS does not name the corpus";
  for (const std::string& text : texts) feed(text);
}

// Without this test a corpus whose files are no longer valid scripts would not be noticed.
TEST(EditScriptFuzz, TheCorpusHoldsScriptsAndRecordingsExceptWhereItsNameSaysBad) {
  if (corpus_files().empty()) GTEST_SKIP() << "VOX_FUZZ_CORPUS does not name the corpus";
  for (const auto& file : corpus_files()) {
    std::string name = file.filename().string();
    auto read = [&] {
      return name.starts_with("replay") ? read_replay_csv(file, {}) : read_edit_script(file, {});
    };
    if (name.starts_with("bad")) {
      EXPECT_THROW(read(), Error) << name;
    } else {
      EXPECT_GT(read().total, 0u) << name;
    }
  }
}

TEST(EditScriptFuzz, RandomChangesOfTheCorpusAreReadWithoutACrash) {
  std::vector<std::string> texts = corpus();
  if (texts.empty()) GTEST_SKIP() << "VOX_FUZZ_CORPUS does not name the corpus";
  Random random(17);
  for (int i = 0; i < 10000; ++i) {
    std::string text = texts[random.below(static_cast<uint32_t>(texts.size()))];
    for (uint32_t changes = 1 + random.below(4); changes > 0; --changes) text = changed(text, texts, random);
    feed(text);
  }
}

}  // namespace
}  // namespace vox
