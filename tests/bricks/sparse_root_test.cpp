// Compares bricks with sparse roots with those that have dense ones, and with the scenes of which they were made.
#include "libvox/bricks/sparse_root.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "libvox/base/error.h"
#include "libvox/bricks/device_bricks.h"
#include "libvox/dag/walk.h"
#include "tests/bricks/brick_volumes.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"
#include "tests/voxelize/soup.h"

namespace vox {
namespace {

using namespace testing_bricks;
using bricks::BrickRoot;
using bricks::FrozenBricks;

constexpr Int3 kOddSize = {71, 45, 66};  // not divisible by any brick size

template <class Source>
FrozenBricks built(const Source& source, uint32_t log2_side, BrickRoot root, uint64_t piece_voxels = 0) {
  const auto engine = test_engine();
  return bricks::build_bricks(
             engine->handle(), source,
             {.log2_side = log2_side, .threshold = {}, .piece_voxels = piece_voxels, .root = root})
      .bricks;
}

void expect_same(const FrozenBricks& a, const FrozenBricks& b, const std::string& what) {
  EXPECT_EQ(a.root, b.root) << what;
  EXPECT_EQ(a.groups.top, b.groups.top) << what;
  EXPECT_EQ(a.groups.blocks, b.groups.blocks) << what;
  EXPECT_EQ(a.groups.lists, b.groups.lists) << what;
  EXPECT_EQ(a.data, b.data) << what;
  EXPECT_EQ(a.counts, b.counts) << what;
  EXPECT_EQ(a.filled, b.filled) << what;
}

void expect_values(const FrozenBricks& bricks, const volume::Volume& volume, const std::string& what) {
  EXPECT_NO_THROW(bricks::verify(bricks)) << what;
  EXPECT_EQ(all_values(bricks::bricks_volume(bricks)), all_values(volume)) << what;
}

TEST(SparseRoot, OfAVolumeHoldsTheSameAsADenseOneAndTurnsIntoIt) {
  for (const volume::ValueType type : {volume::ValueType::U8, volume::ValueType::F32})
    for (const volume::Volume& volume :
         {mixed_volume(kOddSize, type, 1), one_voxel_volume(kOddSize, type, {70, 44, 65}),
          constant_volume(kOddSize, type, 0), constant_volume(kOddSize, type, 9),
          constant_volume({1, 1, 1}, type, 3)})
      for (uint32_t log2_side = bricks::kMinBrickLog2; log2_side <= 5; ++log2_side) {
        const std::string what = std::to_string(log2_side);
        const FrozenBricks sparse = built(volume, log2_side, BrickRoot::Sparse);
        const FrozenBricks dense = built(volume, log2_side, BrickRoot::Dense);
        ASSERT_TRUE(sparse.is_sparse());
        ASSERT_FALSE(dense.is_sparse());
        expect_values(sparse, volume, what);
        expect_same(built(volume, log2_side, BrickRoot::Sparse, 3000), sparse, what + ", pieces");
        expect_same(bricks::with_sparse_root(dense), sparse, what + ", made sparse");
        expect_same(bricks::with_dense_root(sparse), dense, what + ", made dense");
      }
}

// A scene whose parts repeat: a floor of tiles with a few posts.
dag::VoxelScene tiles(uint32_t resolution, bool materials) {
  dag::VoxelScene scene;
  scene.dag = dense_dag(resolution, materials, [](uint32_t x, uint32_t y, uint32_t z) {
    if (y == 3) return static_cast<int>((x / 8 + z / 8) % 3);
    return x % 32 == 5 && z % 64 == 40 && y < 50 ? 7 : dag::kEmptyVoxel;
  });
  scene.voxel_size = 0.5;
  return scene;
}

TEST(SparseRoot, OfASceneHoldsItsVoxelsAndSharesEqualBricks) {
  for (const bool materials : {true, false})
    for (const uint32_t resolution : {128u, 100u}) {
      const dag::VoxelScene scene = tiles(resolution, materials);
      const volume::Volume volume = dag::scene_volume(scene);
      for (uint32_t log2_side = bricks::kMinBrickLog2; log2_side <= 4; ++log2_side) {
        const std::string what = std::to_string(resolution) + ", " + std::to_string(log2_side);
        const FrozenBricks shared = built(scene, log2_side, BrickRoot::Sparse);
        ASSERT_TRUE(shared.is_sparse());
        expect_values(shared, volume, what);
        EXPECT_NO_THROW(bricks::check_same_voxels(shared, scene)) << what;
        expect_same(built(scene, log2_side, BrickRoot::Sparse, 1 << 13), shared, what + ", in pieces");
        const FrozenBricks apart = built(volume, log2_side, BrickRoot::Sparse);
        EXPECT_NO_THROW(bricks::check_same_voxels(apart, scene)) << what;
        EXPECT_LT(shared.bytes(), apart.bytes()) << what;
        // As many bricks as nodes of this side, which occur as often as bricks with voxels.
        const std::vector<bricks::BrickUse> uses = bricks::brick_uses(shared);
        EXPECT_EQ(uses.size(), scene.dag.levels[scene.dag.depth() + 2 - log2_side].nodes) << what;
        const uint64_t times =
            std::accumulate(uses.begin(), uses.end(), uint64_t{0},
                            [](uint64_t sum, const bricks::BrickUse& use) { return sum + use.times; });
        const FrozenBricks dense = built(volume, log2_side, BrickRoot::Dense);
        EXPECT_EQ(times, dense.bricks() - dense.counts[0]) << what;
        expect_same(bricks::with_dense_root(shared), dense, what + ", made dense");
      }
    }
}

TEST(SparseRoot, AVoxelThatIsNotThatOfTheSceneIsNamed) {
  const dag::VoxelScene scene = tiles(128, true);
  dag::VoxelScene other = scene;
  for (const Int3 at : {Int3{5, 49, 40}, Int3{127, 3, 127}, Int3{64, 100, 64}}) {
    other.dag = dense_dag(128, true, [&](uint32_t x, uint32_t y, uint32_t z) {
      const int old = dag::voxel_at(scene.dag, x, y, z);
      const bool here = Int3{int32_t(x), int32_t(y), int32_t(z)} == at;
      return !here ? old : old == dag::kEmptyVoxel ? 9 : dag::kEmptyVoxel;
    });
    for (const uint32_t log2_side : {2u, 3u, 4u}) try {
        bricks::check_same_voxels(built(other, log2_side, BrickRoot::Sparse), scene);
        ADD_FAILURE() << "no difference is found";
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(fmt::format("voxel ({}, {}, {}) is", at.x, at.y, at.z)),
                  std::string::npos)
            << error.what();
      }
  }
}

TEST(SparseRoot, GroupsOfEmptyBricksAreNoDifference) {
  const dag::VoxelScene scene = tiles(128, true);
  dag::VoxelScene other = scene;
  constexpr Int3 kAt = {64, 100, 64};
  other.dag = dense_dag(128, true, [&](uint32_t x, uint32_t y, uint32_t z) {
    return Int3{int32_t(x), int32_t(y), int32_t(z)} == kAt ? 9 : dag::voxel_at(scene.dag, x, y, z);
  });
  for (const uint32_t log2_side : {2u, 3u, 4u}) {
    FrozenBricks bricks = built(other, log2_side, BrickRoot::Sparse);
    const bricks::BricksRef access = bricks::ref(bricks);
    bricks.root[access.groups.find(access.place_of(kAt)).place * bricks.entry_words] = 0;
    EXPECT_NO_THROW(bricks::check_structure(bricks));
    EXPECT_NO_THROW(bricks::check_same_voxels(bricks, scene)) << log2_side;
  }
}

// Scattered small triangles, so that only a few of very many bricks hold anything.
dag::VoxelScene scattered() {
  Random random(3);
  Soup soup;
  for (int i = 0; i < 12; ++i) {
    const Vec3d at = {random.uniform(0, 8150), random.uniform(0, 8150), random.uniform(0, 8150)};
    soup.add({at, at + Vec3d{30, 4, 0}, at + Vec3d{0, 9, 25}});
  }
  dag::VoxelScene scene;
  scene.dag = build_soup(*test_engine(), soup, 8192).dag;
  return scene;
}

TEST(SparseRoot, HasSeveralLevelsOfGroupsWhereAGridOfThemWouldBeLarge) {
  const dag::VoxelScene scene = scattered();
  const volume::Volume volume = dag::scene_volume(scene);
  const FrozenBricks shared = built(scene, 2, BrickRoot::Auto), apart = built(volume, 2, BrickRoot::Auto);
  for (const FrozenBricks* bricks : {&shared, &apart}) {
    EXPECT_EQ(bricks->groups.levels(), 2u);
    EXPECT_NO_THROW(bricks::verify(*bricks));
    EXPECT_NO_THROW(bricks::check_same_voxels(*bricks, scene));
    EXPECT_EQ(bricks->filled, scene.dag.voxels);
    const bricks::SparseRootRef access = {bricks::ref(*bricks)};
    uint64_t found = 0;
    dag::for_each_leaf(scene.dag, volume.info.box(), [&](Int3 corner, uint64_t mask, const uint32_t*) {
      for (uint32_t bit = 0; bit < 64; ++bit) {
        const bool filled = access.get<uint8_t>(corner + cube_place(bit)) != 0;
        EXPECT_EQ(filled, (mask >> bit & 1) != 0);
        found += filled ? 1 : 0;
      }
    });
    EXPECT_EQ(found, scene.dag.voxels);
    Random random(5);
    for (int i = 0; i < 2000; ++i) {
      const Int3 low = {int32_t(random.below(8192)), int32_t(random.below(8192)),
                        int32_t(random.below(8192))};
      const VoxelBox box =
          intersection({low, low + Int3{int32_t(random.below(900)) + 1, 300, 700}}, volume.info.box());
      if (bricks::is_known_empty(*bricks, box)) {
        EXPECT_FALSE(dag::has_filled(scene.dag, box));
      }
    }
    // Cubes around a brick that are known to be empty are so.
    for (int i = 0; i < 2000; ++i) {
      const Int3 at = {int32_t(random.below(2048)), int32_t(random.below(2048)), int32_t(random.below(2048))};
      const bricks::GroupsRef::Found near = access.groups.find(at);
      if (near.place != bricks::kNever) continue;
      const int32_t side = 4 << near.empty_log2;
      const Int3 corner = {at.x * 4 / side * side, at.y * 4 / side * side, at.z * 4 / side * side};
      EXPECT_FALSE(dag::has_filled(scene.dag, cube_at(corner, uint32_t(side))));
    }
  }
  EXPECT_LT(shared.bytes(), uint64_t{1} << 21);
}

TEST(SparseRoot, DamageIsRefusedOrHarmless) {
  Random random(11);
  const FrozenBricks whole = built(scattered(), 2, BrickRoot::Auto);
  uint32_t refused = 0;
  for (int i = 0; i < 400; ++i) {
    FrozenBricks bricks = whole;
    std::vector<Words*> arrays = {&bricks.groups.top, &bricks.root};
    for (Words& blocks : bricks.groups.blocks) arrays.push_back(&blocks);
    for (Words& list : bricks.groups.lists) arrays.push_back(&list);
    Words& words = *arrays[random.below(static_cast<uint32_t>(arrays.size()))];
    if (random.below(8) == 0) {
      words.resize(words.size() - 1);
    } else {
      words[random.below(static_cast<uint32_t>(words.size()))] ^= 1u << random.below(32);
    }
    try {
      bricks::check_structure(bricks);
    } catch (const Error&) {
      ++refused;
      continue;
    }
    const bricks::SparseRootRef access = {bricks::ref(bricks)};
    uint64_t sum = 0;
    for (int k = 0; k < 200; ++k)
      sum += access.get<uint8_t>(
          {int32_t(random.below(8192)), int32_t(random.below(8192)), int32_t(random.below(8192))});
    EXPECT_LE(sum, 200u * 255);
  }
  EXPECT_GT(refused, 150u);
}

}  // namespace
}  // namespace vox
