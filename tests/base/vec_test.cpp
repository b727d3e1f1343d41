#include "libvox/base/vec.h"

#include <gtest/gtest.h>

#include "tests/common/random.h"

namespace vox {
namespace {

Int3 at_random(Random& random) {
  const auto coordinate = [&] { return static_cast<int32_t>(random.below(2001)) - 1000; };
  return {coordinate(), coordinate(), coordinate()};
}

TEST(Vec3, IsReadAndWrittenByAxis) {
  Int3 v = {1, 2, 3};
  for (uint32_t axis = 0; axis < 3; ++axis) EXPECT_EQ(v[axis], static_cast<int32_t>(axis) + 1);
  v[1] = 7;
  EXPECT_EQ(v, (Int3{1, 7, 3}));
}

TEST(Vec3, IsAddedSubtractedAndScaledAxisByAxis) {
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    const Int3 a = at_random(random), b = at_random(random);
    for (uint32_t axis = 0; axis < 3; ++axis) {
      EXPECT_EQ((a + b)[axis], a[axis] + b[axis]);
      EXPECT_EQ((a - b)[axis], a[axis] - b[axis]);
      EXPECT_EQ((a * -3)[axis], a[axis] * -3);
    }
  }
}

TEST(Vec3, IsEqualWhereAllOfItsCoordinatesAre) {
  const Int3 v = {1, 2, 3};
  EXPECT_EQ(v, v);
  for (uint32_t axis = 0; axis < 3; ++axis) {
    Int3 other = v;
    ++other[axis];
    EXPECT_NE(v, other);
  }
  EXPECT_EQ((Vec2<int>{1, 2}), (Vec2<int>{1, 2}));
  EXPECT_NE((Vec2<int>{1, 2}), (Vec2<int>{1, 3}));
  EXPECT_NE((Vec2<int>{1, 2}), (Vec2<int>{0, 2}));
}

// The triple product is the determinant: a sum over all orders of the axes, with their signs.
TEST(Vec3, ProductsAreThoseOfTheirDefinitions) {
  Random random(2);
  for (int i = 0; i < 100; ++i) {
    const Int3 a = at_random(random), b = at_random(random), c = at_random(random);
    int32_t sum = 0;
    int64_t determinant = 0;
    for (uint32_t x = 0; x < 3; ++x) {
      sum += a[x] * b[x];
      const uint32_t y = (x + 1) % 3, z = (x + 2) % 3;
      determinant += int64_t{a[x]} * b[y] * c[z] - int64_t{a[x]} * b[z] * c[y];
    }
    EXPECT_EQ(dot(a, b), sum);
    const Int3 normal = cross(a, b);
    EXPECT_EQ(int64_t{normal.x} * c.x + int64_t{normal.y} * c.y + int64_t{normal.z} * c.z, determinant);
  }
  EXPECT_EQ(cross(Vec3d{1, 0, 0}, Vec3d{0, 1, 0}), (Vec3d{0, 0, 1}));
}

}  // namespace
}  // namespace vox
