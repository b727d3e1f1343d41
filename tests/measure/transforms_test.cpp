// Nodes that become each other by symmetries and moves, compared with dense cubes that are turned and moved voxel by voxel.
#include "libvox/measure/transforms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "tests/common/random.h"
#include "tests/measure/dense_cubes.h"

namespace vox {
namespace {

// Moves the voxels of a cube; none of them may leave it.
Cube moved(const Cube& cube, const Int3& by) {
  Cube to = {cube.side, std::string(cube.voxels.size(), '.')};
  for_each_voxel(cube.side, [&](const Int3& v) {
    if (cube.at(v) == '#') to.at(v + by) = '#';
  });
  return to;
}

// Moves the voxels of a filled cube down along each axis as far as they go.
Cube moved_down(const Cube& cube) {
  Int3 least = {INT32_MAX, INT32_MAX, INT32_MAX};
  for_each_voxel(cube.side, [&](const Int3& v) {
    if (cube.at(v) == '#') least = {std::min(least.x, v.x), std::min(least.y, v.y), std::min(least.z, v.z)};
  });
  return moved(cube, Int3{0, 0, 0} - least);
}

std::string canonical(const Cube& cube) {
  std::string least;
  for (uint32_t symmetry = 0; symmetry < kSymmetries; ++symmetry)
    if (const std::string image = moved_down(turned(cube, symmetry)).voxels; least.empty() || image < least)
      least = image;
  return least;
}

void collect(const Cube& cube, size_t level, std::vector<std::set<std::string>>& seen,
             std::vector<std::set<std::string>>& canonicals) {
  if (!cube.filled() || !seen[level].insert(cube.voxels).second) return;
  canonicals[level].insert(canonical(cube));
  if (cube.side == 4) return;
  for (uint32_t octant = 0; octant < 8; ++octant) collect(part(cube, octant), level + 1, seen, canonicals);
}

// The voxels of the stored nodes of a level, from those of the level below.
std::vector<Cube> cubes_of(const measure::TransformLevel& level, uint32_t side,
                           const std::vector<Cube>& below) {
  std::vector<Cube> cubes;
  size_t next = 0;
  for (const uint64_t mask : level.masks) {
    Cube cube = {side, std::string(size_t{side} * side * side, '.')};
    if (below.empty())
      for (uint32_t bit = 0; bit < 64; ++bit) {
        if ((mask >> bit & 1) != 0) cube.at(cube_place(bit)) = '#';
      }
    for (uint32_t octant = 0; octant < 8 && !below.empty(); ++octant) {
      if ((mask >> octant & 1) == 0) continue;
      const measure::MovedChild& child = level.children[next++];
      const Cube image = moved(turned(below[child.node], child.symmetry), child.move);
      const Int3 corner = octant_corner(octant, static_cast<int32_t>(side / 2));
      for_each_voxel(side / 2, [&](const Int3& v) { cube.at(corner + v) = image.at(v); });
    }
    cubes.push_back(std::move(cube));
  }
  return cubes;
}

// Pieces of 8 voxels a side that hold the same few voxels, moved and turned at random.
DenseGrid moved_pieces(uint64_t seed) {
  return [=](uint32_t x, uint32_t y, uint32_t z) {
    const uint64_t dice = mix64(seed + x / 8 + 100 * (y / 8) + 10000 * (z / 8));
    const auto off = [&](uint32_t v, uint32_t shift) {
      return static_cast<int64_t>(v % 8) - static_cast<int64_t>(dice >> shift & 3);
    };
    const std::array<int64_t, 3> at = {off(x, 8), off(y, 16), off(z, 24)};
    const int64_t a = at[dice % 3], b = at[(dice + 1) % 3], c = at[(dice + 2) % 3];
    return a >= 0 && a < 5 && b >= 0 && b <= a && c >= 0 && c < 2 + b % 2 ? 0 : dag::kEmptyVoxel;
  };
}

std::vector<CompressedScene> moved_scenes() {
  std::vector<CompressedScene> all = vox::scenes();
  all.push_back({"moved pieces", 32, moved_pieces(1)});
  all.push_back({"moved pieces in a part of the cube", 27, moved_pieces(2)});
  return all;
}

TEST(Transforms, DistinctNodesAreThoseOfDenseCubesThatAreTurnedAndMoved) {
  for (const CompressedScene& scene : sampled(moved_scenes())) {
    SCOPED_TRACE(scene.name);
    const dag::FrozenDag dag = dense_dag(scene.resolution, false, scene.grid);
    const measure::TransformDag found = measure::transform_dag(dag);
    std::vector<std::set<std::string>> seen(dag.levels.size()), canonicals(dag.levels.size());
    collect(cube_of(scene, dag.side()), 0, seen, canonicals);
    ASSERT_EQ(found.levels.size(), canonicals.size());
    for (size_t level = 0; level < canonicals.size(); ++level) {
      EXPECT_EQ(found.levels[level].distinct, canonicals[level].size()) << "level " << level;
      EXPECT_LE(found.levels[level].masks.size(), found.levels[level].distinct) << "level " << level;
    }
  }
}

TEST(Transforms, StoredNodesAndTheirTransformsMakeTheWholeScene) {
  uint64_t turns = 0, moves = 0;
  for (const CompressedScene& scene : moved_scenes()) {
    SCOPED_TRACE(scene.name);
    const dag::FrozenDag dag = dense_dag(scene.resolution, false, scene.grid);
    const measure::TransformDag found = measure::transform_dag(dag);
    if (dag.empty()) {
      EXPECT_EQ(found.nodes(), 0u);
      continue;
    }
    std::vector<Cube> cubes;
    for (uint32_t level = dag.depth() + 1; level-- > 0;) {
      cubes = cubes_of(found.levels[level], dag.level_side(level), cubes);
      for (const measure::MovedChild& child : found.levels[level].children) {
        turns += child.symmetry != 0;
        moves += child.move != Int3{0, 0, 0};
      }
    }
    ASSERT_EQ(cubes.size(), 1u);
    EXPECT_TRUE(cubes[0].voxels == cube_of(scene, dag.side()).voxels);
  }
  EXPECT_GT(turns, 0u);
  EXPECT_GT(moves, 0u);
}

// The least sum of code lengths, found by trying all ways to take two symbols for one.
uint64_t least_bits(std::vector<uint64_t> counts) {
  if (counts.size() < 2) return 0;
  uint64_t least = UINT64_MAX;
  for (size_t a = 0; a < counts.size(); ++a)
    for (size_t b = a + 1; b < counts.size(); ++b) {
      std::vector<uint64_t> merged = counts;
      merged[a] += merged[b];
      const uint64_t both = merged[a];
      merged.erase(merged.begin() + static_cast<ptrdiff_t>(b));
      least = std::min(least, both + least_bits(merged));
    }
  return least;
}

TEST(Transforms, HuffmanCodesAreTheShortest) {
  Random random(7);
  for (uint32_t trial = 0; trial < 30; ++trial) {
    std::vector<uint64_t> counts(random.below(6));
    for (uint64_t& count : counts) count = 1 + random.below(20);
    EXPECT_EQ(measure::huffman_bits(counts), least_bits(counts));
  }
}

// A walk down of a single node: sizes that can be counted by hand.
TEST(Transforms, SizesOfOneLeafInACubeAreCountedByHand) {
  const dag::FrozenDag dag = dense_dag(
      8, false, [](uint32_t x, uint32_t y, uint32_t z) { return x + y + z == 0 ? 0 : dag::kEmptyVoxel; });
  const measure::TransformDag found = measure::transform_dag(dag);
  EXPECT_EQ(found.nodes(), 2u);
  // A header and a pointer of 16 bits, the leaf, and a table with one transform.
  EXPECT_EQ(found.table_bytes(), 2u + 2 + 8 + 8);
  // A mask of 8 bits and no bit for the pointer, the leaf, and the table's entry with the length of its code.
  EXPECT_EQ(found.huffman_bytes(), 1u + 8 + 9);
}

// Eight equal corners, each turned in its own way: the table has eight transforms, which are numbers of three bits.
TEST(Transforms, SizesOfEightTurnedLeavesAreCountedByHand) {
  const dag::FrozenDag dag = dense_dag(8, false, [](uint32_t x, uint32_t y, uint32_t z) {
    const auto near = [](uint32_t v) { return std::min(v, 7 - v); };
    return near(x) + 2 * near(y) + 4 * near(z) < 6 && near(x) < 2 ? 0 : dag::kEmptyVoxel;
  });
  const measure::TransformDag found = measure::transform_dag(dag);
  ASSERT_EQ(found.nodes(), 2u);
  EXPECT_EQ(found.table_bytes(), 2u + 8 * 2 + 8 + 8 * 8);
  EXPECT_EQ(found.huffman_bytes(), 1u + 3 + 8 + 8 * 9);
}

}  // namespace
}  // namespace vox
