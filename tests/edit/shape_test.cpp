// Shapes of all sizes, at their borders, and the boxes that edits may touch.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "libvox/edit/edit.h"
#include "libvox/edit/shape.h"
#include "tests/common/random.h"
#include "tests/edit/edited_scene.h"

namespace vox {
namespace {

constexpr uint32_t kResolution = 20;
constexpr VoxelBox kGrid = {{0, 0, 0}, {20, 20, 20}};

bool contains(const VoxelBox& box, Int3 v) {
  return v.x >= box.min.x && v.x < box.max.x && v.y >= box.min.y && v.y < box.max.y && v.z >= box.min.z &&
         v.z < box.max.z;
}

template <class F>
void for_each_voxel(const VoxelBox& box, F f) {
  for (int32_t z = box.min.z; z < box.max.z; ++z)
    for (int32_t y = box.min.y; y < box.max.y; ++y)
      for (int32_t x = box.min.x; x < box.max.x; ++x) f(Int3{x, y, z});
}

edit::EditPlace random_place(Random& random) {
  auto one = [&] { return static_cast<int64_t>(random.below(40 * 256)) - 10 * 256; };
  int64_t x = one(), y = one();
  return {x, y, one()};
}

// True if the center of a voxel lies in the shape, by exact arithmetic if necessary.
bool holds(const edit::Shape& shape, Int3 v) {
  edit::EditPlace p = edit::EditPlace{v.x, v.y, v.z} * 256 + edit::EditPlace{128, 128, 128};
  edit::EditPlace from = p - shape.a, axis = shape.b - shape.a;
  switch (shape.kind) {
    case edit::ShapeKind::Sphere:
      return dot(from, from) <= shape.radius * shape.radius;
    case edit::ShapeKind::Box:
      return p.x >= shape.a.x && p.y >= shape.a.y && p.z >= shape.a.z && p.x <= shape.b.x &&
             p.y <= shape.b.y && p.z <= shape.b.z;
    case edit::ShapeKind::Ellipsoid: {
      auto part = [](int64_t d, int64_t r) {
        return d == 0 ? 0 : static_cast<double>(d * d) / static_cast<double>(r * r);
      };
      return part(from.x, shape.b.x) + part(from.y, shape.b.y) + part(from.z, shape.b.z) <= 1;
    }
    case edit::ShapeKind::Capsule:
    case edit::ShapeKind::Cylinder: {
      double length2 = static_cast<double>(dot(axis, axis));
      double t = length2 == 0 ? 0 : static_cast<double>(dot(from, axis)) / length2;
      if (shape.kind == edit::ShapeKind::Cylinder && (t < 0 || t > 1)) return false;
      t = std::clamp(t, 0.0, 1.0);
      auto off = [&](int64_t d, int64_t a) { return static_cast<double>(d) - t * static_cast<double>(a); };
      double x = off(from.x, axis.x), y = off(from.y, axis.y), z = off(from.z, axis.z);
      auto r = static_cast<double>(shape.radius);
      return x * x + y * y + z * z <= r * r;
    }
    case edit::ShapeKind::Everything:
      break;
  }
  return true;
}

edit::Shape random_shape(Random& random) {
  edit::Shape shape{.kind = static_cast<edit::ShapeKind>(random.below(6))};
  shape.a = random_place(random);
  shape.b = random_place(random);
  shape.radius = random.below(8 * 256);
  if (shape.kind == edit::ShapeKind::Ellipsoid)
    shape.b = {1 + random.below(2000), 1 + random.below(2000), 1 + random.below(2000)};
  return shape;
}

TEST(EditBounds, HoldEveryVoxelOfTheShape) {
  Random random(11);
  for (int round = 0; round < 400; ++round) {
    edit::Shape shape = random_shape(random);
    VoxelBox box = edit::written_box(edit::PaintEdit{.shape = shape}, kResolution);
    EXPECT_TRUE(box.empty() || intersection(box, kGrid) == box);
    for_each_voxel(kGrid, [&](Int3 v) {
      ASSERT_TRUE(contains(box, v) || !holds(shape, v)) << "kind " << int(shape.kind);
    });
  }
}

TEST(EditBounds, OfBoxesSpheresAndEllipsoidsAreTight) {
  Random random(12);
  for (int round = 0; round < 300; ++round) {
    edit::Shape shape = random_shape(random);
    if (shape.kind != edit::ShapeKind::Box) continue;
    VoxelBox box = edit::written_box(edit::PaintEdit{.shape = shape}, kResolution);
    for_each_voxel(box, [&](Int3 v) { ASSERT_TRUE(holds(shape, v)); });
  }
  edit::Shape sphere{
      .kind = edit::ShapeKind::Sphere, .a = {2688, 2688, 2688}, .radius = 512};  // center 10.5, radius 2
  EXPECT_EQ(edit::bounds_of(sphere), (VoxelBox{{8, 8, 8}, {13, 13, 13}}));
  sphere.radius = 511;
  EXPECT_EQ(edit::bounds_of(sphere), (VoxelBox{{9, 9, 9}, {12, 12, 12}}));
  edit::Shape ellipsoid{.kind = edit::ShapeKind::Ellipsoid, .a = {-128, 128, 128}, .b = {512, 0, 256}};
  EXPECT_EQ(edit::bounds_of(ellipsoid), (VoxelBox{{-3, 0, -1}, {2, 1, 2}}));
}

TEST(EditBounds, RoughSurfacesReachFurther) {
  edit::Shape rough{
      .kind = edit::ShapeKind::Box, .a = {1280, 1280, 1280}, .b = {2560, 2560, 2560}, .roughness = 512};
  EXPECT_EQ(edit::bounds_of(rough), (VoxelBox{{3, 3, 3}, {12, 12, 12}}));
  edit::Shape sphere{
      .kind = edit::ShapeKind::Sphere, .a = {2688, 2688, 2688}, .radius = 256, .roughness = 256};
  EXPECT_EQ(edit::bounds_of(sphere), (VoxelBox{{8, 8, 8}, {13, 13, 13}}));
}

TEST(EditBounds, NothingIsWrittenOutsideOfTheGrid) {
  edit::Shape sphere{.kind = edit::ShapeKind::Sphere, .a = {-2560, 0, 0}, .radius = 2560 - 129};
  EXPECT_TRUE(edit::written_box(edit::PaintEdit{.shape = sphere}, kResolution).empty());
  sphere.radius = 2560 + 128;
  EXPECT_FALSE(edit::written_box(edit::PaintEdit{.shape = sphere}, kResolution).empty());
  edit::CopyEdit copy{.source = {{0, 0, 0}, {5, 5, 5}}, .to = {-5, 0, 0}};
  EXPECT_TRUE(edit::written_box(copy, kResolution).empty());
  EXPECT_TRUE(edit::read_box(copy, kResolution).empty());
}

TEST(EditBounds, HugePlacesDoNotOverflow) {
  int64_t far = edit::kMaxEditPlace * edit::kEditUnits, radius = edit::kMaxEditRadius * edit::kEditUnits;
  edit::Shape capsule{
      .kind = edit::ShapeKind::Capsule, .a = {-far, -far, -far}, .b = {far, far, far}, .radius = radius};
  uint32_t resolution = 1 << 20;
  EXPECT_EQ(edit::written_box(edit::PaintEdit{.shape = capsule}, resolution), cube_at({0, 0, 0}, resolution));
  auto end = static_cast<int32_t>(edit::kMaxEditPlace);
  edit::CopyEdit copy{.source = {{-end, -end, -end}, {end, end, end}}, .to = {end, end, end}};
  EXPECT_TRUE(edit::written_box(copy, resolution).empty());
  copy.to = {-end, -end, -end};
  EXPECT_EQ(edit::written_box(copy, resolution), cube_at({0, 0, 0}, resolution));
  edit::MorphEdit morph{.steps = UINT32_MAX};
  EXPECT_EQ(edit::read_box(morph, resolution), cube_at({0, 0, 0}, resolution));
}

TEST(EditBounds, ACopyReadsItsSourceAndWritesTheTurnedBoxInItsShape) {
  edit::CopyEdit copy{.source = {{1, 1, 1}, {4, 6, 9}}, .turn = edit::quarter_turn(2), .to = {10, 10, 10}};
  EXPECT_EQ(edit::written_box(copy, kResolution), (VoxelBox{{10, 10, 10}, {15, 13, 18}}));
  EXPECT_EQ(edit::read_box(copy, kResolution), copy.source);
  copy.within = {.kind = edit::ShapeKind::Box, .a = {0, 0, 0}, .b = {12 * 256, 20 * 256, 11 * 256}};
  EXPECT_EQ(edit::written_box(copy, kResolution), (VoxelBox{{10, 10, 10}, {12, 13, 11}}));
  copy.scene = 1;
  EXPECT_TRUE(edit::read_box(copy, kResolution).empty());
}

TEST(EditBounds, OtherScenesThatAreNotYetLoadedMayReachTheEndOfTheGrid) {
  edit::CopyEdit stamp{.scene = 1, .to = {3, 4, -5}};
  EXPECT_EQ(edit::written_box(stamp, kResolution), (VoxelBox{{3, 4, 0}, {20, 20, 20}}));
  edit::CombineEdit combine{.scene = 1, .mode = edit::CombineMode::Union, .at = {3, 4, -5}};
  EXPECT_EQ(edit::written_box(combine, kResolution), (VoxelBox{{3, 4, 0}, {20, 20, 20}}));
  combine.mode = edit::CombineMode::Intersect;
  EXPECT_EQ(edit::written_box(combine, kResolution), kGrid);
  EXPECT_TRUE(edit::written_box(edit::CopyEdit{.to = {3, 4, 5}}, kResolution).empty());
}

TEST(EditBounds, AFillWithoutItsSeedInShapeAndGridWritesNothing) {
  edit::Shape box{.kind = edit::ShapeKind::Box, .a = {-2560, 0, 0}, .b = {2560, 2560, 2560}};
  EXPECT_EQ(edit::written_box(edit::FillEdit{.seed = {9, 9, 9}, .shape = box}, kResolution),
            (VoxelBox{{0, 0, 0}, {10, 10, 10}}));
  EXPECT_TRUE(edit::written_box(edit::FillEdit{.seed = {10, 9, 9}, .shape = box}, kResolution).empty());
  EXPECT_TRUE(edit::written_box(edit::FillEdit{.seed = {-1, 9, 9}, .shape = box}, kResolution).empty());
  EXPECT_EQ(edit::written_box(edit::FillEdit{.seed = {19, 0, 0}}, kResolution), kGrid);
}

TEST(EditBounds, MorphsReadAsFarAsTheirStepsReach) {
  edit::Shape box{.kind = edit::ShapeKind::Box, .a = {1280, 1280, 1280}, .b = {2560, 2560, 2560}};
  edit::MorphEdit morph{.shape = box, .mode = edit::MorphMode::Dilate, .steps = 7};
  EXPECT_EQ(edit::written_box(morph, kResolution), (VoxelBox{{5, 5, 5}, {10, 10, 10}}));
  EXPECT_EQ(edit::read_box(morph, kResolution), (VoxelBox{{0, 0, 0}, {17, 17, 17}}));
  EXPECT_TRUE(edit::read_box(edit::PaintEdit{.shape = box}, kResolution).empty());
}

// Bounds are right if an edit changes no voxel outside the box that it writes, and depends on none outside
// the box that it reads.

bool holds(const VoxelBox& box, const Int3& p) {
  return p.x >= box.min.x && p.y >= box.min.y && p.z >= box.min.z && p.x < box.max.x && p.y < box.max.y &&
         p.z < box.max.z;
}

TEST(EditBounds, NoVoxelOutsideOfWhatIsWrittenChanges) {
  for (uint64_t seed = 0; seed < 60 * kThoroughness; ++seed) {
    Random random(seed);
    std::vector<Dense> scenes = {random_scene(random, 16, true), random_scene(random, 21, true)};
    const Dense before = scenes[0];
    const edit::Edit edit = random_edit(random, scenes);
    const VoxelBox box = written_by(edit, scenes);
    apply(edit, scenes, true);
    for_each_voxel(before, [&](const Int3& p) {
      if (holds(box, p)) return;
      ASSERT_EQ(scenes[0].at(p), before.at(p)) << text_of(p) << ": " << std::visit(EditText(), edit);
    });
  }
}

TEST(EditBounds, NoVoxelOutsideOfWhatIsReadOrWrittenMatters) {
  for (uint64_t seed = 0; seed < 60 * kThoroughness; ++seed) {
    Random random(seed);
    std::vector<Dense> scenes = {random_scene(random, 16, true), random_scene(random, 21, true)};
    const edit::Edit edit = random_edit(random, scenes);
    const VoxelBox box = written_by(edit, scenes), looked_at = edit::read_box(edit, 16);
    std::vector<Dense> others = scenes;
    for_each_voxel(scenes[0], [&](const Int3& p) {
      if (!holds(box, p) && !holds(looked_at, p))
        others[0].at(p) = static_cast<int8_t>(between(random, dag::kEmptyVoxel, 15));
    });
    apply(edit, scenes, true);
    apply(edit, others, true);
    for_each_voxel(scenes[0], [&](const Int3& p) {
      if (!holds(box, p)) return;
      ASSERT_EQ(scenes[0].at(p), others[0].at(p)) << text_of(p) << ": " << std::visit(EditText(), edit);
    });
  }
}

// Tests shapes of all sizes, up to the largest, at the critical place: their borders.

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
