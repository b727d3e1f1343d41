// Tests shapes of all sizes, up to the largest, at the critical place: their borders.
#include "libvox/edit/shape.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace vox
