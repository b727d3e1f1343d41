// Scenes as plain arrays of voxels, and the canonical DAG of such an array made the slow way.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "libvox/base/morton.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/node.h"

namespace vox {

struct Dense {
  uint32_t side = 0;
  std::vector<int8_t> voxels;  // material, or kEmptyVoxel; x fastest

  explicit Dense(uint32_t n) : side(n), voxels(size_t{n} * n * n, kEmptyVoxel) {}
  size_t index(Int3 p) const {
    return (static_cast<size_t>(p.z) * side + static_cast<size_t>(p.y)) * side + static_cast<size_t>(p.x);
  }
  int8_t& at(Int3 p) { return voxels[index(p)]; }
  int8_t at(Int3 p) const { return voxels[index(p)]; }
  bool filled(Int3 p) const { return at(p) != kEmptyVoxel; }
  bool contains(Int3 p) const {
    auto n = static_cast<int32_t>(side);
    return p.x >= 0 && p.y >= 0 && p.z >= 0 && p.x < n && p.y < n && p.z < n;
  }
};

inline Int3 child_corner(Int3 corner, uint32_t child, uint32_t child_side) {
  return corner + morton_decode(child) * static_cast<int32_t>(child_side);
}

inline void expand(const FrozenDag& dag, uint32_t level, uint32_t offset, Int3 corner, Dense& dense) {
  const uint32_t* node = &dag.levels[level].words[offset];
  if (level == dag.depth()) {
    for (uint32_t bit = 0; bit < 64; ++bit)
      if (leaf_mask(node) >> bit & 1)
        dense.at(child_corner(corner, bit, 1)) =
            static_cast<int8_t>(dag.materials ? leaf_material(node, bit) : 0);
    return;
  }
  for (uint32_t child = 0; child < 8; ++child)
    if (node[0] >> child & 1)
      expand(dag, level + 1, node[child_word(node[0], child)],
             child_corner(corner, child, dag.level_side(level + 1)), dense);
}

inline Dense to_dense(const FrozenDag& dag) {
  Dense dense(dag.side());
  if (!dag.empty()) expand(dag, 0, 0, {0, 0, 0}, dense);
  return dense;
}

// Builds the canonical form of DESIGN §4 by one depth-first walk over every cell of the array.
class ReferenceBuilder {
 public:
  ReferenceBuilder(const Dense& dense, uint32_t resolution, bool materials) : dense_(dense) {
    dag_.resolution = resolution;
    dag_.materials = materials;
    uint32_t levels = 1;
    while (kLeafSide << (levels - 1) < dense.side) ++levels;
    dag_.levels.resize(levels);
    known_.resize(levels);
  }

  FrozenDag build() {
    Node root = add(0, {0, 0, 0});
    dag_.digest = start_digest(3);
    for (uint32_t word : {dag_.resolution, dag_.depth(), dag_.materials ? 4u : 0u})
      combine(dag_.digest, word);
    if (root.exists) {
      combine(dag_.digest, root.digest.low);
      combine(dag_.digest, root.digest.high);
    }
    return dag_;
  }

 private:
  static constexpr int kMixed = -1;
  struct Node {
    bool exists = false;
    uint32_t offset = 0;
    int material = kMixed;  // of a region that is completely filled with one
    Digest digest;
  };

  Node add(uint32_t level, Int3 corner) {
    return level == dag_.depth() ? add_leaf(corner) : add_inner(level, corner);
  }

  Node add_leaf(Int3 corner) {
    uint64_t mask = 0;
    std::vector<uint32_t> words(2), nibbles(8);
    std::array<uint32_t, kPaletteEntries> uses = {};
    uint32_t count = 0;
    for (uint32_t bit = 0; bit < 64; ++bit) {
      int8_t material = dense_.at(child_corner(corner, bit, 1));
      if (material == kEmptyVoxel) continue;
      mask |= uint64_t{1} << bit;
      nibbles[count / 8] |= static_cast<uint32_t>(material) << count % 8 * 4;
      ++uses[static_cast<size_t>(material)];
      ++count;
    }
    if (count == 0) return {};
    words[0] = static_cast<uint32_t>(mask);
    words[1] = static_cast<uint32_t>(mask >> 32);
    if (dag_.materials)
      words.insert(words.end(), nibbles.begin(), nibbles.begin() + (static_cast<int>(count) + 7) / 8);
    dag_.voxels += count;
    int first = static_cast<int>(dense_.at(corner));
    bool full = count == 64 && uses[static_cast<size_t>(first)] == 64;
    return store(dag_.depth(), words, full ? first : kMixed, leaf_digest(words.data(), dag_.materials));
  }

  Node add_inner(uint32_t level, Int3 corner) {
    std::vector<uint32_t> words(1);
    std::vector<Node> children;
    for (uint32_t child = 0; child < 8; ++child) {
      Node node = add(level + 1, child_corner(corner, child, dag_.level_side(level + 1)));
      if (!node.exists) continue;
      words[0] |= 1u << child;
      words.push_back(node.offset);
      children.push_back(node);
    }
    if (children.empty()) return {};
    int material = children.size() == 8 ? children[0].material : kMixed;
    for (const Node& child : children)
      if (child.material != material) material = kMixed;
    if (material != kMixed) words[0] |= 0x100u | static_cast<uint32_t>(material) << 9;
    return store(level, words, material,
                 node_digest(words[0], [&](uint32_t i) { return children[i].digest; }));
  }

  Node store(uint32_t level, const std::vector<uint32_t>& words, int material, Digest digest) {
    DagLevel& into = dag_.levels[level];
    ++into.svo_nodes;
    auto [entry, is_new] = known_[level].try_emplace(words, static_cast<uint32_t>(into.words.size()));
    if (is_new) {
      ++into.nodes;
      into.words.insert(into.words.end(), words.begin(), words.end());
    }
    return {true, entry->second, material, digest};
  }

  static constexpr size_t kPaletteEntries = 16;
  const Dense& dense_;
  FrozenDag dag_;
  std::vector<std::map<std::vector<uint32_t>, uint32_t>> known_;
};

inline FrozenDag reference_dag(const Dense& dense, uint32_t resolution, bool materials) {
  return ReferenceBuilder(dense, resolution, materials).build();
}

}  // namespace vox
