// Other forms of scenes, compared with the same rules on dense cubes of voxels.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/dag/derived.h"
#include "libvox/dag/symmetric_dag.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/measure/dense_cubes.h"

namespace vox {
namespace {

uint64_t distance(const std::string& a, const std::string& b) {
  uint64_t differing = 0;
  for (size_t i = 0; i < a.size(); ++i) differing += a[i] != b[i];
  return differing;
}

// The rule of dag/derived.h, with a text for each cube.
class DenseLossy {
 public:
  DenseLossy(const Cube& scene, uint32_t resolution, uint64_t most)
      : first_(scene), now_(scene), resolution_(resolution) {
    replaced_leaves_ = replace(4, most / 4);
    if (scene.side > 4) replaced_nodes_ = replace(8, most);
  }

  const Cube& scene() const { return now_; }
  uint64_t replaced_leaves() const { return replaced_leaves_; }
  uint64_t replaced_nodes() const { return replaced_nodes_; }

 private:
  struct Node {
    std::string first, now;
    std::vector<Int3> places;
  };
  struct Change {
    int64_t more;
    size_t number;
    std::string to;
  };

  static std::string cut(const Cube& cube, const Int3& corner, uint32_t side) {
    std::string text;
    vox::for_each_voxel(side, [&](const Int3& v) { text += cube.at(corner + v); });
    return text;
  }

  // All different filled cubes of a side in the order of a depth-first walk.
  std::vector<Node> nodes(uint32_t side) const {
    std::vector<Node> nodes;
    std::map<std::string, size_t> numbers;
    const uint64_t cubes = uint64_t{first_.side / side} * (first_.side / side) * (first_.side / side);
    for (uint64_t code = 0; code < cubes; ++code) {
      const Int3 cell = morton_decode(code);
      const Int3 corner = cell * static_cast<int32_t>(side);
      const std::string text = cut(first_, corner, side);
      if (text.find('#') == std::string::npos) continue;
      const auto [found, is_new] = numbers.try_emplace(text, nodes.size());
      if (is_new) nodes.push_back({text, cut(now_, corner, side), {}});
      nodes[found->second].places.push_back(corner);
    }
    return nodes;
  }

  bool lies_in_grid(const std::string& cube, uint32_t side, const Node& node) const {
    bool lies = true;
    for (const Int3& corner : node.places) {
      size_t i = 0;
      vox::for_each_voxel(side, [&](const Int3& v) {
        const Int3 at = corner + v;
        const int32_t furthest = std::max({at.x, at.y, at.z});
        lies = lies && (cube[i++] != '#' || furthest < static_cast<int32_t>(resolution_));
      });
    }
    return lies;
  }

  static std::vector<std::string> common(const std::vector<Node>& nodes) {
    std::vector<std::pair<uint64_t, std::string>> kinds;  // in the order of their first nodes
    for (const Node& node : nodes) {
      const auto known = std::ranges::find(kinds, node.now, &std::pair<uint64_t, std::string>::second);
      if (known != kinds.end())
        known->first += node.places.size();
      else
        kinds.emplace_back(node.places.size(), node.now);
    }
    std::ranges::stable_sort(kinds, std::greater(), &std::pair<uint64_t, std::string>::first);
    std::vector<std::string> common;
    for (size_t i = 0; 4 * i < kinds.size(); ++i) common.push_back(kinds[i].second);
    return common;
  }

  uint64_t replace(uint32_t side, uint64_t most_changed) {
    std::vector<Node> all = nodes(side);
    const std::vector<std::string> kept = common(all);
    std::vector<Change> changes;
    for (size_t number = 0; number < all.size(); ++number) {
      const Node& node = all[number];
      const uint64_t so_far = distance(node.first, node.now),
                     most = so_far + most_changed / node.places.size();
      const std::string* best = nullptr;
      for (const std::string& other : kept) {
        const uint64_t here = distance(node.first, other);
        if (here > most || (best != nullptr && here >= distance(node.first, *best))) continue;
        if (lies_in_grid(other, side, node)) best = &other;
      }
      if (best == nullptr || *best == node.now) continue;
      const auto more = static_cast<int64_t>(distance(node.first, *best)) - static_cast<int64_t>(so_far);
      changes.push_back({more * static_cast<int64_t>(node.places.size()), number, *best});
    }
    std::ranges::stable_sort(changes, {}, &Change::more);
    uint64_t replaced = 0;
    auto changed = static_cast<int64_t>(distance(first_.voxels, now_.voxels));
    for (const Change& change : changes) {
      changed += change.more;
      if (changed > static_cast<int64_t>(most_changed)) break;
      ++replaced;
      for (const Int3& corner : all[change.number].places) {
        size_t i = 0;
        vox::for_each_voxel(side, [&](const Int3& v) { now_.at(corner + v) = change.to[i++]; });
      }
    }
    return replaced;
  }

  const Cube first_;
  Cube now_;
  uint32_t resolution_;
  uint64_t replaced_leaves_ = 0, replaced_nodes_ = 0;
};

Cube cube_of(const dag::FrozenDag& dag) {
  Cube cube = {dag.side(), std::string(size_t{dag.side()} * dag.side() * dag.side(), '.')};
  vox::for_each_voxel(dag.side(), [&](const Int3& v) {
    if (dag::voxel_at(dag, static_cast<uint32_t>(v.x), static_cast<uint32_t>(v.y),
                      static_cast<uint32_t>(v.z)) != dag::kEmptyVoxel)
      cube.at(v) = '#';
  });
  return cube;
}

// A wavy surface, many parts of which are alike but not equal.
DenseGrid waves(uint64_t seed) {
  return [seed](uint32_t x, uint32_t y, uint32_t z) {
    const uint64_t height = 8 + (x * x / 7 + z * 3 / 2) % 9 + (mix64(seed + 100 * x + z) % 16 == 0);
    return y == height || y == height + 1 ? 0 : dag::kEmptyVoxel;
  };
}

std::vector<CompressedScene> lossy_scenes() {
  std::vector<CompressedScene> all = vox::scenes();
  all.push_back({"waves", 32, waves(1)});
  all.push_back({"waves up to the grid's end", 27, waves(2)});
  all.push_back({"dust in a part of the cube", 21, dust(2)});
  return all;
}

TEST(Lossy, ReplacesTheNodesThatTheRuleOnDenseCubesReplaces) {
  uint64_t leaves = 0, nodes = 0;
  for (const CompressedScene& scene : sampled(lossy_scenes()))
    for (const double share : {0.01, 0.1, 1.0}) {
      SCOPED_TRACE(scene.name + ", " + std::to_string(share));
      const dag::FrozenDag dag = dense_dag(scene.resolution, false, scene.grid);
      const dag::LossyDag lossy = dag::lossy(dag, share);
      const Cube before = cube_of(dag), after = cube_of(lossy.dag);
      const auto most = static_cast<uint64_t>(share * static_cast<double>(dag.voxels));
      EXPECT_EQ(lossy.changed_voxels, distance(before.voxels, after.voxels));
      EXPECT_LE(lossy.changed_voxels, most);
      EXPECT_LE(lossy.dag.unique_nodes(), dag.unique_nodes());
      dag::verify(lossy.dag);
      if (dag.empty()) continue;
      const DenseLossy expected(before, scene.resolution, most);
      EXPECT_TRUE(after.voxels == expected.scene().voxels) << "other voxels than by the rule";
      EXPECT_EQ(lossy.replaced_leaves, expected.replaced_leaves());
      EXPECT_EQ(lossy.replaced_nodes, expected.replaced_nodes());
      leaves += lossy.replaced_leaves;
      nodes += lossy.replaced_nodes;
    }
  EXPECT_GT(leaves, 0u);
  EXPECT_GT(nodes, 0u);
}

TEST(Lossy, ASceneThatMayNotChangeStaysTheSame) {
  for (const CompressedScene& scene : sampled(lossy_scenes())) {
    const dag::FrozenDag dag = dense_dag(scene.resolution, false, scene.grid);
    const dag::LossyDag lossy = dag::lossy(dag, 0);
    EXPECT_EQ(lossy.dag.digest, dag.digest) << scene.name;
    EXPECT_EQ(lossy.changed_voxels, 0u) << scene.name;
  }
}

// Reading a file accepts such nodes, because a walk never comes to them.
TEST(Lossy, ANodeToWhichNothingLeadsIsAnError) {
  dag::FrozenDag dag = dense_dag(32, false, waves(1));
  dag::DagLevel& leaves = dag.levels.back();
  leaves.words.push_back(1);
  leaves.words.push_back(1);
  ++leaves.nodes;
  dag::place_nodes(dag);
  EXPECT_NO_THROW(dag::check_structure(dag));
  EXPECT_THROW(dag::lossy(dag, 1), Error);
}

TEST(Lossy, ALeafWithoutVoxelsIsAnError) {
  dag::FrozenDag dag = dense_dag(4, false, everywhere);
  dag.levels.back().words = {0, 0};
  EXPECT_NO_THROW(dag::check_structure(dag));
  EXPECT_THROW(dag::lossy(dag, 1), Error);
}

// The symmetric form of scenes, compared with dense cubes that are turned voxel by voxel.

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
