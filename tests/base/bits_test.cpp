#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/sorting_network.h"
#include "libvox/base/words.h"
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

TEST(NextPrime, IsTheFirstNumberThatNoOtherDivides) {
  EXPECT_EQ(next_prime(1), 1u);
  uint64_t prime = 0;
  for (uint64_t n = 500; n >= 2; --n) {
    bool divided = false;
    for (uint64_t d = 2; d < n; ++d) divided = divided || n % d == 0;
    if (!divided) prime = n;
    ASSERT_TRUE(prime == 0 || next_prime(n) == prime) << n;
  }
  EXPECT_EQ(next_prime(uint64_t{1} << 32), (uint64_t{1} << 32) + 15);
}

// A network that sorts every sequence of zeros and ones sorts every sequence (Knuth, The Art of Computer
// Programming 3, §5.3.4).
template <uint32_t kCount>
void expect_to_sort(uint32_t exchanges) {
  for (uint32_t bits = 0; bits < 1u << kCount; ++bits) {
    std::array<uint32_t, kCount> values;
    for (uint32_t i = 0; i < kCount; ++i) values[i] = bits >> i & 1;
    uint32_t count = 0;
    sorting_network<kCount>([&](uint32_t a, uint32_t b) {
      ++count;
      if (values.at(a) > values.at(b)) std::swap(values[a], values[b]);
    });
    ASSERT_TRUE(std::ranges::is_sorted(values)) << kCount << ", " << bits;
    ASSERT_EQ(count, exchanges);
  }
}

TEST(SortingNetwork, SortsWithAsFewExchangesAsBatcherSays) {
  expect_to_sort<1>(0);
  expect_to_sort<2>(1);
  expect_to_sort<4>(5);
  expect_to_sort<8>(19);
  expect_to_sort<16>(63);
}

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
