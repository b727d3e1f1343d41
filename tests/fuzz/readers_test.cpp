// Runs all targets on their seeds and on random changes of them, for machines and sanitizers without libFuzzer.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "libvox/base/process.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/fuzz/targets.h"

namespace vox::fuzz {
namespace {

constexpr uint32_t kChanges = 15 * kThoroughness;  // of the seeds of each target

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
