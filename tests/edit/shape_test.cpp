// Tests shapes of all sizes, up to the largest, at the critical place: their borders.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "libvox/edit/edit.h"
#include "libvox/edit/shape.h"
#include "tests/common/random.h"
#include "tests/edit/edited_scene.h"

namespace vox {
namespace {

edit::EditPlace place(const Triple& p) {
  return {p[0], p[1], p[2]};
}

// Returns a length from 0 to `reach` whose order of magnitude is uniformly distributed.
int64_t length_up_to(Random& random, int64_t reach) {
  const auto bits = 1 + random.below(static_cast<uint32_t>(std::bit_width(static_cast<uint64_t>(reach))));
  return between64(random, 0, std::min((int64_t{1} << bits) - 1, reach));
}

Triple place_within(Random& random, int64_t reach) {
  Triple p;
  for (int64_t& v : p) v = (one_in(random, 2) ? 1 : -1) * length_up_to(random, reach);
  return p;
}

edit::Shape shape_of(Random& random, edit::ShapeKind kind) {
  constexpr int64_t kReach = edit::kMaxEditPlace * edit::kEditUnits,
                    kRadius = edit::kMaxEditRadius * edit::kEditUnits;
  edit::Shape shape = {.kind = kind, .a = place(place_within(random, kReach))};
  shape.radius = length_up_to(random, kRadius);
  if (kind == edit::ShapeKind::Ellipsoid)
    shape.b = {length_up_to(random, kRadius), length_up_to(random, kRadius), length_up_to(random, kRadius)};
  else
    shape.b = place(place_within(random, kReach));
  if (kind == edit::ShapeKind::Cylinder && shape.b == shape.a) shape.b.x ^= 1;
  return shape;
}

// Returns two places one unit apart, found along an axis from a place inside: the first one belongs to the
// shape, the other does not.
std::pair<Triple, Triple> border(Random& random, const edit::Shape& shape, const Triple& inside) {
  const size_t axis = random.below(3);
  const int64_t sign = one_in(random, 2) ? 1 : -1;
  int64_t in = 0, out = int64_t{1} << 29;
  Triple a = inside, b = inside;
  while (out - in > 1) {
    a[axis] = inside[axis] + sign * (in + out) / 2;
    (dense_contains(shape, a) ? in : out) = (in + out) / 2;
  }
  a[axis] = inside[axis] + sign * in;
  b[axis] = inside[axis] + sign * out;
  return {a, b};
}

TEST(Shape, HoldsWhatIsExactlyOnItsBorder) {
  for (const edit::ShapeKind kind : {edit::ShapeKind::Sphere, edit::ShapeKind::Box, edit::ShapeKind::Capsule,
                                     edit::ShapeKind::Cylinder, edit::ShapeKind::Ellipsoid}) {
    Random random(static_cast<uint64_t>(kind));
    for (uint32_t i = 0; i < 500 * kThoroughness; ++i) {
      const edit::Shape shape = shape_of(random, kind);
      Triple inside = triple(shape.a);
      const bool round = kind == edit::ShapeKind::Sphere || kind == edit::ShapeKind::Ellipsoid;
      for (size_t k = 0; round && k < 3; ++k)  // moved off the axes, where it stays inside
        inside[k] += (one_in(random, 2) ? 1 : -1) *
                     (kind == edit::ShapeKind::Sphere ? shape.radius : triple(shape.b)[k]) *
                     static_cast<int64_t>(random.below(1000)) / 1800;
      if (!dense_contains(shape, inside)) continue;
      const auto [in, out] = border(random, shape, inside);
      for (const Triple& p : {inside, in, out})
        ASSERT_EQ(edit::contains(shape, place(p)), dense_contains(shape, p))
            << text_of(shape) << " at " << p[0] << "," << p[1] << "," << p[2];
    }
  }
}

TEST(Shape, RegionsInsideAndOutsideOfItAreSoVoxelByVoxel) {
  Random random(9);
  for (uint32_t i = 0; i < 2000 * kThoroughness; ++i) {
    const edit::Shape shape = random_shape(random, 64);
    const int32_t side = 4 << random.below(2);
    const Int3 cell = {between(random, 0, 63), between(random, 0, 63), between(random, 0, 63)};
    const edit::Region region = {{cell.x / side * side, cell.y / side * side, cell.z / side * side}, 0, side};
    const edit::Where where = edit::where_is(shape, region);
    if (where == edit::Where::Border) continue;
    for (int32_t v = 0; v < side * side * side; ++v) {
      const Int3 p = region.min + Int3{v % side, v / side % side, v / side / side};
      ASSERT_EQ(dense_contains(shape, p), where == edit::Where::Inside)
          << text_of(shape) << " at " << text_of(p);
    }
  }
}

Int3 turned(const edit::Turn& turn, Int3 offset) {
  const int32_t from[3] = {offset.x, offset.y, offset.z};
  int32_t to[3];
  for (size_t k = 0; k < 3; ++k) to[k] = turn.flip[k] ? -from[turn.axis[k]] : from[turn.axis[k]];
  return {to[0], to[1], to[2]};
}

TEST(Turn, AQuarterTurnIsRightHanded) {
  Int3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
  EXPECT_EQ(turned(edit::quarter_turn(2), x), y);
  EXPECT_EQ(turned(edit::quarter_turn(2), y), (Int3{-1, 0, 0}));
  EXPECT_EQ(turned(edit::quarter_turn(2), z), z);
  EXPECT_EQ(turned(edit::quarter_turn(0), y), z);
  EXPECT_EQ(turned(edit::quarter_turn(0), z), (Int3{0, -1, 0}));
  EXPECT_EQ(turned(edit::quarter_turn(1), z), x);
  EXPECT_EQ(turned(edit::quarter_turn(1), x), (Int3{0, 0, -1}));
}

TEST(Turn, FourQuarterTurnsAndTwoMirrorImagesAreNone) {
  for (uint8_t axis = 0; axis < 3; ++axis) {
    edit::Turn half = edit::followed_by(edit::quarter_turn(axis), edit::quarter_turn(axis));
    EXPECT_NE(half, edit::Turn());
    EXPECT_EQ(edit::followed_by(half, half), edit::Turn());
    EXPECT_EQ(edit::followed_by(edit::mirror_image(axis), edit::mirror_image(axis)), edit::Turn());
  }
}

TEST(Turn, OneAfterTheOtherIsBothInThisOrder) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    edit::Turn all;
    Int3 place = {3, 5, 7}, size = {3, 5, 7};
    for (int i = 0; i < 6; ++i) {
      auto axis = static_cast<uint8_t>(random.below(3));
      edit::Turn one = random.below(2) == 0 ? edit::quarter_turn(axis) : edit::mirror_image(axis);
      all = edit::followed_by(all, one);
      place = turned(one, place);
    }
    EXPECT_EQ(turned(all, {3, 5, 7}), place);
    Int3 expected = {std::abs(place.x), std::abs(place.y), std::abs(place.z)};
    EXPECT_EQ(edit::turned_size(all, size), expected);
  }
}

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
