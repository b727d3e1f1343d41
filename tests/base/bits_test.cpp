#include "libvox/base/bits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/common/random.h"

namespace vox {
namespace {

__extension__ using Wide = unsigned __int128;

// Returns every single bit, no bit, all bits, all but one, and random bits.
std::vector<uint64_t> patterns() {
  std::vector<uint64_t> patterns = {0, UINT64_MAX};
  for (int bit = 0; bit < 64; ++bit) {
    patterns.push_back(uint64_t{1} << bit);
    patterns.push_back(~(uint64_t{1} << bit));
    patterns.push_back(UINT64_MAX << bit);
  }
  Random random(1);
  for (int i = 0; i < 1000; ++i)
    patterns.push_back(uint64_t{random.below(UINT32_MAX)} << 32 | random.below(UINT32_MAX));
  return patterns;
}

template <class Word>
struct BitByBit {
  int count = 0, lowest = -1, highest = -1;

  explicit BitByBit(Word word) {
    for (int bit = 0; bit < std::numeric_limits<Word>::digits; ++bit) {
      if ((word >> bit & 1) == 0) continue;
      if (lowest < 0) lowest = bit;
      highest = bit;
      ++count;
    }
  }
};

TEST(Bits, AreCountedAndFoundAsALoopOverThemDoes) {
  for (const uint64_t word : patterns()) {
    const auto half = static_cast<uint32_t>(word);
    const BitByBit<uint64_t> bits(word);
    const BitByBit<uint32_t> half_bits(half);
    EXPECT_EQ(popcount(word), bits.count) << word;
    EXPECT_EQ(popcount(half), half_bits.count) << half;
    if (word == 0) continue;
    EXPECT_EQ(lowest_bit(word), bits.lowest) << word;
    if (half == 0) continue;
    EXPECT_EQ(lowest_bit(half), half_bits.lowest) << half;
    EXPECT_EQ(highest_bit(half), half_bits.highest) << half;
  }
}

// IEEE 754 defines a sign, 8 bits of exponent and 23 of the fraction.
TEST(Bits, OfAFloatGiveItBack) {
  for (const uint64_t word : patterns()) {
    const auto bits = static_cast<uint32_t>(word);
    const int exponent = static_cast<int>(bits >> 23 & 0xff);
    const uint32_t fraction = bits & 0x7fffff;
    const float found = float_of_bits(bits);
    EXPECT_EQ(std::signbit(found), bits >> 31 != 0);
    if (exponent == 0xff) {
      EXPECT_EQ(std::isnan(found), fraction != 0) << bits;
      EXPECT_EQ(std::isinf(found), fraction == 0) << bits;
    } else {
      const double hidden = exponent == 0 ? 0 : 0x1p23;
      EXPECT_EQ(std::abs(found), std::ldexp(hidden + fraction, std::max(exponent, 1) - 150)) << bits;
    }
  }
}

// A root is the nearest number if the argument lies between the squares of the values half a step below and
// above the root. In double precision these squares, of 25 bits each, are exact.
TEST(SquareRoot, OfAFloatIsTheNearestFloat) {
  Random random(2);
  for (int i = 0; i < 10000; ++i) {
    const float value = std::ldexp(static_cast<float>(0x800000 + random.below(0x800000)),
                                   static_cast<int>(random.below(200)) - 100);
    const float root = square_root(value);
    const double half = std::ldexp(1.0, std::ilogb(root) - 24), exact = root;
    EXPECT_LE((exact - half) * (exact - half), value);
    EXPECT_GE((exact + half) * (exact + half), value);
  }
}

TEST(MultiplyHigh, IsWhatIsAboveTheLow64BitByBitAProduct) {
  EXPECT_EQ(multiply_high(UINT64_MAX, UINT64_MAX), UINT64_MAX - 1);
  EXPECT_EQ(multiply_high(UINT64_MAX, 1), 0u);
  EXPECT_EQ(multiply_high(uint64_t{3} << 40, uint64_t{5} << 30), 15u << 6);
}

// The same in whole numbers: the value is number · 4^e, and its root, of 53 bits, is root · 2^(e − 26).
TEST(SquareRoot, OfADoubleIsTheNearestDouble) {
  Random random(3);
  for (int i = 0; i < 10000; ++i) {
    const uint64_t number =
        ((uint64_t{1} << 52) + (uint64_t{random.below(1u << 26)} << 26) + random.below(1u << 26)) << (i & 1);
    const int e = static_cast<int>(random.below(800)) - 400;
    const double found = square_root(std::ldexp(static_cast<double>(number), 2 * e));
    const auto root = static_cast<uint64_t>(std::ldexp(found, 26 - e));
    ASSERT_EQ(std::ldexp(static_cast<double>(root), e - 26), found);
    const Wide value = Wide{number} << 54, below = Wide{2 * root - 1}, above = Wide{2 * root + 1};
    EXPECT_TRUE(below * below <= value && value <= above * above) << number << " " << e;
  }
}

TEST(SquareRoot, OfNothingAndOfWhatHasNoneIsThatOfIeee754) {
  EXPECT_EQ(square_root(0.0f), 0);
  EXPECT_EQ(square_root(0.0), 0);
  EXPECT_EQ(square_root(std::numeric_limits<double>::infinity()), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(square_root(-1.0f)));
  EXPECT_TRUE(std::isnan(square_root(-1.0)));
}

}  // namespace
}  // namespace vox
