// Compares conversions to 16 bits with a search among all numbers of 16 bits.
#include "formats/volume/floats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/common/random.h"
#include "tests/common/test_engine.h"

namespace vox {
namespace {

double value_of_half(uint32_t half) {
  const int exponent = static_cast<int>(half >> 10 & 31);
  const double fraction = (half & 1023) / 1024.0;
  return exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
}

// The values of 0, 1, … 0x7bff ascend; 65536 stands for infinity.
uint32_t nearest_half(double value) {
  static const std::vector<double> values = [] {
    std::vector<double> all;
    for (uint32_t half = 0; half < 0x7c00; ++half) all.push_back(value_of_half(half));
    all.push_back(65536);
    return all;
  }();
  const auto above = static_cast<uint32_t>(std::ranges::lower_bound(values, value) - values.begin());
  if (above == values.size()) return 0x7c00;
  if (above == 0) return 0;
  const double up = values[above] - value, down = value - values[above - 1];
  return up < down || (up == down && above % 2 == 0) ? above : above - 1;
}

void expect_nearest(float value) {
  ASSERT_EQ(half_of(value), nearest_half(value)) << value;
  ASSERT_EQ(half_of(-value), nearest_half(value) | 0x8000) << value;
}

TEST(HalfFloats, AreTheNearestOnes) {
  for (uint32_t half = 0; half < 0x7c00; ++half) {
    const auto exact = static_cast<float>(value_of_half(half));
    const auto middle =
        static_cast<float>((value_of_half(half) + (half == 0x7bff ? 65536 : value_of_half(half + 1))) / 2);
    for (const float value : {exact, middle, std::nextafter(middle, 0.f), std::nextafter(middle, 1e6f)})
      expect_nearest(value);
  }
  Random random(3);
  for (uint32_t i = 0; i < 20'000 * kThoroughness; ++i)
    expect_nearest(
        std::ldexp(static_cast<float>(random.uniform(1, 2)), static_cast<int>(random.below(46)) - 28));
  EXPECT_EQ(half_of(1e30f), 0x7c00);
  EXPECT_EQ(half_of(-std::numeric_limits<float>::infinity()), 0xfc00);
  EXPECT_EQ(half_of(std::numeric_limits<float>::quiet_NaN()) & 0x7e00, 0x7e00);
}

}  // namespace
}  // namespace vox
