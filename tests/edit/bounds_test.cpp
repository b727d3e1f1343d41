#include <gtest/gtest.h>

#include "libvox/edit/edit.h"
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

}  // namespace
}  // namespace vox
