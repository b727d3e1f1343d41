#include "libvox/base/morton_plane.h"

#include <gtest/gtest.h>

#include "libvox/base/reversed_bits.h"
#include "tests/common/random.h"

namespace vox {
namespace {

TEST(MortonPlane, CodesInterleaveBitsAndLeadBack) {
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

TEST(ReversedBits, AreInTheOppositeOrder) {
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const uint32_t bits = random.below(UINT32_MAX);
    uint32_t expected = 0;
    for (uint32_t bit = 0; bit < 32; ++bit) expected |= (bits >> bit & 1) << (31 - bit);
    ASSERT_EQ(reversed_bits(bits), expected);
  }
}

}  // namespace
}  // namespace vox
