// Scenes with rare nodes replaced, compared with the same rule on dense cubes of voxels.
#include "libvox/dag/lossy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/common/random.h"
#include "tests/measure/dense_cubes.h"

namespace vox {
namespace {

uint64_t distance(const std::string& a, const std::string& b) {
  uint64_t differing = 0;
  for (size_t i = 0; i < a.size(); ++i) differing += a[i] != b[i];
  return differing;
}

// The rule of dag/lossy.h, with a text for each cube.
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

}  // namespace
}  // namespace vox
