#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/voxelize/descend.h"
#include "libvox/voxelize/grid.h"
#include "tests/common/random.h"

namespace vox {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

scene::Scene scene_of(std::vector<Vec3d> positions) {
  scene::Scene scene;
  scene.positions = std::move(positions);
  scene.triangles.push_back({{0, 1, 2}, {scene::kNone, scene::kNone, scene::kNone}, 0});
  scene.materials.resize(1);
  return scene;
}

// A triangle whose bounding box is 2 x 6 x 3 from (1, -2, 5).
scene::Scene slab() {
  return scene_of({{1, -2, 5}, {3, 4, 6}, {2, 0, 8}});
}

TEST(BoundingBox, HoldsWhatTrianglesUseAndNothingElse) {
  scene::Scene scene = slab();
  scene.positions.push_back({1000, 1000, kInfinity});
  voxelize::Box box = voxelize::bounding_box(scene);
  EXPECT_EQ(box.min, (Vec3d{1, -2, 5}));
  EXPECT_EQ(box.max, (Vec3d{3, 4, 8}));
}

TEST(FitGrid, LongestSideSpansTheVoxelsFromTheCornerOfTheBox) {
  for (uint32_t resolution : {4u, 5u, 100u, 65536u, 1u << 20}) {
    voxelize::Grid grid = voxelize::fit_grid(slab(), {.resolution = resolution});
    EXPECT_EQ(grid.resolution, resolution);
    EXPECT_EQ(grid.origin, (Vec3d{1, -2, 5}));
    EXPECT_DOUBLE_EQ(grid.voxel_size.x * resolution, 6);
  }
}

TEST(FitGrid, CenteringMovesTheShorterSidesOnly) {
  voxelize::Grid grid = voxelize::fit_grid(slab(), {.resolution = 12, .center = true});
  EXPECT_EQ(grid.origin, (Vec3d{1 - 2, -2, 5 - 1.5}));
  EXPECT_EQ(grid.voxel_size, 0.5);
}

TEST(FitGrid, VoxelSizeDecidesHowManyVoxelsTheLongestSideNeeds) {
  EXPECT_EQ(voxelize::fit_grid(slab(), {.voxel_size = 0.5}).resolution, 12u);
  EXPECT_EQ(voxelize::fit_grid(slab(), {.voxel_size = 0.499}).resolution, 13u);
  EXPECT_EQ(voxelize::fit_grid(slab(), {.voxel_size = 0.55}).resolution, 11u);  // 10.9 voxels
  EXPECT_EQ(voxelize::fit_grid(slab(), {.voxel_size = 0.55}).voxel_size, 0.55);
}

TEST(FitGrid, RoundingOfAVoxelSizeAddsNoVoxel) {
  double single_precision = 1.1f;
  ASSERT_GT(single_precision / 0.1, 11);
  scene::Scene scene = scene_of({{0, 0, 0}, {single_precision, 0, 0}, {0, 1, 0}});
  EXPECT_EQ(voxelize::fit_grid(scene, {.voxel_size = 0.1}).resolution, 11u);
}

TEST(FitGrid, CenteringWithAVoxelSizeLeavesTheSameSpaceOnBothSides) {
  voxelize::Grid grid = voxelize::fit_grid(slab(), {.voxel_size = 0.55, .center = true});
  double side = 0.55 * 11;
  EXPECT_DOUBLE_EQ(grid.origin.y, 1 - side / 2);
  EXPECT_DOUBLE_EQ(grid.origin.x, 2 - side / 2);
}

TEST(FitGrid, ClipReplacesTheBoxOfTheScene) {
  voxelize::Grid grid =
      voxelize::fit_grid(slab(), {.resolution = 8, .clip = voxelize::Box{{0, 0, 0}, {1, 2, 4}}});
  EXPECT_EQ(grid.origin, (Vec3d{0, 0, 0}));
  EXPECT_EQ(grid.voxel_size, 0.5);
}

TEST(FitGrid, ASnappedOriginIsAMultipleOfTheVoxelSizeAndTheGridHoldsTheScene) {
  for (double size : {0.1, 0.3, 0.55, 1.0}) {
    const voxelize::Grid grid = voxelize::fit_grid(slab(), {.voxel_size = size, .snap = true});
    ASSERT_TRUE(grid.first_voxel);
    EXPECT_EQ(*grid.first_voxel, (Vec3d{std::floor(1 / size), std::floor(-2 / size), std::floor(5 / size)}));
    EXPECT_EQ(grid.origin, *grid.first_voxel * size);
    const uint32_t plain = voxelize::fit_grid(slab(), {.voxel_size = size}).resolution;
    EXPECT_GE(grid.resolution, plain);
    EXPECT_LE(grid.resolution, plain + 1);
    EXPECT_GT(grid.first_voxel->y + grid.resolution, 4 / size);  // its far face is in a voxel, too
  }
}

TEST(FitGrid, SnappingGoesWithResolutionsClipBoxesAndCentring) {
  const voxelize::Grid plain = voxelize::fit_grid(slab(), {.resolution = 12, .snap = true});
  EXPECT_EQ(plain.voxel_size, 0.5);
  EXPECT_EQ(plain.origin, (Vec3d{1, -2, 5}));
  EXPECT_EQ(plain.resolution, 13u);
  ASSERT_LT(0.7 / 0.1, 7);
  const voxelize::Grid clip = voxelize::fit_grid(
      slab(), {.voxel_size = 0.1, .snap = true, .clip = voxelize::Box{{0.3, 0.7, 0.3}, {1.1, 1.5, 1.1}}});
  EXPECT_EQ(*clip.first_voxel, (Vec3d{3, 7, 3}));
  EXPECT_EQ(clip.resolution, 8u);
  ASSERT_GT(2.1 / 0.3, 7);
  EXPECT_EQ(voxelize::fit_grid(
                slab(), {.voxel_size = 0.3, .snap = true, .clip = voxelize::Box{{0, 0, 0}, {2.1, 1, 1}}})
                .resolution,
            7u);
  const voxelize::Grid cut = voxelize::fit_grid(
      slab(), {.voxel_size = 0.1, .snap = true, .clip = voxelize::Box{{0.35, 0.35, 0.35}, {1, 1.05, 1}}});
  EXPECT_EQ(*cut.first_voxel, (Vec3d{3, 3, 3}));
  EXPECT_EQ(cut.resolution, 8u);
  const voxelize::Grid centered =
      voxelize::fit_grid(slab(), {.voxel_size = 0.55, .center = true, .snap = true});
  EXPECT_EQ(*centered.first_voxel, (Vec3d{-2, -4, 6}));
  EXPECT_THROW(voxelize::fit_grid(slab(), {.resolution = 1u << 20, .snap = true}), UsageError);
  EXPECT_THROW(voxelize::fit_grid(scene_of({{1e15, 0, 0}, {1e15 + 4, 0, 0}, {1e15, 1, 0}}),
                                  {.voxel_size = 1e-1, .snap = true}),
               Error);
}

TEST(FitGrid, ResolutionsThatCannotBeAreRefused) {
  for (uint32_t resolution : {1u, 3u, (1u << 20) + 1, UINT32_MAX})
    EXPECT_THROW(voxelize::fit_grid(slab(), {.resolution = resolution}), UsageError) << resolution;
  for (double size : {2.0, 1e300, 6.0 / (1 << 21), 1e-300, 5e-324, -1.0, kInfinity, std::nan("")})
    EXPECT_THROW(voxelize::fit_grid(slab(), {.voxel_size = size}), UsageError) << size;
  EXPECT_EQ(voxelize::fit_grid(slab(), {.voxel_size = 6.0 / (1 << 20)}).resolution, 1u << 20);
  EXPECT_EQ(voxelize::fit_grid(slab(), {.voxel_size = 1.5}).resolution, 4u);
}

TEST(FitGrid, AVoxelOfThreeSidesDividesEachAxisByItsOwn) {
  const VoxelSize size = {0.25, 1, 0.5};
  const voxelize::Grid grid = voxelize::fit_grid(slab(), {.voxel_size = size});
  EXPECT_EQ(grid.resolution, 8u);  // 2 units along x; along y and z, 6 voxels each
  EXPECT_EQ(grid.voxel_size, size);
  EXPECT_EQ(grid.origin, (Vec3d{1, -2, 5}));
  const voxelize::Grid centered = voxelize::fit_grid(slab(), {.voxel_size = size, .center = true});
  EXPECT_EQ(centered.origin, (Vec3d{1, 1 - 4, 6.5 - 2}));
  const voxelize::Grid snapped = voxelize::fit_grid(slab(), {.voxel_size = {0.3, 0.7, 2}, .snap = true});
  EXPECT_EQ(*snapped.first_voxel, (Vec3d{3, -3, 2}));
  EXPECT_EQ(snapped.origin, (Vec3d{3 * 0.3, -3 * 0.7, 4}));
  EXPECT_EQ(snapped.resolution, 9u);  // y: from -3 to 6
  EXPECT_THROW(voxelize::fit_grid(slab(), {.voxel_size = {0.25, 0, 0.5}}), UsageError);
  EXPECT_THROW(voxelize::fit_grid(slab(), {.voxel_size = {0.25, 1, std::nan("")}}), UsageError);
}

TEST(FitGrid, WantsEitherAResolutionOrAVoxelSize) {
  EXPECT_THROW(voxelize::fit_grid(slab(), {}), UsageError);
  EXPECT_THROW(voxelize::fit_grid(slab(), {.resolution = 8, .voxel_size = 1}), UsageError);
}

TEST(FitGrid, ScenesWithoutSizeAreRefused) {
  EXPECT_THROW(voxelize::fit_grid(scene::Scene(), {.resolution = 8}), Error);
  EXPECT_THROW(voxelize::fit_grid(scene_of({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}), {.resolution = 8}), Error);
  EXPECT_THROW(voxelize::fit_grid(scene_of({{-1e308, 0, 0}, {1e308, 0, 0}, {0, 1, 0}}), {.resolution = 8}),
               Error);
  EXPECT_THROW(voxelize::fit_grid(scene_of({{0, 0, 0}, {5e-324, 0, 0}, {0, 0, 5e-324}}), {.resolution = 8}),
               Error);
}

TEST(FitGrid, EmptyClipBoxesAreRefused) {
  for (voxelize::Box clip :
       {voxelize::Box{{0, 0, 0}, {0, 0, 0}}, voxelize::Box{{1, 0, 0}, {0, 5, 5}},
        voxelize::Box{{0, 0, 0}, {1, kInfinity, 1}}, voxelize::Box{{0, 0, std::nan("")}, {1, 1, 1}}})
    EXPECT_THROW(voxelize::fit_grid(slab(), {.resolution = 8, .clip = clip}), UsageError);
}

TEST(TurnUp, TheAxisThatPointedUpBecomesY) {
  auto turned = [](Vec3d p, dag::UpAxis up) {
    scene::Scene scene;
    scene.positions = {p};
    voxelize::turn_up(scene, up);
    return scene.positions[0];
  };
  EXPECT_EQ(turned({1, 0, 0}, dag::UpAxis::X), (Vec3d{0, 1, 0}));
  EXPECT_EQ(turned({0, 1, 0}, dag::UpAxis::Y), (Vec3d{0, 1, 0}));
  EXPECT_EQ(turned({0, 0, 1}, dag::UpAxis::Z), (Vec3d{0, 1, 0}));
}

TEST(TurnUp, IsARotationAndNeverMirrors) {
  for (dag::UpAxis up : {dag::UpAxis::X, dag::UpAxis::Y, dag::UpAxis::Z}) {
    scene::Scene scene;
    scene.positions = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    voxelize::turn_up(scene, up);
    EXPECT_EQ(cross(scene.positions[0], scene.positions[1]), scene.positions[2]);
  }
}

TEST(Grid, ABoxTouchesTheVoxelsThatItLiesInInsideOfTheGridAlone) {
  dag::VoxelScene scene;
  scene.dag.resolution = 10;
  scene.origin = {1, 2, 3};
  scene.voxel_size = 0.5;
  EXPECT_EQ(voxelize::voxels_touched(scene, {{1.6, 2, 4.2}, {2.1, 2.5, 4.3}}),
            (VoxelBox{{1, 0, 2}, {3, 1, 3}}));
  EXPECT_EQ(voxelize::voxels_touched(scene, {{-9, 3, -9}, {99, 99, 99}}),
            (VoxelBox{{0, 2, 0}, {10, 10, 10}}));
  EXPECT_TRUE(voxelize::voxels_touched(scene, {{-9, -9, -9}, {-8, 99, 99}}).empty());
}

}  // namespace
}  // namespace vox

namespace vox::voxelize {
namespace {

// Tests the order of chunk cells in rows.

TEST(ChunkCells, RowCodesPassEachRowFromLeftToRight) {
  constexpr uint32_t kBits = 4, kSide = 1 << kBits;
  std::map<uint64_t, uint64_t> in_order;  // by row code
  for (uint64_t morton = 0; morton < kSide * kSide * kSide; ++morton) {
    const uint64_t code = row_code(morton, kBits);
    EXPECT_LT(code, kSide * kSide * kSide);
    EXPECT_EQ(morton_of_row_code(code, kBits), morton);
    EXPECT_TRUE(in_order.emplace(code, morton).second);
  }
  Int3 last = {kSide - 1, -1, -1};
  for (const auto& [code, morton] : in_order) {
    const Int3 cell = morton_decode(morton);
    if (last.x + 1 < static_cast<int32_t>(kSide)) {
      EXPECT_EQ(cell, (Int3{last.x + 1, last.y, last.z}));
    } else {
      EXPECT_EQ(cell.x, 0);
    }
    last = cell;
  }
}

TEST(ChunkCells, CodesOfTheLargestGridsStayWhatTheyAre) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t morton =
        morton_encode(random.below(1 << 12), random.below(1 << 12), random.below(1 << 12));
    EXPECT_EQ(morton_of_row_code(row_code(morton, 12), 12), morton);
  }
}

}  // namespace
}  // namespace vox::voxelize
