// Directions of 16 bits, compared with the vectors that they stand for.

#include "libvox/attributes/octahedral.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/common/random.h"

namespace vox {
namespace {

double degrees_between(Vec3d a, const Vec3<float>& b) {
  const Vec3d c = {b.x, b.y, b.z};
  return std::acos(std::min(1.0, dot(a, c) / square_root(dot(a, a) * dot(c, c)))) * 180 /
         3.14159265358979323846;
}

TEST(Directions, ChangeByLessThanADegree) {
  Random random(1);
  double most = 0;
  for (int i = 0; i < 200'000; ++i) {
    const Vec3d v = random.in_cube(-1, 1) * std::exp2(random.uniform(-60, 60));
    const uint32_t code = attributes::direction_code(v);
    ASSERT_LT(code, 1u << attributes::kDirectionBits);
    const Vec3<float> read = attributes::unit_direction(code);
    ASSERT_NEAR(read.x * read.x + read.y * read.y + read.z * read.z, 1, 1e-6);
    most = std::max(most, degrees_between(v, read));
  }
  EXPECT_LT(most, 1);
  EXPECT_GT(most, 0.5);
}

TEST(Directions, AlongAxesAreExact) {
  for (const double sign : {-1., 1.})
    for (uint32_t axis = 0; axis < 3; ++axis) {
      Vec3d v = {0, 0, 0};
      v[axis] = 7 * sign;
      const Vec3<float> read = attributes::unit_direction(attributes::direction_code(v));
      for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(read[i], i == axis ? static_cast<float>(sign) : 0.f);
    }
  EXPECT_EQ(attributes::direction_code({0, 0, 0}), attributes::kNoDirection);
}

// A point of the octahedron has the sum 127, and is the nearest one to itself.
TEST(Directions, OfAllNumbersAreFoundAgain) {
  for (int32_t x = -127; x <= 127; ++x)
    for (int32_t y = -127; y <= 127; ++y) {
      const auto code = static_cast<uint32_t>(x + 128) | static_cast<uint32_t>(y + 128) << 8;
      const Int3 v = attributes::direction_of(code);
      ASSERT_EQ(std::abs(v.x) + std::abs(v.y) + std::abs(v.z), attributes::kOctahedron);
      const uint32_t again = attributes::direction_code(
          {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)});
      ASSERT_EQ(attributes::direction_of(again), v);
    }
}

}  // namespace
}  // namespace vox
