// Bits and Morton codes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/morton.h"
#include "libvox/base/paged_memory.h"
#include "libvox/base/sorting_network.h"
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

constexpr uint32_t kMost = 0x1fffff;  // 21 bits

// Interleaves bit by bit.
uint64_t interleaved(uint32_t x, uint32_t y, uint32_t z) {
  uint64_t code = 0;
  for (uint32_t bit = 0; bit < 21; ++bit)
    code |= uint64_t{x >> bit & 1} << 3 * bit | uint64_t{y >> bit & 1} << (3 * bit + 1) |
            uint64_t{z >> bit & 1} << (3 * bit + 2);
  return code;
}

// Returns every single bit, no bit, all bits, and random numbers.
std::vector<uint32_t> coordinates() {
  std::vector<uint32_t> coordinates = {0, kMost, kMost - 1, 0x155555, 0xaaaaa};
  for (uint32_t bit = 0; bit < 21; ++bit) coordinates.push_back(1u << bit);
  Random random(1);
  for (int i = 0; i < 20; ++i) coordinates.push_back(random.below(kMost + 1));
  return coordinates;
}

TEST(Morton, CodesInterleaveTheBitsOfTheCoordinates) {
  for (const uint32_t x : coordinates())
    for (const uint32_t y : coordinates())
      for (const uint32_t z : coordinates()) {
        const uint64_t code = morton_encode(x, y, z);
        ASSERT_EQ(code, interleaved(x, y, z)) << x << " " << y << " " << z;
        ASSERT_EQ(morton_decode(code),
                  (Int3{static_cast<int32_t>(x), static_cast<int32_t>(y), static_cast<int32_t>(z)}));
      }
}

TEST(Morton, BitsBeyondThoseOfAnAxisDoNotCount) {
  for (const uint32_t v : coordinates()) {
    EXPECT_EQ(spread_bits<3>(v | ~uint64_t{kMost}), spread_bits<3>(v));
    EXPECT_EQ(gather_bits<3>(spread_bits<3>(v) | spread_bits<3>(kMost) << 1 | spread_bits<3>(kMost) << 2), v);
    EXPECT_EQ(gather_bits<3>(spread_bits<3>(v) | uint64_t{1} << 63), v);
  }
}

TEST(Morton, CodesInAPlaneInterleaveBitsAndLeadBack) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const Vec2<uint32_t> place = {random.below(UINT32_MAX), random.below(UINT32_MAX) >> i % 32};
    uint64_t code = 0;
    for (uint32_t bit = 0; bit < 32; ++bit)
      code |= uint64_t{place.x >> bit & 1} << 2 * bit | uint64_t{place.y >> bit & 1} << (2 * bit + 1);
    ASSERT_EQ(morton_encode(place), code);
    ASSERT_TRUE(morton_decode_in_plane(code) == place);
  }
}

uint32_t morton(const Int3& v) {
  return static_cast<uint32_t>(
      morton_encode(static_cast<uint32_t>(v.x), static_cast<uint32_t>(v.y), static_cast<uint32_t>(v.z)));
}

TEST(CubeOrder, OctantsAndVoxelsStandInMortonOrder) {
  for (uint32_t octant = 0; octant < 8; ++octant) {
    const Int3 place = morton_decode(octant);
    EXPECT_EQ(octant_place(octant), place);
    EXPECT_EQ(octant_corner(octant, 16), place * 16);
    EXPECT_EQ(octant_of(static_cast<uint32_t>(place.x), static_cast<uint32_t>(place.y),
                        static_cast<uint32_t>(place.z)),
              octant);
  }
  for (uint32_t bit = 0; bit < 64; ++bit) {
    EXPECT_EQ(cube_place(bit), morton_decode(bit));
    EXPECT_EQ(cube_bit(morton_decode(bit)), bit);
  }
}

TEST(CubeOrder, OnlyTheLowestBitsOfAPlaceCountAlsoBelowZero) {
  for (int32_t z = -5; z < 9; ++z)
    for (int32_t y = -6; y < 5; ++y)
      for (int32_t x = -7; x < 6; ++x) {
        const Int3 voxel = {x, y, z};
        EXPECT_EQ(cube_bit(voxel), morton({x & 3, y & 3, z & 3}));
        for (uint32_t log2 = 0; log2 < 3; ++log2)
          EXPECT_EQ(octant_at(voxel, log2), morton({x >> log2 & 1, y >> log2 & 1, z >> log2 & 1}));
      }
}

TEST(CubeOrder, MasksOfPlanesHoldTheirVoxelsAlone) {
  for (uint32_t axis = 0; axis < 3; ++axis) {
    for (uint32_t octant = 0; octant < 8; ++octant)
      EXPECT_EQ(lower_octants(axis) >> octant & 1, morton_decode(octant)[axis] == 0 ? 1u : 0u);
    for (uint32_t bit = 0; bit < 64; ++bit) {
      const int32_t along = morton_decode(bit)[axis];
      EXPECT_EQ(even_voxels(axis) >> bit & 1, along % 2 == 0 ? 1u : 0u);
      EXPECT_EQ(lower_voxels(axis) >> bit & 1, along < 2 ? 1u : 0u);
      for (int32_t at = 0; at < 4; ++at)
        EXPECT_EQ(plane_voxels(axis, static_cast<uint32_t>(at)) >> bit & 1, along == at ? 1u : 0u);
    }
  }
}

using Pixel = Vec2<uint32_t>;

// Returns the pixels tile by tile, and each tile row by row.
std::vector<Pixel> pixels_of(uint32_t width, uint32_t height) {
  std::vector<Pixel> pixels;
  for (uint32_t top = 0; top < height; top += 4)
    for (uint32_t left = 0; left < width; left += 8)
      for (uint32_t y = 0; y < 4; ++y)
        for (uint32_t x = 0; x < 8; ++x) pixels.push_back({left + x, top + y});
  return pixels;
}

TEST(Tiles, GoThroughAnImageRowByRow) {
  for (const uint32_t width : {0u, 1u, 7u, 8u, 9u, 24u, 37u})
    for (const uint32_t height : {0u, 1u, 3u, 4u, 5u, 12u, 18u}) {
      const Tiles tiles = {width, height};
      const std::vector<Pixel> expected = pixels_of(width, height);
      ASSERT_EQ(tiles.count(), expected.size()) << width << " " << height;
      for (uint64_t i = 0; i < tiles.count(); ++i)
        EXPECT_EQ(tiles.pixel(i), expected[i]) << width << " " << i;
    }
}

TEST(Tiles, HoldEachPixelOfTheImageOnceAndKnowItsPlace) {
  for (const uint32_t width : {1u, 8u, 13u})
    for (const uint32_t height : {1u, 4u, 11u}) {
      const Tiles tiles = {width, height};
      std::vector<int> visits(width * height);
      for (uint64_t i = 0; i < tiles.count(); ++i) {
        const Pixel pixel = tiles.pixel(i);
        EXPECT_EQ(tiles.holds(pixel), pixel.x < width && pixel.y < height);
        if (tiles.holds(pixel)) ++visits.at(tiles.index(pixel));
      }
      EXPECT_EQ(visits, std::vector<int>(width * height, 1));
      EXPECT_EQ(tiles.index({width - 1, 0}), width - 1);
      EXPECT_EQ(tiles.index({0, height - 1}), width * (height - 1));
    }
}

TEST(Tiles, OfARowStandTogetherAndHoldIt) {
  for (auto [width, height] : {std::pair{1u, 1u}, {8u, 4u}, {19u, 23u}}) {
    const Tiles tiles = {width, height};
    for (uint32_t row = 0; row < height; ++row) {
      std::vector<bool> held(width);
      for (uint64_t i = 0; i < tiles.count(); ++i) {
        const Vec2<uint32_t> at = tiles.pixel(i);
        const bool is_between = i >= tiles.begin_of_row(row) && i < tiles.end_of_row(row);
        EXPECT_EQ(is_between, at.y / 4 == row / 4) << i;
        if (is_between && at.y == row && tiles.holds(at)) held[at.x] = true;
      }
      EXPECT_TRUE(std::ranges::all_of(held, std::identity()));
    }
  }
}

TEST(Tiles, OfTheWidestImageDoNotOverflow) {
  const Tiles tiles = {UINT32_MAX, 65536};
  EXPECT_EQ(tiles.count(), uint64_t{1} << 48);
  EXPECT_EQ(tiles.pixel(tiles.count() - 1), (Pixel{UINT32_MAX, 65535}));
  EXPECT_FALSE(tiles.holds({UINT32_MAX, 65535}));
  EXPECT_EQ(tiles.index({UINT32_MAX - 1, 65535}), (uint64_t{UINT32_MAX} << 16) - 1);
}

}  // namespace
}  // namespace vox
