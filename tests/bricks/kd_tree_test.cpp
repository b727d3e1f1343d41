// Compares the kd tree over bricks with brute force, and access through it with the dense volume.
#include "libvox/bricks/jit/source.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>

#include "tests/bricks/brick_volumes.h"
#include "tests/common/test_engine.h"

namespace vox {
namespace {

using namespace testing_bricks;

struct TypeGrid {
  Int3 size;
  std::vector<uint8_t> types;

  size_t index(Int3 v) const {
    return size_t(v.x) + size_t(size.x) * (size_t(v.y) + size_t(size.y) * size_t(v.z));
  }
  uint8_t at(Int3 v) const { return types[index(v)]; }
};

TypeGrid random_grid(Int3 size, uint32_t types, uint32_t seed) {
  std::mt19937 random(seed);
  TypeGrid grid = {size, std::vector<uint8_t>(size_t(size.x) * size_t(size.y) * size_t(size.z))};
  for (uint8_t& type : grid.types) type = uint8_t(random() % types);
  return grid;
}

// A grid with large regions of one type, as in a volume.
TypeGrid layered_grid(Int3 size) {
  TypeGrid grid = random_grid(size, 1, 1);
  for (size_t i = 0; i < grid.types.size(); ++i) {
    const int32_t n = int32_t(i), x = n % size.x, y = n / size.x % size.y, z = n / size.x / size.y;
    grid.types[i] = x < size.x / 3 ? 0 : y + z < size.y ? 2 : uint8_t(3 + x % 2);
  }
  return grid;
}

template <class F>
void each_in(const VoxelBox& box, const F& f) {
  for (int32_t z = box.min.z; z < box.max.z; ++z)
    for (int32_t y = box.min.y; y < box.max.y; ++y)
      for (int32_t x = box.min.x; x < box.max.x; ++x) f(Int3{x, y, z});
}

// v E(S) of equation 4.1, in the form of the thesis.
double entropy_bits(const TypeGrid& grid, const VoxelBox& box) {
  std::map<uint8_t, double> counts;
  each_in(box, [&](Int3 v) { ++counts[grid.at(v)]; });
  double entropy = 0;
  const auto all = double(box.voxels());
  for (const auto& [type, count] : counts) entropy -= count / all * std::log2(count / all);
  return entropy * all;
}

double least_entropy_bits(const TypeGrid& grid, const VoxelBox& box) {
  double least = INFINITY;
  for (uint32_t axis = 0; axis < 3; ++axis)
    for (uint32_t position = 0; position < 20; ++position) {
      const bricks::KdNode split = {.split = position << 2 | axis};
      const VoxelBox low = bricks::low_side(box, split), high = bricks::high_side(box, split);
      if (!low.empty() && !high.empty() && low.voxels() + high.voxels() == box.voxels())
        least = std::min(least, entropy_bits(grid, low) + entropy_bits(grid, high));
    }
  return least;
}

void expect_leaves(const TypeGrid& grid, const bricks::KdTree& tree) {
  std::vector<int> covered(grid.types.size());
  uint32_t leaves = 0, mixed = 0;
  tree.each_leaf([&](const VoxelBox& box, bricks::KdNode leaf) {
    ++leaves;
    std::set<uint8_t> types;
    each_in(box, [&](Int3 v) {
      ++covered[grid.index(v)];
      types.insert(grid.at(v));
      const bricks::KdNode found = bricks::KdRef{.bricks = {}, .nodes = tree.nodes.data()}.leaf(v);
      EXPECT_EQ(found.next, leaf.next);
    });
    if (leaf.next == bricks::KdNode::kMixed) {
      ++mixed;
      EXPECT_GT(types.size(), 1u);
    } else {
      EXPECT_EQ(types, std::set<uint8_t>{uint8_t(leaf.next)});
    }
  });
  EXPECT_EQ(std::ranges::count(covered, 1), std::ssize(covered));
  EXPECT_EQ(leaves, tree.leaves);
  EXPECT_EQ(mixed, tree.mixed);
  EXPECT_EQ(tree.nodes.size(), 2 * size_t{leaves} - 1);
}

TEST(KdTree, HasEveryBrickInOneLeafOfItsType) {
  for (const TypeGrid& grid :
       {random_grid({7, 5, 6}, 3, 1), random_grid({1, 1, 1}, 1, 2), random_grid({16, 1, 2}, 8, 3),
        random_grid({9, 9, 9}, 2, 4), layered_grid({16, 16, 16}), layered_grid({31, 8, 3})}) {
    const bricks::KdTree tree = bricks::build_kd_tree(grid.size, grid.types, UINT32_MAX);
    EXPECT_EQ(tree.mixed, 0u);
    expect_leaves(grid, tree);
  }
}

TEST(KdTree, SplitsWhereTheAverageEntropyIsLeast) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const TypeGrid grid = random_grid({1 + int32_t(seed % 7), 5, 4}, 2 + seed % 4, seed);
    const bricks::KdTree tree = bricks::build_kd_tree(grid.size, grid.types, UINT32_MAX);
    const auto check = [&](const auto& self, uint32_t number, const VoxelBox& box) -> void {
      const bricks::KdNode node = tree.nodes[number];
      if (node.is_leaf()) return;
      const VoxelBox low = bricks::low_side(box, node), high = bricks::high_side(box, node);
      EXPECT_NEAR(entropy_bits(grid, low) + entropy_bits(grid, high), least_entropy_bits(grid, box), 1e-9);
      self(self, node.next, low);
      self(self, node.next + 1, high);
    };
    check(check, 0, {{0, 0, 0}, grid.size});
  }
}

// The grid is that of figure 4.4 of the thesis: octrees and dense bricks on the left, lists, dense and empty
// bricks on the right.
TEST(KdTree, FindsTheRegionsOfTheThesis) {
  TypeGrid grid = random_grid({8, 8, 8}, 1, 0);
  for (size_t i = 0; i < grid.types.size(); ++i) {
    const size_t x = i % 8, y = i / 8 % 8, z = i / 64;
    grid.types[i] = x < 3 ? (z < 1 ? 1 : 2) : z < 6 ? (x < 6 ? 3 : 0) : y < 3 ? 1 : 0;
  }
  const bricks::KdTree tree = bricks::build_kd_tree(grid.size, grid.types, UINT32_MAX);
  EXPECT_LE(tree.leaves, 8u);  // 6 would suffice: the best first split need not lead to the best tree
  expect_leaves(grid, tree);
}

TEST(KdTree, OfMediansHasOneBrickInALeaf) {
  for (const TypeGrid& grid : {random_grid({7, 5, 6}, 3, 1), random_grid({1, 1, 1}, 1, 2),
                               random_grid({16, 1, 2}, 8, 3), layered_grid({9, 4, 3})}) {
    const bricks::KdTree tree =
        bricks::build_kd_tree(grid.size, grid.types, UINT32_MAX, bricks::KdSplit::Median);
    EXPECT_EQ(tree.leaves, grid.types.size());
    EXPECT_EQ(tree.mixed, 0u);
    expect_leaves(grid, tree);
    uint64_t bricks = 1;
    uint32_t depth = 0;
    for (; bricks < grid.types.size(); bricks *= 2) ++depth;
    EXPECT_GE(tree.depth(), depth);
    EXPECT_LE(tree.depth(), depth + 3);  // an odd side has a larger half
  }
}

TEST(KdTree, OfMediansSplitsTheAxisWhoseSidesDifferLeast) {
  // The numbers of bricks of the two sides of 5 x 4 x 3 bricks are 24 and 36, 30 and 30, and 20 and 40.
  const TypeGrid grid = random_grid({5, 4, 3}, 3, 1);
  const bricks::KdTree tree = bricks::build_kd_tree(grid.size, grid.types, 2, bricks::KdSplit::Median);
  EXPECT_EQ(tree.nodes[0].axis(), 1u);
  EXPECT_EQ(tree.nodes[0].position(), 2);
  expect_leaves(grid, tree);
}

TEST(KdTree, KeepsToItsBudget) {
  const TypeGrid layered = layered_grid({16, 16, 16}), random = random_grid({32, 32, 32}, 8, 7);
  for (const uint32_t budget : {1u, 2u, 3u, 7u, 64u, 1000u, 4096u})
    for (const TypeGrid* grid : {&layered, &random}) {
      const bricks::KdTree tree = bricks::build_kd_tree(grid->size, grid->types, budget);
      EXPECT_LE(tree.leaves, budget);
      EXPECT_TRUE(tree.mixed == 0 || tree.leaves == budget);
      expect_leaves(*grid, tree);
    }
}

TEST(KdTree, SpendsItsBudgetWhereTypesAreMixedMost) {
  // One split separates the empty part from the other; three more are better spent on the mixed part.
  TypeGrid grid = random_grid({16, 8, 8}, 8, 9);
  for (size_t i = 0; i < grid.types.size(); ++i)
    if (i % 16 < 8) grid.types[i] = i == 0 ? 1 : 0;
  const bricks::KdTree tree = bricks::build_kd_tree(grid.size, grid.types, 5);
  expect_leaves(grid, tree);
  uint32_t on_the_left = 0;
  tree.each_leaf([&](const VoxelBox& box, bricks::KdNode) { on_the_left += box.max.x <= 8 ? 1 : 0; });
  EXPECT_EQ(on_the_left, 1u);
}

TEST(KdTree, IsTheSameEveryTime) {
  const TypeGrid grid = random_grid({32, 32, 32}, 5, 11);
  const bricks::KdTree one = bricks::build_kd_tree(grid.size, grid.types, 5000),
                       two = bricks::build_kd_tree(grid.size, grid.types, 5000);
  ASSERT_EQ(one.nodes.size(), two.nodes.size());
  for (size_t i = 0; i < one.nodes.size(); ++i) {
    EXPECT_EQ(one.nodes[i].split, two.nodes[i].split);
    EXPECT_EQ(one.nodes[i].next, two.nodes[i].next);
  }
}

TEST(KdTree, GivesEveryVoxelOfTheVolume) {
  const auto engine = test_engine();
  for (const volume::ValueType type : {volume::ValueType::U8, volume::ValueType::U16, volume::ValueType::F32})
    for (const volume::Volume& volume :
         {mixed_volume({71, 45, 66}, type, 1), ball_volume({71, 45, 66}, type),
          constant_volume({30, 20, 10}, type, 0), constant_volume({30, 20, 10}, type, 9)})
      for (const uint32_t log2_side : {2u, 3u, 5u})
        for (const uint32_t budget : {1u, 5u, UINT32_MAX}) {
          const bricks::FrozenBricks bricks =
              bricks::build_bricks(engine->handle(), volume, {.log2_side = log2_side, .threshold = {}})
                  .bricks;
          const bricks::DenseRootRef direct = {bricks::ref(bricks)};
          const std::vector<uint32_t> words = dense_words(volume, {.type = type});
          for (const bricks::KdSplit split : {bricks::KdSplit::Entropy, bricks::KdSplit::Median}) {
            const bricks::KdTree tree = bricks::build_kd_tree(bricks, budget, split);
            const bricks::KdRef access = {.bricks = direct, .nodes = tree.nodes.data()};
            size_t wrong = 0, i = 0;
            volume::with_word_type(type, [&]<class T>() {
              each_in(volume.info.box(), [&](Int3 v) {
                wrong += access.get<T>(v) != words[i] || direct.get<T>(v) != words[i] ? 1 : 0;
                ++i;
              });
            });
            EXPECT_EQ(wrong, 0u) << log2_side << ", " << budget;
          }
        }
}

}  // namespace
}  // namespace vox
