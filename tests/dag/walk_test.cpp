#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/morton.h"
#include "libvox/base/process.h"
#include "libvox/dag/from_cubes.h"
#include "libvox/dag/verify.h"
#include "libvox/dag/walk.h"
#include "libvox/volume/volume.h"
#include "tests/common/random.h"
#include "tests/dag/dense_dag.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

int noise(uint32_t x, uint32_t y, uint32_t z) {
  if (x < 16 && y < 16 && z >= 16) return 3;
  uint64_t hash = mix64(x | uint64_t{y} << 20 | uint64_t{z} << 40);
  return hash % 20 == 0 ? static_cast<int>(hash >> 8 & 15) : dag::kEmptyVoxel;
}

constexpr uint32_t kResolution = 37;
const VoxelBox kRegions[] = {{{0, 0, 0}, {37, 37, 37}},
                             {{3, 5, 7}, {31, 18, 30}},
                             {{11, 0, 20}, {12, 37, 21}},
                             {{-9, -9, -9}, {99, 99, 99}},
                             {{5, 5, 5}, {5, 9, 9}}};

bool inside(Int3 v, const VoxelBox& box) {
  return v.x >= box.min.x && v.y >= box.min.y && v.z >= box.min.z && v.x < box.max.x && v.y < box.max.y &&
         v.z < box.max.z;
}

// A dense copy of the voxels that the walk reports; each may be reported only once.
struct Painted {
  std::vector<int> values = std::vector<int>(kResolution * kResolution * kResolution, dag::kEmptyVoxel);

  void put(Int3 v, uint32_t material) {
    ASSERT_TRUE(inside(v, cube_at({0, 0, 0}, kResolution)));
    int& value = values[(size_t(v.z) * kResolution + size_t(v.y)) * kResolution + size_t(v.x)];
    EXPECT_EQ(value, dag::kEmptyVoxel) << "reported twice";
    value = static_cast<int>(material);
  }
  void put_leaf(Int3 corner, uint64_t mask, const uint32_t* leaf) {
    EXPECT_NE(mask, 0u);
    for (uint32_t bit = 0; bit < 64; ++bit)
      if ((mask >> bit & 1) != 0) put(corner + morton_decode(bit), dag::leaf_material(leaf, bit));
  }
  void expect(const VoxelBox& region) const {
    auto value = values.begin();
    for (uint32_t z = 0; z < kResolution; ++z)
      for (uint32_t y = 0; y < kResolution; ++y)
        for (uint32_t x = 0; x < kResolution; ++x, ++value)
          ASSERT_EQ(*value, inside({int(x), int(y), int(z)}, region) ? noise(x, y, z) : dag::kEmptyVoxel)
              << x << ' ' << y << ' ' << z;
  }
};

TEST(Walk, ReportsTheFilledVoxelsOfTheRegionLeafByLeaf) {
  dag::FrozenDag dag = dense_dag(kResolution, true, noise);
  for (const VoxelBox& region : kRegions) {
    Painted painted;
    dag::for_each_leaf(dag, region, [&](Int3 corner, uint64_t mask, const uint32_t* leaf) {
      painted.put_leaf(corner, mask, leaf);
    });
    painted.expect(region);
  }
}

TEST(Walk, ReportsSolidNodesAsAWhole) {
  dag::FrozenDag dag = dense_dag(kResolution, true, noise);
  for (const VoxelBox& region : kRegions) {
    Painted painted;
    std::vector<VoxelBox> boxes;
    dag::for_each_leaf(
        dag, region,
        [&](Int3 corner, uint64_t mask, const uint32_t* leaf) { painted.put_leaf(corner, mask, leaf); },
        [&](const VoxelBox& box, uint32_t material) {
          boxes.push_back(box);
          for (int32_t z = box.min.z; z < box.max.z; ++z)
            for (int32_t y = box.min.y; y < box.max.y; ++y)
              for (int32_t x = box.min.x; x < box.max.x; ++x) painted.put({x, y, z}, material);
        });
    painted.expect(region);
    VoxelBox solid = intersection({{0, 0, 16}, {16, 16, 32}}, region);
    if (!solid.empty()) {
      EXPECT_EQ(boxes.front(), solid);
    }
  }
}

TEST(Walk, VisitsLeavesInMortonOrder) {
  dag::FrozenDag dag = dense_dag(kResolution, true, noise);
  uint64_t leaves = 0, last = 0;
  dag::for_each_leaf(dag, kRegions[1], [&](Int3 c, uint64_t, const uint32_t*) {
    uint64_t code = morton_encode(uint32_t(c.x), uint32_t(c.y), uint32_t(c.z));
    EXPECT_TRUE(leaves++ == 0 || code > last);
    last = code;
  });
  EXPECT_GT(leaves, 100u);
}

TEST(Walk, EmptyScenesAndScenesOfOneLeafAreFine) {
  int calls = 0;
  auto count = [&](Int3, uint64_t mask, const uint32_t*) { calls += popcount(mask); };
  dag::for_each_leaf(dense_dag(64, true, [](auto...) { return dag::kEmptyVoxel; }), cube_at({0, 0, 0}, 64),
                     count);
  EXPECT_EQ(calls, 0);
  dag::for_each_leaf(dense_dag(4, false, [](auto...) { return 0; }), {{1, 0, 0}, {3, 2, 4}}, count);
  EXPECT_EQ(calls, 16);
}

TEST(Walk, SkipsWhatLiesOutsideTheRegion) {
  dag::FrozenDag dag = dense_dag(64, false, [](auto...) { return 0; });
  int nodes = 0;
  dag::for_each_node(dag, {{21, 22, 23}, {22, 23, 24}}, [&](uint32_t level, Int3 corner, const uint32_t*) {
    EXPECT_TRUE(inside({21, 22, 23}, cube_at(corner, dag.level_side(level))));
    ++nodes;
    return true;
  });
  EXPECT_EQ(nodes, 5);  // nodes of 64, 32, 16, 8 and 4 voxels a side
}

TEST(Walk, BoundsOfALeafAreThoseOfItsVoxels) {
  for (int a = 0; a < 64; ++a)
    for (int b = 0; b < 64; ++b) {
      VoxelBox bounds = dag::leaf_bounds(uint64_t{1} << a | uint64_t{1} << b);
      Int3 v = morton_decode(uint64_t(a)), w = morton_decode(uint64_t(b));
      ASSERT_EQ(bounds, hull(cube_at(v, 1), cube_at(w, 1)));
    }
}

using namespace testing_export;

TEST(SceneVolume, HoldsWhatTheDenseFormatsHold) {
  for (const uint32_t resolution : {4u, 37u, 64u})
    for (const Materials materials : {Materials::None, Materials::Sixteen}) {
      const KnownScene known = known_scene(resolution, materials, noise_grid(resolution));
      const volume::Volume volume = dag::scene_volume(known.scene);
      ASSERT_EQ(volume.info.size.x, static_cast<int32_t>(resolution));
      const volume::Pieces pieces(volume.info.box(), 1000);  // boxes that cut leaves
      for (uint64_t piece = 0; piece < pieces.count(); ++piece) {
        std::vector<std::byte> values(pieces[piece].voxels());
        volume.read(pieces[piece], values.data());
        size_t i = 0;
        const VoxelBox box = pieces[piece];
        for (int32_t z = box.min.z; z < box.max.z; ++z)
          for (int32_t y = box.min.y; y < box.max.y; ++y)
            for (int32_t x = box.min.x; x < box.max.x; ++x)
              ASSERT_EQ(std::to_integer<int>(values[i++]), known.value({x, y, z}));
      }
    }
}

TEST(SceneVolume, KnowsWhichBoxesAreEmpty) {
  const KnownScene known = known_scene(37, Materials::Sixteen, noise_grid(37));
  const volume::Volume volume = dag::scene_volume(known.scene);
  uint64_t empty = 0;
  for (const uint64_t most : {1u, 3u, 40u, 1000u}) {
    const volume::Pieces pieces(volume.info.box(), most);
    for (uint64_t piece = 0; piece < pieces.count(); ++piece) {
      std::vector<std::byte> values(pieces[piece].voxels());
      volume.read(pieces[piece], values.data());
      const bool zero = std::ranges::all_of(values, [](std::byte value) { return value == std::byte{0}; });
      ASSERT_EQ(volume.is_zero(pieces[piece]), zero) << piece;
      empty += zero ? 1 : 0;
    }
  }
  EXPECT_GT(empty, 100u);
}

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
  for (const Int3 place : {Int3{37, 5, 5}, Int3{5, 37, 5}, Int3{5, 5, 37}, Int3{39, 39, 39}, Int3{40, 36, 36},
                           Int3{63, 63, 63}}) {
    source.read = [place](size_t, dag::VoxelCube& cube) { cube.put(place, 1); };
    EXPECT_THROW(dag::dag_of_cubes(source), Error) << place.x << " " << place.y << " " << place.z;
  }
  source.read = [](size_t, dag::VoxelCube& cube) { cube.put({36, 36, 36}, 1); };
  EXPECT_EQ(dag::dag_of_cubes(source).dag.voxels, 1u);
}

// There are 512 cubes, and at most 256 are read at once.
TEST(DagOfCubes, ThatAreMoreThanAreReadAtOnceAllCount) {
  dag::CubeSource source = {.resolution = 512, .materials = true, .cubes = {}, .read = {}};
  for (uint64_t key = 0; key < 512; ++key) source.cubes.push_back(key);
  const auto place = [](size_t i) { return Int3{int32_t(i % 64), int32_t(i / 8), int32_t(i * i % 61)}; };
  source.read = [&](size_t i, dag::VoxelCube& cube) {
    cube.put(place(i), uint32_t(i % 16));
    cube.put({63, 63, 63}, uint32_t(i / 32));
  };
  const dag::FrozenDag dag = dag::dag_of_cubes(source).dag;
  EXPECT_NO_THROW(dag::verify(dag));
  EXPECT_EQ(dag.voxels, 1024u);
  for (size_t i = 0; i < 512; ++i) {
    const Int3 corner = dag::cube_corner(i);
    const auto at = [&](Int3 p) {
      const Int3 voxel = corner + p;
      return dag::voxel_at(dag, uint32_t(voxel.x), uint32_t(voxel.y), uint32_t(voxel.z));
    };
    ASSERT_EQ(at(place(i)), int(i % 16)) << i;
    ASSERT_EQ(at({63, 63, 63}), int(i / 32)) << i;
  }
}

}  // namespace
}  // namespace vox
