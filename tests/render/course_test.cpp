// Compares the integers that are derived from directions with exact quotients in 128 bits.
#include "libvox/render/course.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/common/random.h"

namespace vox {
namespace {

using Wide = unsigned __int128;

TEST(Course, ReciprocalsAreRightToFortyFourBits) {
  Random random(1);
  for (int i = 0; i < 200000; ++i) {
    uint64_t number = uint64_t{random.below(UINT32_MAX)} << 32 | random.below(UINT32_MAX) | uint64_t{1} << 63;
    if (i < 64) number = uint64_t{1} << 63 | ((uint64_t{1} << i) - 1);
    if (i == 64) number = UINT64_MAX;
    const Wide exact = (Wide{1} << 126) / number;
    const Wide found = render::reciprocal(number);
    const Wide error = found > exact ? found - exact : exact - found;
    ASSERT_LE(error, exact >> 44) << number;
  }
}

TEST(Course, StepsAreThoseOfTheExactDirection) {
  Random random(2);
  const auto part = [&] {
    const auto any = static_cast<int64_t>(uint64_t{random.below(1u << 30)} << 31 | random.below(UINT32_MAX));
    return (any >> random.below(20)) * (random.below(2) ? 1 : -1);
  };
  for (int i = 0; i < 20000; ++i) {
    const uint32_t log2_side = 2 + random.below(19);
    render::FineDirection d = {part(), part(), part()};
    d[random.below(3)] = int64_t{1} << (50 + random.below(11));
    const render::Course course = render::make_course(log2_side, d);
    const auto size = [&](uint32_t axis) { return static_cast<Wide>(d[axis] < 0 ? -d[axis] : d[axis]); };
    const Wide longest = std::max({size(0), size(1), size(2)});
    for (uint32_t axis = 0; axis < 3; ++axis) {
      const Wide slowest = static_cast<Wide>(render::slowest_step(log2_side));
      const Wide exact = size(axis) == 0
                             ? slowest
                             : std::min((longest << render::log2_ticks(log2_side)) / size(axis), slowest);
      const Wide step = static_cast<Wide>(course.step[axis]);
      const Wide error = step > exact ? step - exact : exact - step;
      ASSERT_LE(error, (exact >> 42) + 1);
      if (size(axis) == longest) {
        ASSERT_EQ(step, Wide{1} << render::log2_ticks(log2_side));
      }
      ASSERT_EQ(course.still >> axis & 1, step == slowest ? 1u : 0u);
      ASSERT_EQ(course.mirrored >> axis & 1, d[axis] < 0 ? 1u : 0u);
    }
  }
}

TEST(Course, ProductsAreRoundedDown) {
  Random random(3);
  for (int i = 0; i < 20000; ++i) {
    const int64_t number = static_cast<int64_t>(random.below(UINT32_MAX)) * 12345 - (int64_t{1} << 45);
    const int64_t factor = static_cast<int64_t>(random.below(UINT32_MAX)) << random.below(16);
    ASSERT_EQ(render::fine_product(number, factor),
              static_cast<int64_t>((static_cast<__int128>(number) * factor) >> 32));
  }
}

}  // namespace
}  // namespace vox
