// Compares the voxels that two scenes both fill with a loop over all voxels.
#include "libvox/measure/scene_overlap.h"

#include <gtest/gtest.h>

#include "libvox/base/error.h"
#include "tests/common/test_engine.h"
#include "tests/dag/grids.h"
#include "tests/dag/same_dag.h"

namespace vox {
namespace {

using MaterialVoxels = std::array<uint64_t, scene::kPaletteSize>;

// Two scenes as functions of the voxel, and their common voxels, counted one by one.
struct DenseOverlap {
  DenseGrid first, second;
  bool materials_of_first, materials_of_second;

  uint64_t voxels = 0, only_first = 0, only_second = 0;
  MaterialVoxels by_first = {}, by_second = {};
  VoxelBox box = {};

  void count(uint32_t side) {
    for (uint32_t z = 0; z < side; ++z)
      for (uint32_t y = 0; y < side; ++y)
        for (uint32_t x = 0; x < side; ++x) add({int32_t(x), int32_t(y), int32_t(z)});
  }
  // Returns the scene of the voxels that both fill.
  dag::FrozenDag both(uint32_t side) const {
    return dense_dag(side, materials_of_first, [&](uint32_t x, uint32_t y, uint32_t z) {
      return second(x, y, z) == dag::kEmptyVoxel ? dag::kEmptyVoxel : first(x, y, z);
    });
  }

 private:
  void add(Int3 v) {
    const auto at = [&](const DenseGrid& grid) {
      return grid(static_cast<uint32_t>(v.x), static_cast<uint32_t>(v.y), static_cast<uint32_t>(v.z));
    };
    const int a = at(first), b = at(second);
    only_first += a != dag::kEmptyVoxel && b == dag::kEmptyVoxel;
    only_second += b != dag::kEmptyVoxel && a == dag::kEmptyVoxel;
    if (a == dag::kEmptyVoxel || b == dag::kEmptyVoxel) return;
    const VoxelBox here = cube_at(v, 1);
    box = voxels++ == 0 ? here : hull(box, here);
    ++by_first[materials_of_first ? static_cast<size_t>(a) : 0];
    ++by_second[static_cast<size_t>(b)];
  }
};

void expect_overlap(uint32_t resolution, DenseOverlap expected) {
  expected.count(resolution);
  const dag::FrozenDag first = dense_dag(resolution, expected.materials_of_first, expected.first);
  const dag::FrozenDag second = dense_dag(resolution, expected.materials_of_second, expected.second);
  const measure::SceneOverlap overlap = measure::overlap_of(*test_engine(), first, second);
  expect_equal(overlap.both, expected.both(resolution));
  EXPECT_EQ(overlap.both_of_first.voxels, expected.voxels);
  EXPECT_EQ(overlap.only_first(), expected.only_first);
  EXPECT_EQ(overlap.only_second(), expected.only_second);
  EXPECT_EQ(overlap.both_of_first.filled, expected.box);
  EXPECT_EQ(overlap.both_of_first.material_voxels, expected.by_first);
  ASSERT_EQ(overlap.both_of_second.has_value(), expected.materials_of_second);
  if (overlap.both_of_second) {
    EXPECT_EQ(overlap.both_of_second->material_voxels, expected.by_second);
  }
}

// Returns the grid at another place and with other materials.
DenseGrid moved(const DenseGrid& grid) {
  return [&grid](uint32_t x, uint32_t y, uint32_t z) {
    const int material = grid(x + 3, y + 5, z);
    return material == dag::kEmptyVoxel ? material : (material + 5) % 16;
  };
}

TEST(SceneOverlap, IsWhatALoopOverAllVoxelsCounts) {
  const std::vector<DenseGrid> grids = all_grids();
  for (size_t i = 0; i < grids.size(); ++i)
    for (const bool with_first : {false, true})
      for (const bool with_second : {false, true}) {
        SCOPED_TRACE(testing::Message() << "grid " << i << ", materials " << with_first << with_second);
        const DenseGrid& other = grids[(i + 1) % grids.size()];
        expect_overlap(i % 2 == 0 ? 21 : 32, {grids[i], moved(other), with_first, with_second});
      }
}

TEST(SceneOverlap, OfASceneWithItselfIsTheScene) {
  expect_overlap(40, {shell, shell, true, true});
  expect_overlap(5, {everywhere, everywhere, false, false});
}

TEST(SceneOverlap, OfScenesApartOrEmptyOnesIsNothing) {
  const DenseGrid left = [](uint32_t x, uint32_t, uint32_t) { return x < 7 ? 1 : dag::kEmptyVoxel; };
  const DenseGrid right = [](uint32_t x, uint32_t, uint32_t) { return x < 7 ? dag::kEmptyVoxel : 2; };
  for (const bool materials : {false, true}) {
    expect_overlap(16, {left, right, materials, materials});
    expect_overlap(16, {nowhere, right, materials, true});
    expect_overlap(16, {left, nowhere, true, materials});
    expect_overlap(16, {nowhere, nowhere, materials, !materials});
  }
}

TEST(SceneOverlap, RefusesScenesOfTwoResolutions) {
  EXPECT_THROW(measure::overlap_of(*test_engine(), dag::empty_dag(16, true), dag::empty_dag(17, true)),
               Error);
}

}  // namespace
}  // namespace vox
