#include "libvox/base/morton.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/common/random.h"

namespace vox {
namespace {

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

}  // namespace
}  // namespace vox
