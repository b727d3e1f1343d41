// Compares computations on sixteen numbers at once with the same computations one by one.
#include "libvox/voxelize/squares.h"

#include <gtest/gtest.h>

#include "tests/common/random.h"

#ifdef VOX_SQUARES
namespace vox {
namespace {

using voxelize::lattice::Squares;

// Returns a number of up to `bits` bits and a sign; small numbers are frequent.
int32_t signed_number(Random& random, uint32_t bits) {
  const auto number = static_cast<int32_t>(random.below(1u << random.below(bits + 1)));
  return random.below(2) == 0 ? number : -number;
}

TEST(Squares, ThoseWithANegativeNumberAreThoseThatALoopFinds) {
  Random random(1);
  for (int round = 0; round < 20000; ++round) {
    // The numbers are as large as those of lines and planes (coverage.h).
    const int32_t u = signed_number(random, 26), v = signed_number(random, 26);
    const int32_t first = signed_number(random, 30), other = signed_number(random, 30);
    const Squares slope = Squares::slope(u, v);
    uint32_t above = 0, below = 0;
    for (int32_t j = 0; j < 4; ++j)
      for (int32_t i = 0; i < 4; ++i) {
        const int64_t sum = int64_t{u} * i + int64_t{v} * j;
        above |= static_cast<uint32_t>(first + sum < 0) << (i + 4 * j);
        below |= static_cast<uint32_t>(other - sum < 0) << (i + 4 * j);
      }
    ASSERT_EQ((slope + first).negative(), above) << u << " " << v << " " << first;
    ASSERT_EQ(slope.below(other).negative(), below) << u << " " << v << " " << other;
    ASSERT_EQ(((slope + first) | slope.below(other)).negative(), above | below);
  }
}

}  // namespace
}  // namespace vox
#endif
