// Runs all targets, for machines and sanitizers without libFuzzer, on random changes of their seeds and of the corpus
// of edit scripts.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "formats/script/scripts.h"
#include "libvox/base/error.h"
#include "libvox/base/process.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/fuzz/targets.h"

namespace vox::fuzz {
namespace {

const uint32_t kChanges = 15 * kThoroughness;  // of the seeds of each target

size_t place_of(Random& random, const std::string& bytes) {
  return random.below(static_cast<uint32_t>(bytes.size()) + 1);
}

// Puts a number that readers might not expect over some bytes.
void put_number(std::string& bytes, Random& random) {
  static const uint64_t kNumbers[] = {0,
                                      1,
                                      0x7f,
                                      0x80,
                                      0xff,
                                      0x7fff,
                                      0xffff,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      INT64_MAX,
                                      UINT64_MAX,
                                      0x7ff0000000000000,
                                      0x7fc00000,
                                      1 << 20};
  std::string number = bytes_of(kNumbers[random.below(std::size(kNumbers))]);
  if (random.below(2) == 0) std::ranges::reverse(number);
  number.resize(size_t{1} << random.below(4));
  bytes.replace(std::min(place_of(random, bytes), bytes.size()), number.size(), number);
}

std::string changed(std::string bytes, const Target& target, Random& random) {
  static const std::string kTexts[] = {"nan", "-1",  "99999999999999999999", "1e308", "\n", "\"", ",", "{",
                                       "/",   "\xff"};
  const size_t at = place_of(random, bytes), length = random.below(16);
  switch (random.below(7)) {
    case 0:
    case 1:
      if (at < bytes.size()) bytes[at] = static_cast<char>(random.below(256));
      return bytes;
    case 2:
      put_number(bytes, random);
      return bytes;
    case 3:
      return bytes.erase(at, length);
    case 4:
      return bytes.insert(at, bytes.substr(place_of(random, bytes), length));
    case 5: {
      const std::string& other = target.seeds[random.below(static_cast<uint32_t>(target.seeds.size()))];
      return bytes.substr(0, at) + other.substr(std::min(at, other.size()));
    }
    default:
      return bytes.insert(at, kTexts[random.below(std::size(kTexts))]);
  }
}

std::string random_bytes(Random& random) {
  std::string bytes(random.below(40), '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.below(256));
  return bytes;
}

TEST(Readers, AcceptTheirSeeds) {
  const QuietLog quiet;
  const ThreadLimit one_thread(1);
  for (const Target& target : targets()) {
    EXPECT_FALSE(target.seeds.empty()) << target.name;
    for (size_t i = 0; i < target.seeds.size(); ++i)
      EXPECT_TRUE(target.read(target.seeds[i])) << target.name << ", seed " << i;
  }
}

TEST(Readers, ReadOrRefuseRandomChangesOfTheirSeeds) {
  const QuietLog quiet;
  const ThreadLimit one_thread(1);
  for (const Target& target : targets()) {
    SCOPED_TRACE(target.name);
    Random random(29);
    for (uint32_t i = 0; i < kChanges; ++i) {
      std::string bytes = target.seeds[random.below(static_cast<uint32_t>(target.seeds.size()))];
      for (uint32_t changes = 1 + random.below(3); changes > 0; --changes)
        bytes = changed(bytes, target, random);
      target.read(bytes);
      // A recipe is a list of changes itself.
      if (std::string_view(target.name).ends_with("objects"))
        target.read(target.seeds[0] + random_bytes(random));
    }
  }
}

}  // namespace
}  // namespace vox::fuzz

namespace vox {
namespace {

// Edit scripts and random changes of them that know their words.

std::vector<std::string> script_texts() {
  std::vector<std::string> texts;
  for (const fuzz::EditScriptSeed& seed : fuzz::edit_script_seeds()) texts.push_back(seed.text);
  return texts;
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
  for (const std::string& text : script_texts()) fuzz::read_edit_scripts(text);
}

// Without this test seeds that are no longer valid scripts would not be noticed.
TEST(EditScriptFuzz, TheCorpusHoldsScriptsAndRecordingsExceptWhereItsNameSaysBad) {
  for (const fuzz::EditScriptSeed& seed : fuzz::edit_script_seeds()) {
    const std::string name = seed.name;
    const std::filesystem::path file = fuzz::put(name, seed.text);
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
  const std::vector<std::string> texts = script_texts();
  Random random(17);
  for (int i = 0; i < 10000; ++i) {
    std::string text = texts[random.below(static_cast<uint32_t>(texts.size()))];
    for (uint32_t changes = 1 + random.below(4); changes > 0; --changes) text = changed(text, texts, random);
    fuzz::read_edit_scripts(text);
  }
}

}  // namespace
}  // namespace vox
