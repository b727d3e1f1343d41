#include "libvox/edit/noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/common/random.h"

namespace vox {
namespace {

edit::EditPlace place(Random& random, int64_t reach) {
  const auto component = [&] {
    return static_cast<int64_t>(random.uniform(-static_cast<double>(reach), static_cast<double>(reach)));
  };
  const int64_t x = component(), y = component();
  return {x, y, component()};
}

// Computes the noise in floating point, linear between the corners of the cell.
double interpolated(const edit::EditPlace& p, uint32_t seed, uint32_t grain) {
  const auto cell = static_cast<double>(grain) * edit::kEditUnits;
  const double offset = static_cast<double>(edit::kMaxEditPlace) * 512;
  const double at[3] = {(static_cast<double>(p.x) + offset) / cell,
                        (static_cast<double>(p.y) + offset) / cell,
                        (static_cast<double>(p.z) + offset) / cell};
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    double weight = 1;
    int64_t index[3];
    for (int k = 0; k < 3; ++k) {
      const double low = std::floor(at[k]);
      const bool upper = (corner >> k & 1) != 0;
      index[k] = static_cast<int64_t>(low) + (upper ? 1 : 0);
      weight *= upper ? at[k] - low : 1 - (at[k] - low);
    }
    sum += weight * static_cast<double>(edit::noise_corner(seed, index[0], index[1], index[2]));
  }
  return sum;
}

TEST(Noise, IsLinearBetweenTheCornersOfItsLattice) {
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    const edit::EditPlace p = place(random, i % 2 == 0 ? 5000 : edit::kMaxEditPlace * edit::kEditUnits);
    const uint32_t grain = 1 + random.below(40), seed = random.below(9);
    // Each of the 7 interpolations has a rounding error below 1.
    ASSERT_NEAR(static_cast<double>(edit::noise_at(p, seed, grain)), interpolated(p, seed, grain), 4);
  }
}

TEST(Noise, StaysInItsRangeAndUsesAllOfIt) {
  Random random(2);
  int64_t lowest = 0, highest = 0;
  for (int i = 0; i < 100000; ++i) {
    const int64_t value = edit::noise_at(place(random, 1 << 20), 7, 1);
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }
  EXPECT_GE(lowest, -(1 << edit::kNoiseBits));
  EXPECT_LE(highest, 1 << edit::kNoiseBits);
  EXPECT_LT(lowest, -20000);
  EXPECT_GT(highest, 20000);
}

TEST(Noise, IsTheSameOnEveryMachine) {
  EXPECT_EQ(edit::noise_at({0, 0, 0}, 1, 1), 32569);
  EXPECT_EQ(edit::noise_at({12345, -678, 901}, 42, 5), 2768);
}

}  // namespace
}  // namespace vox
