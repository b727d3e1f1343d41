#include "libvox/dag/from_cubes.h"

#include <gtest/gtest.h>

#include "libvox/base/error.h"
#include "libvox/base/memory.h"
#include "tests/dag/grids.h"
#include "tests/dag/same_dag.h"

namespace vox {
namespace {

// Returns every cube of the grid; each voxel is put separately, in reverse order.
dag::CubeSource source_of(uint32_t resolution, bool materials, const DenseGrid& grid) {
  dag::CubeSource source = {.resolution = resolution, .materials = materials, .cubes = {}, .read = {}};
  const uint32_t side = (resolution + 63) / 64;
  for (uint64_t key = 0; key < 512; ++key) {
    const Int3 at = morton_decode(key);
    if (static_cast<uint32_t>(std::max({at.x, at.y, at.z})) < side) source.cubes.push_back(key);
  }
  source.read = [resolution, grid, cubes = source.cubes](size_t i, dag::VoxelCube& cube) {
    const Int3 corner = dag::cube_corner(cubes[i]);
    for (int32_t z = 63; z >= 0; --z)
      for (int32_t y = 63; y >= 0; --y)
        for (int32_t x = 63; x >= 0; --x) {
          const Vec3<uint32_t> v = {static_cast<uint32_t>(corner.x + x), static_cast<uint32_t>(corner.y + y),
                                    static_cast<uint32_t>(corner.z + z)};
          if (std::max({v.x, v.y, v.z}) >= resolution) continue;
          const int value = grid(v.x, v.y, v.z);
          if (value != dag::kEmptyVoxel) cube.put({x, y, z}, static_cast<uint32_t>(value));
        }
  };
  return source;
}

TEST(DagOfCubes, IsTheDagOfTheVoxels) {
  for (const DenseGrid& grid : all_grids())
    for (const uint32_t resolution : {4u, 6u, 37u, 64u, 130u})
      for (const bool materials : {true, false}) {
        SCOPED_TRACE(resolution);
        const dag::GatheredDag result = dag::dag_of_cubes(source_of(resolution, materials, grid));
        expect_equal(result.dag, dense_dag(resolution, materials, grid));
        uint64_t voxels = 0;
        for (const uint64_t count : result.voxels_of) voxels += count;
        EXPECT_EQ(voxels, result.dag.voxels);
      }
}

// The memory is too small for interning all leaves at once.
TEST(DagOfCubes, IsTheSameInLittleMemory) {
  constexpr uint64_t kRoom = 20 << 20;
  for (const bool materials : {true, false}) {
    const dag::CubeSource source = source_of(130, materials, checkered);
    const dag::GatheredDag result = dag::dag_of_cubes(source, resident_bytes() + kRoom);
    expect_equal(result.dag, dense_dag(130, materials, checkered));
  }
}

// Leaves of one material are written at once, and those of several materials voxel by voxel.
TEST(DagOfCubes, TellsLeavesOfOneMaterialFromOthers) {
  for (const uint32_t other : {0u, 1u, 15u})
    for (uint32_t bit = 0; bit < 64; ++bit) {
      dag::VoxelCube cube;
      const uint32_t leaf = 77;
      for (uint32_t i = 0; i < 64; i += 1 + (bit & 1)) cube.put(leaf << 6 | i, 5);
      EXPECT_EQ(cube.only_material(leaf), 5);
      cube.put(leaf << 6 | bit, other);
      EXPECT_EQ(cube.only_material(leaf), -1);
    }
  dag::VoxelCube cube;
  cube.put_mask(3, 0x8000000000000001);
  EXPECT_EQ(cube.only_material(3), 0);
}

TEST(DagOfCubes, CountsTheVoxelsOfEachMaterial) {
  const auto grid = [](uint32_t x, uint32_t y, uint32_t z) { return y == 3 && z == 5 ? int(x % 3) : -1; };
  const dag::GatheredDag result = dag::dag_of_cubes(source_of(100, true, grid));
  EXPECT_EQ(result.voxels_of[0], 34u);
  EXPECT_EQ(result.voxels_of[1], 33u);
  EXPECT_EQ(result.voxels_of[2], 33u);
}

// A cube is filled at once: alone, over voxels, below a voxel, and beside a cube that is not filled.
TEST(DagOfCubes, AFilledCubeIsThatOfItsVoxels) {
  for (const bool materials : {true, false}) {
    const auto grid = [](uint32_t x, uint32_t y, uint32_t z) {
      if (x >= 64 || z >= 64) return x == 70 && z >= 64 ? 3 : dag::kEmptyVoxel;
      return x == 5 && y == 100 && z == 7 ? 2 : 9;
    };
    dag::CubeSource source = {.resolution = 128, .materials = materials, .cubes = {0, 2, 5, 7}, .read = {}};
    source.read = [plain = source_of(128, materials, grid).read](size_t i, dag::VoxelCube& cube) {
      if (i >= 2) return plain(i == 2 ? 5 : 7, cube);
      cube.put({1, 2, 3}, 4);
      cube.fill(9);
      if (i == 1) cube.put({5, 36, 7}, 2);
    };
    const dag::GatheredDag result = dag::dag_of_cubes(source);
    expect_equal(result.dag, dense_dag(128, materials, grid));
    EXPECT_EQ(result.voxels_of[materials ? 9 : 0] + (materials ? 1 + 8192 : 0), result.dag.voxels);
  }
}

TEST(DagOfCubes, AFilledCubeLiesInsideTheGrid) {
  dag::CubeSource source = {.resolution = 100, .materials = true, .cubes = {1}, .read = {}};
  source.read = [](size_t, dag::VoxelCube& cube) { cube.fill(3); };
  EXPECT_THROW(dag::dag_of_cubes(source), Error);
}

TEST(DagOfCubes, OfSeveralMaterialsAtOnePlaceTakesTheLast) {
  dag::CubeSource source = {.resolution = 8, .materials = true, .cubes = {0}, .read = {}};
  source.read = [](size_t, dag::VoxelCube& cube) {
    for (const uint32_t material : {3u, 12u, 9u}) cube.put({5, 6, 7}, material);
  };
  const dag::FrozenDag dag = dag::dag_of_cubes(source).dag;
  EXPECT_EQ(dag.voxels, 1u);
  EXPECT_EQ(dag::voxel_at(dag, 5, 6, 7), 9);
}

TEST(DagOfCubes, RefusesVoxelsOutsideOfTheGrid) {
  dag::CubeSource source = {.resolution = 37, .materials = true, .cubes = {0}, .read = {}};
  source.read = [](size_t, dag::VoxelCube& cube) { cube.put({5, 37, 5}, 1); };
  EXPECT_THROW(dag::dag_of_cubes(source), Error);
}

}  // namespace
}  // namespace vox
