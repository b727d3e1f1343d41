// Makes the canonical DAG of a dense grid by plain recursion, which is slow and obviously right. Tests
// compare builders with it.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/morton.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/verify.h"
#include "libvox/dag/walk.h"

namespace vox {

// Returns kEmptyVoxel or a material. In a DAG without materials, any number >= 0 is "filled".
using DenseGrid = std::function<int(uint32_t x, uint32_t y, uint32_t z)>;

class DenseDagBuilder {
 public:
  DenseDagBuilder(uint32_t resolution, bool materials, const DenseGrid& grid)
      : grid_(grid), dag_(dag::empty_dag(resolution, materials)), known_(dag_.levels.size()) {}

  dag::FrozenDag build() {
    std::optional<Known> root = add(0, {0, 0, 0});
    dag_.digest = dag::start_digest(3);
    for (uint64_t word :
         {uint64_t{dag_.resolution}, uint64_t{dag_.depth()}, uint64_t{dag_.materials ? 4u : 0u}})
      dag::combine(dag_.digest, word);
    if (root) {
      dag::combine(dag_.digest, root->digest.low);
      dag::combine(dag_.digest, root->digest.high);
    }
    dag::place_nodes(dag_);
    return dag_;
  }

 private:
  struct Known {
    uint32_t number;
    dag::Digest digest;
  };
  using Corner = std::array<uint32_t, 3>;

  int voxel(uint32_t x, uint32_t y, uint32_t z) const {
    uint32_t r = dag_.resolution;
    int value = x < r && y < r && z < r ? grid_(x, y, z) : dag::kEmptyVoxel;
    return value == dag::kEmptyVoxel || dag_.materials ? value : 0;
  }

  // Returns the material that fills the whole cube, if there is one.
  std::optional<uint32_t> uniform(Corner c, uint32_t side) const {
    int first = voxel(c[0], c[1], c[2]);
    for (uint32_t x = 0; x < side; ++x)
      for (uint32_t y = 0; y < side; ++y)
        for (uint32_t z = 0; z < side; ++z)
          if (voxel(c[0] + x, c[1] + y, c[2] + z) != first) return std::nullopt;
    if (first == dag::kEmptyVoxel) return std::nullopt;
    return static_cast<uint32_t>(first);
  }

  std::optional<Known> add(uint32_t level, Corner corner) {
    return level == dag_.depth() ? add_leaf(corner) : add_node(level, corner);
  }

  std::optional<Known> add_leaf(Corner c) {
    uint64_t mask = 0;
    std::vector<uint32_t> leaf(2);
    for (uint32_t bit = 0, filled = 0; bit < 64; ++bit) {
      Int3 p = morton_decode(bit);
      int value = voxel(c[0] + static_cast<uint32_t>(p.x), c[1] + static_cast<uint32_t>(p.y),
                        c[2] + static_cast<uint32_t>(p.z));
      if (value == dag::kEmptyVoxel) continue;
      mask |= uint64_t{1} << bit;
      if (dag_.materials && filled % 8 == 0) leaf.push_back(0);
      if (dag_.materials) leaf.back() |= static_cast<uint32_t>(value) << filled % 8 * 4;
      ++filled;
      ++dag_.voxels;
    }
    if (mask == 0) return std::nullopt;
    leaf[0] = static_cast<uint32_t>(mask);
    leaf[1] = static_cast<uint32_t>(mask >> 32);
    return known(dag_.depth(), leaf, dag::leaf_digest(leaf.data(), dag_.materials));
  }

  std::optional<Known> add_node(uint32_t level, Corner c) {
    std::vector<uint32_t> node(1);
    std::vector<dag::Digest> digests;
    uint32_t half = dag_.level_side(level) / 2;
    for (uint32_t i = 0; i < 8; ++i) {
      auto child =
          add(level + 1, {c[0] + (i & 1) * half, c[1] + (i >> 1 & 1) * half, c[2] + (i >> 2) * half});
      if (!child) continue;
      node[0] |= 1u << i;
      node.push_back(child->number);
      digests.push_back(child->digest);
    }
    if (node[0] == 0) return std::nullopt;
    if (auto material = uniform(c, 2 * half)) node[0] = dag::homogeneous_header(*material);
    return known(level, node, dag::node_digest(node[0], [&](uint32_t i) { return digests[i]; }));
  }

  // Nodes of one level do not overlap, so the first one that is finished is the first one that is visited.
  Known known(uint32_t level, const std::vector<uint32_t>& node, dag::Digest digest) {
    dag::DagLevel& to = dag_.levels[level];
    ++to.svo_nodes;
    auto [entry, is_new] = known_[level].try_emplace(node, Known{static_cast<uint32_t>(to.nodes), digest});
    if (is_new) {
      to.words.insert(to.words.end(), node.begin(), node.end());
      ++to.nodes;
    }
    return entry->second;
  }

  const DenseGrid& grid_;
  dag::FrozenDag dag_;
  std::vector<std::map<std::vector<uint32_t>, Known>> known_;
};

inline dag::FrozenDag dense_dag(uint32_t resolution, bool materials, const DenseGrid& grid) {
  return DenseDagBuilder(resolution, materials, grid).build();
}

// Dense grids for tests, defined by functions of the voxel.

// A spherical shell in 16 materials with some noise beside it, so that some nodes repeat and others do not.
inline int shell(uint32_t x, uint32_t y, uint32_t z) {
  const int64_t dx = int64_t{x} - 30, dy = int64_t{y} - 30, dz = int64_t{z} - 30;
  const int64_t r2 = dx * dx + dy * dy + dz * dz;
  if (r2 >= 20 * 20 && r2 <= 24 * 24) return static_cast<int>(x / 8 + y / 8) % 16;
  return mix64(x + 1000 * y + 1000000 * z) % 97 == 0 ? 7 : dag::kEmptyVoxel;
}

// Blocks of 16³, each empty or filled with one material.
inline int blocks(uint32_t x, uint32_t y, uint32_t z) {
  const uint64_t hash = mix64(x / 16 + 100 * (y / 16) + 10000 * (z / 16) + 1);
  return hash % 3 == 0 ? dag::kEmptyVoxel : static_cast<int>(hash >> 8 & 3);
}

inline int everywhere(uint32_t, uint32_t, uint32_t) {
  return 5;
}

inline int nowhere(uint32_t, uint32_t, uint32_t) {
  return dag::kEmptyVoxel;
}

// A full cube with several materials, which is homogeneous only without them.
inline int checkered(uint32_t x, uint32_t y, uint32_t z) {
  return static_cast<int>((x / 2 + y / 2 + z / 2) % 3);
}

// One voxel in a thousand at random places: leaves and nodes of few words, some of them equal.
inline DenseGrid dust(uint64_t seed) {
  return [seed](uint32_t x, uint32_t y, uint32_t z) {
    const uint64_t hash = mix64(seed + x + 1000 * y + 1000000 * z);
    return hash % 1000 == 0 ? static_cast<int>(hash >> 32 & 15) : dag::kEmptyVoxel;
  };
}

inline std::vector<DenseGrid> all_grids() {
  return {shell, blocks, everywhere, nowhere, checkered, dust(1), dust(2)};
}

// Compares two DAGs word by word.

inline void expect_equal(const dag::FrozenDag& a, const dag::FrozenDag& b) {
  EXPECT_EQ(dag::to_string(a.digest), dag::to_string(b.digest));
  EXPECT_EQ(a.resolution, b.resolution);
  EXPECT_EQ(a.materials, b.materials);
  EXPECT_EQ(a.voxels, b.voxels);
  ASSERT_EQ(a.levels.size(), b.levels.size());
  for (size_t level = 0; level < a.levels.size(); ++level) {
    EXPECT_TRUE(a.levels[level].words == b.levels[level].words) << "level " << level;
    EXPECT_EQ(a.levels[level].nodes, b.levels[level].nodes) << "level " << level;
    EXPECT_EQ(a.levels[level].svo_nodes, b.levels[level].svo_nodes) << "level " << level;
  }
}

// Cuts a DAG into parts, in the form in which ranks that build it together hold it.

// Each level becomes `count` runs of nodes, some of which may be empty.
inline std::vector<dag::DagPart> parts_of(const dag::FrozenDag& dag, uint64_t count) {
  std::vector<dag::DagPart> parts(count);
  for (uint64_t i = 0; i < count; ++i)
    for (const dag::DagLevel& level : dag.levels) {
      const uint64_t nodes = level.places.nodes(), begin = nodes * i / count, end = nodes * (i + 1) / count;
      dag::LevelPart part = {{}, begin, end - begin};
      if (nodes > 0)
        part.words.assign(level.words.data() + level.places[begin], level.words.data() + level.places[end]);
      parts[i].levels.push_back(std::move(part));
    }
  return parts;
}

}  // namespace vox
