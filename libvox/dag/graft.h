// The cubes of a scene that boxes cut, from the root's down, and the nodes that are made for them (walk.h).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/node.h"

namespace vox::dag {

inline constexpr uint32_t kNoNode = UINT32_MAX;

inline NodeKind kind_at(const FrozenDag& dag, uint32_t level) {
  return level == dag.depth() ? NodeKind::Leaf : NodeKind::Inner;
}

// Returns the smallest box of whole cubes around `box`. The cubes' side follows from the size of the box: larger cubes
// would make the part larger, and smaller ones would be cut in greater number.
VoxelBox box_of_cubes(const VoxelBox& box, uint32_t side);

// How much of a box lies in a region.
enum class Overlap { None, Part, Whole };
Overlap overlap(const VoxelBox& box, std::span<const VoxelBox> region);

// The origin of a cut node's child. `number` is the number of a node of the whole or of the part, or a place among the
// cut nodes of the next level.
enum class Origin : uint8_t { Nowhere, Whole, Part, Cut };
struct CutChild {
  Origin origin = Origin::Nowhere;
  uint32_t number = 0;
};

// A cube that lies partly inside the region, with its node in the whole and in the part before and after the edits.
struct CutCube {
  Int3 corner;
  uint32_t whole = kNoNode, before = kNoNode, after = kNoNode;
  std::array<CutChild, 8> children = {};
  // The node in the result: its id, or kNoNode if nothing is left; the material if it is full and has one, else -1.
  uint32_t id = kNoNode;
  int32_t material = -1;
  Digest digest = {};
};
using CutCubes = std::vector<std::vector<CutCube>>;  // one list for each level

// Finds the cubes that boxes of whole cubes cut; none of them is a leaf. `before` and `after` are the part inside the
// boxes before and after the edits.
CutCubes find_cut_cubes(const FrozenDag& whole, const FrozenDag& before, const FrozenDag& after,
                        const VoxelRegion& region);

// Returns for each level the numbers of the cut cubes' children with this origin, in ascending order.
std::vector<std::vector<uint32_t>> children_from(Origin origin, const CutCubes& cut);

// Nodes one behind the other.
struct NodeList {
  std::vector<uint32_t> words;
  std::vector<uint64_t> places = {0};  // the last one is the end of the words

  uint64_t size() const { return places.size() - 1; }
  std::span<const uint32_t> operator[](uint64_t i) const {
    return std::span(words).subspan(places[i], places[i + 1] - places[i]);
  }
  // To add a node, push its words and then call this.
  void close() { places.push_back(words.size()); }
};

// Finds the different nodes of a list by their words.
class NodeIndex {
 public:
  explicit NodeIndex(const NodeList& list)
      : list_(list), slots_(std::bit_ceil(2 * list.size() + 2), kNoNode) {}

  // Returns the first node of the list that has these words, or kNoNode.
  uint32_t find(std::span<const uint32_t> node) const { return slots_[slot_of(node)]; }
  // Adds a node of the list and returns the first that equals it.
  uint32_t add(uint32_t i) {
    uint32_t& slot = slots_[slot_of(list_[i])];
    if (slot == kNoNode) slot = i;
    return slot;
  }

 private:
  uint64_t slot_of(std::span<const uint32_t> node) const {
    uint64_t hash = node.size();
    for (const uint32_t word : node) hash = mix64(hash ^ word) + 0x9e3779b97f4a7c15ull;
    uint64_t slot = hash & (slots_.size() - 1);
    while (slots_[slot] != kNoNode && !std::ranges::equal(list_[slots_[slot]], node))
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  const NodeList& list_;
  std::vector<uint32_t> slots_;
};

// Returns the ids of wanted nodes in a level of `nodes` nodes, which have the ids 0, 1, …. A wanted node that is not in
// the level gets a further id and is added to `added` once. for_each_node(body) calls body(id, words) for all nodes of
// the level, which differ from each other; threads may share the work.
template <class ForEachNode>
std::vector<uint32_t> ids_of(const NodeList& wanted, uint64_t nodes, NodeList& added,
                             const ForEachNode& for_each_node) {
  NodeIndex index(wanted);
  std::vector<uint32_t> first(wanted.size()), ids(wanted.size(), kNoNode);
  for (uint32_t i = 0; i < first.size(); ++i) first[i] = index.add(i);
  if (!ids.empty())
    for_each_node([&](uint64_t id, std::span<const uint32_t> node) {
      const uint32_t found = index.find(node);
      if (found != kNoNode) ids[found] = static_cast<uint32_t>(id);
    });
  for (uint32_t i = 0; i < ids.size(); ++i) {
    if (first[i] < i) {
      ids[i] = ids[first[i]];
    } else if (ids[i] == kNoNode) {
      const uint64_t id = nodes + added.size();
      if (id >= kMostNodes) throw Error("a level of the new scene would have 2^32 nodes or more");
      ids[i] = static_cast<uint32_t>(id);
      added.words.insert(added.words.end(), wanted[i].begin(), wanted[i].end());
      added.close();
    }
  }
  return ids;
}

// Puts an edited part of a scene back into the scene, which may be larger than memory. Only the part has to be in
// memory while it is edited.
//
//   the whole ─▶ part() ─▶ edits ─▶ with(part) ─▶ the whole with the part in place of what was there
//
// The result is canonical. Its nodes are those nodes of the whole that are still reached, in other places, and the new
// nodes of the part. Its words are made from those of the whole when they are read, so that it takes little memory.

class Graft {
 public:
  // The part is a box of whole cubes around each of some boxes, which must touch the scene's cube. The DAG must be one that
  // check_structure() accepts. The first call of with() reads all of it once; `memory` is that of digests_of(). Throws
  // OutOfMemory if the part would take more than twice as much.
  Graft(std::shared_ptr<const FrozenDag> whole, const VoxelRegion& boxes, uint64_t memory = UINT64_MAX);

  // Returns the boxes of the part: those of the constructor, made larger until their faces are faces of cubes.
  const VoxelRegion& region() const { return region_; }

  // The voxels inside the boxes, in their places.
  const FrozenDag& part() const { return part_; }

  // Returns the whole scene, with this DAG's voxels inside the boxes. The DAG must have the resolution of the whole,
  // and no voxels outside the boxes. The result is paged: using it reads the words of the whole.
  FrozenDag with(const FrozenDag& part) const;

 private:
  std::shared_ptr<const FrozenDag> whole_;
  VoxelRegion region_;
  uint64_t memory_;
  FrozenDag part_;
  // The nodes outside the boxes with a parent that these cut, for each level, and their digests.
  std::vector<std::vector<uint32_t>> beside_;
  mutable std::vector<std::vector<Digest>> digests_beside_;  // found when they are first needed
};

}  // namespace vox::dag
