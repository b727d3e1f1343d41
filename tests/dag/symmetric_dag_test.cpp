// The symmetric form of scenes, compared with dense cubes that are turned voxel by voxel.
#include "libvox/dag/symmetric_dag.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "libvox/base/error.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/measure/dense_cubes.h"

namespace vox {
namespace {

// The different cubes of each level, each as the least of its images.
void collect_classes(const Cube& cube, size_t level, std::vector<std::set<std::string>>& seen,
                     std::vector<std::set<std::string>>& classes) {
  if (!cube.filled() || !seen[level].insert(cube.voxels).second) return;
  std::string least = cube.voxels;
  for (uint32_t symmetry = 1; symmetry < kSymmetries; ++symmetry)
    least = std::min(least, turned(cube, symmetry).voxels);
  classes[level].insert(least);
  if (level + 1 < seen.size())
    for (uint32_t octant = 0; octant < 8; ++octant)
      collect_classes(part(cube, octant), level + 1, seen, classes);
}

// Fills the voxels of a stored node after a symmetry, voxel by voxel.
Cube cube_of_node(const dag::SymmetricDag& dag, uint32_t level, uint64_t number) {
  const uint32_t side = (dag::kLeafSide << dag.depth()) >> level;
  Cube cube = {side, std::string(size_t{side} * side * side, '.')};
  const uint32_t* const node = dag.levels[level].node(number);
  if (level == dag.depth()) {
    for (uint32_t bit = 0; bit < 64; ++bit)
      if ((dag::leaf_mask(node) >> bit & 1) != 0) cube.at(cube_place(bit)) = '#';
    return cube;
  }
  for (uint32_t octant = 0; octant < 8; ++octant) {
    if ((node[0] >> octant & 1) == 0) continue;
    const Cube child = turned(cube_of_node(dag, level + 1, node[dag::symmetric_child_word(node[0], octant)]),
                              dag::symmetric_turn(node, octant));
    const Int3 corner = octant_corner(octant, static_cast<int32_t>(side / 2));
    vox::for_each_voxel(side / 2, [&](const Int3& v) { cube.at(corner + v) = child.at(v); });
  }
  return cube;
}

dag::SymmetricDag with_places(dag::SymmetricDag dag) {
  dag::place_nodes(dag);
  return dag;
}

void expect_same_words(const dag::FrozenDag& a, const dag::FrozenDag& b, const std::string& name) {
  ASSERT_EQ(a.levels.size(), b.levels.size());
  for (size_t level = 0; level < a.levels.size(); ++level) {
    EXPECT_TRUE(a.levels[level].words == b.levels[level].words) << name << ", level " << level;
    EXPECT_EQ(a.levels[level].nodes, b.levels[level].nodes);
    EXPECT_EQ(a.levels[level].svo_nodes, b.levels[level].svo_nodes);
  }
  EXPECT_EQ(a.digest, b.digest);
  EXPECT_EQ(a.voxels, b.voxels);
}

TEST(TurnedVoxels, AreThoseOfTheDenseCube) {
  Random random(1);
  for (uint32_t i = 0; i < 5; ++i) {
    const uint64_t mask = mix64(random.below(UINT32_MAX)) & mix64(random.below(UINT32_MAX));
    Cube cube = {4, std::string(64, '.')};
    for (uint32_t bit = 0; bit < 64; ++bit)
      if ((mask >> bit & 1) != 0) cube.at(cube_place(bit)) = '#';
    for (uint32_t symmetry = 0; symmetry < kSymmetries; ++symmetry) {
      const Cube expected = turned(cube, symmetry);
      const uint64_t image = turned_voxels(mask, symmetry);
      for (uint32_t bit = 0; bit < 64; ++bit)
        ASSERT_EQ(image >> bit & 1, expected.at(cube_place(bit)) == '#' ? 1u : 0u) << symmetry << ' ' << bit;
    }
  }
}

TEST(SymmetricDag, StoresEachCubeOnceUpToSymmetries) {
  const auto engine = test_engine();
  for (const CompressedScene& scene : sampled(scenes())) {
    const dag::FrozenDag plain = dense_dag(scene.resolution, false, scene.grid);
    const dag::SymmetricDag dag = dag::symmetric_dag(engine->handle(), plain);
    const Cube cube = cube_of(scene, plain.side());
    std::vector<std::set<std::string>> seen(plain.levels.size()), classes(plain.levels.size());
    collect_classes(cube, 0, seen, classes);
    for (size_t level = 0; level < classes.size(); ++level)
      EXPECT_EQ(dag.levels[level].nodes, classes[level].size()) << scene.name << ", level " << level;
    EXPECT_TRUE(dag.empty() || cube_of_node(dag, 0, 0).voxels == cube.voxels) << scene.name;
  }
}

TEST(SymmetricDag, BecomesThePlainDagWordForWord) {
  const auto engine = test_engine();
  for (const CompressedScene& scene : scenes()) {
    dag::FrozenDag plain = dense_dag(scene.resolution, false, scene.grid);
    dag::count_octree(plain);
    const dag::SymmetricDag dag = dag::symmetric_dag(engine->handle(), plain);
    EXPECT_LE(dag.nodes(), plain.unique_nodes());
    expect_same_words(dag::expanded(dag), plain, scene.name);
    EXPECT_NO_THROW(dag::check_same_nodes(engine->handle(), dag, plain));
  }
}

// 27 of 27 pieces are one, in 24 turns.
TEST(SymmetricDag, IsSmallWherePartsAreTurned) {
  const auto engine = test_engine();
  const dag::FrozenDag plain = dense_dag(64, false, turned_pieces(16, 3));
  const dag::SymmetricDag dag = dag::symmetric_dag(engine->handle(), plain);
  EXPECT_EQ(dag.levels[2].nodes, 3u);
  EXPECT_GT(plain.levels[2].nodes, 40u);
}

TEST(SymmetricDag, WithMaterialsIsRefused) {
  EXPECT_THROW(dag::symmetric_dag(test_engine()->handle(), dense_dag(16, true, shell)), Error);
}

TEST(SymmetricDag, HasTheVoxelsBelowEachChild) {
  const auto engine = test_engine();
  const dag::SymmetricDag dag =
      dag::symmetric_dag(engine->handle(), dense_dag(32, false, turned_pieces(4, 2)));
  const auto levels = dag::voxels_of_children(dag);
  for (uint32_t level = 0; level < dag.depth(); ++level)
    for (uint64_t number = 0; number < dag.levels[level].nodes; ++number) {
      const uint64_t first = dag.levels[level].places[number];
      const auto voxels = [&](uint32_t of_level, uint64_t of) {
        uint64_t count = 0;
        for (const char voxel : cube_of_node(dag, of_level, of).voxels) count += voxel == '#';
        return count;
      };
      EXPECT_EQ(levels[level].low[first], voxels(level, number));
      for (uint64_t word = first + 2; word < dag.levels[level].places[number + 1]; ++word)
        EXPECT_EQ(levels[level].low[word], voxels(level + 1, dag.levels[level].words[word]));
    }
}

TEST(SymmetricDag, OfAnotherSceneIsFound) {
  const auto engine = test_engine();
  const dag::FrozenDag plain = dense_dag(32, false, ball(32));
  dag::FrozenDag other = dense_dag(32, false, blocks);
  const dag::SymmetricDag dag = dag::symmetric_dag(engine->handle(), other);
  EXPECT_THROW(dag::check_same_nodes(engine->handle(), dag, plain), Error);
  other.digest = plain.digest;
  other.voxels = plain.voxels;
  EXPECT_THROW(dag::check_same_nodes(engine->handle(), dag::symmetric_dag(engine->handle(), other), plain),
               Error);
}

// Any change of a bit is refused, or gives a scene that a walk can use.
TEST(SymmetricDag, WithDamagedWordsIsRefusedOrAScene) {
  const auto engine = test_engine();
  const dag::FrozenDag plain = dense_dag(32, false, turned_pieces(4, 2));
  const dag::SymmetricDag sound = dag::symmetric_dag(engine->handle(), plain);
  Random random(2);
  uint32_t refused = 0;
  for (uint32_t i = 0; i < 200 * kThoroughness; ++i) {
    dag::SymmetricDag damaged = sound;
    dag::SymmetricLevel& level = damaged.levels[random.below(static_cast<uint32_t>(damaged.levels.size()))];
    switch (random.below(4)) {
      case 0:
        level.nodes += random.below(3) - 1;
        break;
      case 1:
        level.words.resize(random.below(static_cast<uint32_t>(level.words.size())));
        break;
      case 2:
        level.plain_nodes = random.below(20);
        break;
      default:
        level.words[random.below(static_cast<uint32_t>(level.words.size()))] ^= 1u << random.below(32);
    }
    try {
      const dag::FrozenDag read = dag::expanded(with_places(damaged));
      EXPECT_NO_THROW(dag::check_structure(read));
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100 * kThoroughness);
}

}  // namespace
}  // namespace vox
