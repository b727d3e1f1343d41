// Compares spatial hashes with the dense grids from which their scenes were made.
#include <gtest/gtest.h>

#include "libvox/base/error.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/spatial/frozen_hash.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"

namespace vox {
namespace {

using spatial::CellKeyLayout;
using spatial::FrozenHash;

constexpr CellKeyLayout kLayouts[] = {CellKeyLayout::Morton, CellKeyLayout::Linear};

template <class F>
std::string problem_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

class SpatialHash : public testing::Test {
 protected:
  FrozenHash built(const dag::FrozenDag& dag, const spatial::HashOptions& options = {}) {
    return spatial::build_hash(engine_->handle(), dag, options).hash;
  }
  static std::string problem(const FrozenHash& hash, const dag::FrozenDag& dag) {
    return problem_of([&] {
      spatial::verify(hash);
      spatial::check_same_voxels(hash, dag);
    });
  }

  std::unique_ptr<Engine> engine_ = test_engine();
};

// Expects that the hash and the function agree about every voxel of the grid, and that the hash has no other
// cell.
void expect_holds(const FrozenHash& hash, const DenseGrid& grid) {
  const spatial::HashRef table = ref(hash);
  uint64_t filled = 0;
  for (uint32_t z = 0; z < hash.resolution(); ++z)
    for (uint32_t y = 0; y < hash.resolution(); ++y)
      for (uint32_t x = 0; x < hash.resolution(); ++x) {
        const int material = grid(x, y, z);
        const auto expected = material == dag::kEmptyVoxel ? hash::kNoValue
                              : hash.materials             ? static_cast<uint32_t>(material)
                                                           : 0;
        filled += material == dag::kEmptyVoxel ? 0 : 1;
        ASSERT_EQ(table.material({int(x), int(y), int(z)}), expected) << x << ' ' << y << ' ' << z;
      }
  uint64_t cells = 0;
  spatial::for_each_cell(hash, 0, hash.cells.size(), [&](uint64_t, uint64_t) { ++cells; });
  EXPECT_EQ(hash.voxels, filled);
  EXPECT_EQ(cells, filled);
}

TEST_F(SpatialHash, HoldsWhatTheDenseGridDoes) {
  for (const uint32_t resolution : sampled<uint32_t>({61, 4, 64, 5, 30}))
    for (const DenseGrid& grid : all_grids())
      for (const bool materials : {true, false}) {
        const dag::FrozenDag dag = dense_dag(resolution, materials, grid);
        for (const CellKeyLayout layout : kLayouts) {
          const FrozenHash hash = built(dag, {.layout = layout});
          expect_holds(hash, grid);
          EXPECT_EQ(problem(hash, dag), "none");
        }
      }
}

TEST_F(SpatialHash, BecomesTheSameDagAgain) {
  for (const uint32_t resolution : sampled<uint32_t>({61, 4, 64, 5, 30}))
    for (const DenseGrid& grid : all_grids())
      for (const bool materials : {true, false}) {
        const dag::FrozenDag dag = dense_dag(resolution, materials, grid);
        for (const CellKeyLayout layout : kLayouts) {
          const dag::FrozenDag again =
              spatial::dag_of_hash(engine_->handle(), built(dag, {.layout = layout}));
          EXPECT_EQ(again.digest, dag.digest);
          EXPECT_NO_THROW(dag::verify(again));
        }
      }
}

TEST_F(SpatialHash, IsAsFullAsIsAskedFor) {
  const dag::FrozenDag dag = dense_dag(64, true, shell);
  for (const double load_factor : {0.3, 0.8, 0.95, 0.99}) {
    const FrozenHash hash = built(dag, {.load_factor = load_factor});
    EXPECT_NEAR(static_cast<double>(hash.voxels) / static_cast<double>(hash.cells.size()), load_factor, 0.01);
    expect_holds(hash, shell);
  }
}

// The digest covers all words. Files contain these words, so other words would require another version of
// /hash.
TEST_F(SpatialHash, IsTheSameOnEveryDevice) {
  const dag::FrozenDag dag = dense_dag(64, true, shell);
  const auto mixed = [&](CellKeyLayout layout) {
    const FrozenHash hash = built(dag, {.layout = layout});
    uint64_t sum = hash.seed;
    for (const uint64_t cell : hash.cells) sum = mix64(sum ^ cell);
    return sum;
  };
  EXPECT_EQ(mixed(CellKeyLayout::Morton), 13552595023226853378u);
  EXPECT_EQ(mixed(CellKeyLayout::Linear), 6914234364241724947u);
}

// The scene has 2^20 voxels a side and one voxel in each of these two corners. The key of the far one is all
// ones, and with the last material its cell equals an empty one.
TEST_F(SpatialHash, HoldsTheVoxelWhoseKeyIsAllOnes) {
  constexpr int32_t kLast = (1 << 20) - 1;
  for (const uint32_t children : {0x80u, 0x81u}) {
    dag::FrozenDag dag = dense_dag(4, true, [](uint32_t x, uint32_t y, uint32_t z) {
      return x == 3 && y == 3 && z == 3 ? 15 : x + y + z == 0 ? 2 : dag::kEmptyVoxel;
    });
    while (dag.resolution <= kLast) {
      dag::DagLevel root;
      root.words = {children};
      for (uint32_t mask = children; mask != 0; mask &= mask - 1) root.words.push_back(0);
      dag.levels.insert(dag.levels.begin(), root);
      dag.resolution *= 2;
    }
    dag::place_nodes(dag);
    dag::count_octree(dag);
    for (const CellKeyLayout layout : kLayouts) {
      const FrozenHash hash = built(dag, {.layout = layout});
      EXPECT_EQ(hash.apart, 1u);
      EXPECT_EQ(ref(hash).material({kLast, kLast, kLast}), 15u);
      EXPECT_EQ(ref(hash).material({kLast - 3, kLast - 3, kLast - 3}), 2u);
      EXPECT_EQ(ref(hash).material({kLast - 3, kLast - 3, kLast}), hash::kNoValue);
      EXPECT_EQ(ref(hash).material({0, 0, 0}), children == 0x81u ? 2u : hash::kNoValue);
      EXPECT_EQ(problem(hash, dag), "none");
      EXPECT_EQ(spatial::dag_of_hash(engine_->handle(), hash).voxels, dag.voxels);
      FrozenHash misplaced = hash;
      misplaced.cells.back() = spatial::kCellFormat.cell(7, 2);
      EXPECT_THROW(spatial::check_structure(misplaced), Error);
    }
  }
}

TEST_F(SpatialHash, ADifferenceToTheDagIsNamed) {
  const dag::FrozenDag dag = dense_dag(61, true, shell);
  const auto changed = [&](Int3 voxel, int material) {
    const auto grid = [&](uint32_t x, uint32_t y, uint32_t z) {
      return Int3{int(x), int(y), int(z)} == voxel ? material : shell(x, y, z);
    };
    return built(dense_dag(61, true, grid));
  };
  const Int3 filled = {30, 30, 8}, empty = {30, 30, 31};
  const int material = shell(30, 30, 8);
  ASSERT_NE(material, dag::kEmptyVoxel);
  ASSERT_EQ(shell(30, 30, 31), dag::kEmptyVoxel);
  EXPECT_EQ(problem(changed(filled, (material + 1) % 16), dag),
            "voxel (30, 30, 8) is of material " + std::to_string((material + 1) % 16) +
                " in the spatial hash, but of material " + std::to_string(material) + " in the SVDAG");
  EXPECT_EQ(problem(changed(filled, dag::kEmptyVoxel), dag),
            "voxel (30, 30, 8) is empty in the spatial hash, but of material " + std::to_string(material) +
                " in the SVDAG");
  EXPECT_EQ(problem(changed(empty, 4), dag),
            "voxel (30, 30, 31) is of material 4 in the spatial hash, but empty in the SVDAG");
  EXPECT_NE(problem(built(dense_dag(60, true, shell)), dag).find("60³"), std::string::npos);
  EXPECT_NE(problem(built(dense_dag(61, false, shell)), dag).find("61³ voxels without materials"),
            std::string::npos);
}

// Voxels differ in pairs: near each other and far apart, in material, missing, or too many.
TEST_F(SpatialHash, OfSeveralDifferencesTheFirstInMortonOrderIsNamed) {
  constexpr int32_t kSide = 30;
  const dag::FrozenDag dag = dense_dag(kSide, true, dust(3));
  Random random(9);
  for (uint32_t i = 0; i < 40; ++i) {
    const auto any = [&] { return static_cast<int32_t>(random.below(kSide)); };
    const Int3 a = {any(), any(), any()}, step = i % 2 == 0 ? Int3{any(), any(), any()} : Int3{1, 0, 0};
    const Int3 b = {(a.x + step.x) % kSide, (a.y + step.y) % kSide, (a.z + step.z) % kSide};
    const auto grid = [&](uint32_t x, uint32_t y, uint32_t z) {
      const Int3 v = {int(x), int(y), int(z)};
      const int material = dust(3)(x, y, z);
      if (v != a && v != b) return material;
      return material == dag::kEmptyVoxel ? 5 : i % 3 == 0 ? dag::kEmptyVoxel : (material + 1) % 16;
    };
    const Int3 first = morton_encode(uint32_t(a.x), uint32_t(a.y), uint32_t(a.z)) <
                               morton_encode(uint32_t(b.x), uint32_t(b.y), uint32_t(b.z))
                           ? a
                           : b;
    EXPECT_EQ(problem(built(dense_dag(kSide, true, grid)), dag)
                  .find("voxel (" + std::to_string(first.x) + ", " + std::to_string(first.y) + ", " +
                        std::to_string(first.z) + ") is "),
              0u)
        << i;
  }
}

TEST_F(SpatialHash, ACellThatOccursTwiceIsAnError) {
  FrozenHash hash = built(dense_dag(30, true, dust(3)));
  const auto filled = [&](uint64_t slot) { return hash.cells[slot] != hash::kEmptyCell<uint64_t>; };
  uint64_t a = 0;
  while (!filled(a)) ++a;
  uint64_t b = a + 1;
  while (!filled(b)) ++b;
  hash.cells[b] = hash.cells[a];
  EXPECT_NO_THROW(spatial::check_structure(hash));
  EXPECT_NE(problem_of([&] { spatial::verify(hash); }), "none");
  EXPECT_NE(problem_of([&] { spatial::dag_of_hash(engine_->handle(), hash); }).find("holds a voxel twice"),
            std::string::npos);
}

TEST_F(SpatialHash, AnEmptyCellBeforeAFilledOneIsAnError) {
  constexpr uint64_t kBucket = hash::LinesRef<uint64_t>::kBucketCells;
  const FrozenHash hash = built(dense_dag(30, true, dust(3)), {.load_factor = 0.3});
  uint32_t moved = 0;
  for (uint64_t slot = 0; slot + 2 < hash.cells.size() && moved < 20; ++slot) {
    if (slot % kBucket + 1 == kBucket || hash.cells[slot] == hash::kEmptyCell<uint64_t> ||
        hash.cells[slot + 1] != hash::kEmptyCell<uint64_t>)
      continue;
    FrozenHash apart = hash;
    std::swap(apart.cells[slot], apart.cells[slot + 1]);
    EXPECT_NE(problem_of([&] { spatial::verify(apart); }).find("follows an empty one"), std::string::npos);
    ++moved;
  }
  EXPECT_EQ(moved, 20u);
}

// No cell may change, except the last one, which is kept apart and not used here.
TEST_F(SpatialHash, DamageOfACellIsAnError) {
  const dag::FrozenDag dag = dense_dag(30, true, dust(3));
  const FrozenHash hash = built(dag);
  for (uint64_t slot = 0; slot < hash.cells.size(); ++slot)
    for (const uint32_t bit : {0u, 3u, 4u, 20u, 63u}) {
      FrozenHash damaged = hash;
      damaged.cells[slot] ^= uint64_t{1} << bit;
      const bool is_apart = slot + 1 == hash.cells.size();
      EXPECT_EQ(problem(damaged, dag) == "none", is_apart) << slot << ' ' << bit;
    }
}

TEST_F(SpatialHash, SizesThatDoNotFitAreErrors) {
  const FrozenHash hash = built(dense_dag(30, true, dust(3)));
  const auto refused = [&](const auto& change) {
    FrozenHash damaged = hash;
    change(damaged);
    EXPECT_THROW(spatial::check_structure(damaged), Error);
  };
  refused([](FrozenHash& h) { h.lines = 0; });
  refused([](FrozenHash& h) { h.lines += 1; });
  refused([](FrozenHash& h) { h.lines |= uint64_t{1} << 60; });
  refused([](FrozenHash& h) { h.cells.clear(); });
  refused([](FrozenHash& h) { h.probes = 65; });
  refused([](FrozenHash& h) { h.apart = 1; });
  refused([](FrozenHash& h) { h.apart = 2; });
  refused([](FrozenHash& h) { h.voxels += 1; });
  refused([](FrozenHash& h) { h.voxels -= 1; });
  refused([](FrozenHash& h) { h.cells.push_back(hash::kEmptyCell<uint64_t>); });
  refused([](FrozenHash& h) { h.keys.resolution = 4; });
  refused([](FrozenHash& h) { h.materials = false; });
}

TEST_F(SpatialHash, OptionsOutOfTheirRangeAreErrors) {
  const dag::FrozenDag dag = dense_dag(8, true, everywhere);
  for (const double load_factor : {0.0, -1.0, 1.5})
    EXPECT_THROW(built(dag, {.load_factor = load_factor}), UsageError);
}

TEST_F(SpatialHash, MoreVoxelsThanCellsAreAnErrorWithAHint) {
  dag::FrozenDag dag = dense_dag(64, true, everywhere);
  while (dag.resolution < 1 << 20) {
    dag::DagLevel root;
    root.words.assign(9, 0);
    root.words[0] = dag.levels[0].words[0];
    dag.levels.insert(dag.levels.begin(), root);
    dag.resolution *= 2;
  }
  dag::place_nodes(dag);
  dag::count_octree(dag);
  ASSERT_EQ(dag.voxels, uint64_t{1} << 60);
  EXPECT_EQ(problem_of([&] { built(dag); }).find("a spatial hash can have at most 2^32 - 2 cells"), 0u);
}

TEST_F(SpatialHash, ThatDoesNotFitSaysHowMuchItTakes) {
  const dag::FrozenDag dag = dense_dag(64, true, everywhere);
  EXPECT_NO_THROW(spatial::check_hash_fits(1000, 100, {}, spatial::bytes_to_build(1000, 100, {})));
  EXPECT_THROW(spatial::check_hash_fits(1000, 100, {}, spatial::bytes_to_build(1000, 100, {}) - 1), Error);
  EXPECT_EQ(spatial::bytes_to_build(1000, 5000, {}), 1000u * 8 + 5000 * 16);
  EXPECT_EQ(problem_of([] { spatial::check_hash_fits(1000000, 100000, {}, 1 << 20); }),
            "building a spatial hash of 1,000,000 voxels needs 15.66 MiB, but only 1.00 MiB are available "
            "(allow more "
            "memory)");
  EXPECT_NE(problem_of([&] { built(dag, {.load_factor = 1e-9}); }).find("at most 2^32 - 2 cells"),
            std::string::npos);
}

}  // namespace
}  // namespace vox
