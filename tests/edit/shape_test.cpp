// Shapes of all sizes, up to the largest, where it matters: at their borders.
#include "libvox/edit/shape.h"

#include <gtest/gtest.h>

#include "tests/edit/edited_scene.h"

namespace vox {
namespace {

EditPlace place(const Triple& p) {
  return {p[0], p[1], p[2]};
}

// Anywhere from 0 to the reach, as often in one order of magnitude as in another.
int64_t length_up_to(Random& random, int64_t reach) {
  const auto bits = 1 + random.below(static_cast<uint32_t>(std::bit_width(static_cast<uint64_t>(reach))));
  return between64(random, 0, std::min((int64_t{1} << bits) - 1, reach));
}

Triple place_within(Random& random, int64_t reach) {
  Triple p;
  for (int64_t& v : p) v = (one_in(random, 2) ? 1 : -1) * length_up_to(random, reach);
  return p;
}

Shape shape_of(Random& random, ShapeKind kind) {
  constexpr int64_t kReach = kMaxEditPlace * kEditUnits, kRadius = kMaxEditRadius * kEditUnits;
  Shape shape = {.kind = kind, .a = place(place_within(random, kReach))};
  shape.radius = length_up_to(random, kRadius);
  if (kind == ShapeKind::Ellipsoid)
    shape.b = {length_up_to(random, kRadius), length_up_to(random, kRadius), length_up_to(random, kRadius)};
  else
    shape.b = place(place_within(random, kReach));
  if (kind == ShapeKind::Cylinder && shape.b == shape.a) shape.b.x ^= 1;
  return shape;
}

// Two places one apart of which one belongs to the shape and the other does not: from a place inside along an
// axis.
std::pair<Triple, Triple> border(Random& random, const Shape& shape, const Triple& inside) {
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
  for (const ShapeKind kind :
       {ShapeKind::Sphere, ShapeKind::Box, ShapeKind::Capsule, ShapeKind::Cylinder, ShapeKind::Ellipsoid}) {
    Random random(static_cast<uint64_t>(kind));
    for (uint32_t i = 0; i < 500 * kThoroughness; ++i) {
      const Shape shape = shape_of(random, kind);
      Triple inside = triple(shape.a);
      const bool round = kind == ShapeKind::Sphere || kind == ShapeKind::Ellipsoid;
      for (size_t k = 0; round && k < 3; ++k)  // off the axes, where it stays inside
        inside[k] += (one_in(random, 2) ? 1 : -1) *
                     (kind == ShapeKind::Sphere ? shape.radius : triple(shape.b)[k]) *
                     static_cast<int64_t>(random.below(1000)) / 1800;
      if (!dense_contains(shape, inside)) continue;
      const auto [in, out] = border(random, shape, inside);
      for (const Triple& p : {inside, in, out})
        ASSERT_EQ(contains(shape, place(p)), dense_contains(shape, p))
            << text_of(shape) << " at " << p[0] << "," << p[1] << "," << p[2];
    }
  }
}

TEST(Shape, RegionsInsideAndOutsideOfItAreSoVoxelByVoxel) {
  Random random(9);
  for (uint32_t i = 0; i < 2000 * kThoroughness; ++i) {
    const Shape shape = random_shape(random, 64);
    const int32_t side = 4 << random.below(2);
    const Int3 cell = {between(random, 0, 63), between(random, 0, 63), between(random, 0, 63)};
    const Region region = {{cell.x / side * side, cell.y / side * side, cell.z / side * side}, 0, side};
    const Where where = where_is(shape, region);
    if (where == Where::Border) continue;
    for (int32_t v = 0; v < side * side * side; ++v) {
      const Int3 p = region.min + Int3{v % side, v / side % side, v / side / side};
      ASSERT_EQ(dense_contains(shape, p), where == Where::Inside) << text_of(shape) << " at " << text_of(p);
    }
  }
}

}  // namespace
}  // namespace vox
