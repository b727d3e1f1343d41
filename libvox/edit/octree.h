// The temporary octree of an edit (Molenaar & Eisemann 2024, §4.3.1), made from the root down, breadth first:
// the regions that the tools neither keep nor fill nor empty as a whole.
#pragma once

#include <algorithm>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/device/atomics.h"
#include "libvox/device/pool.h"
#include "libvox/edit/tool_set.h"

namespace vox::edit {

// Notes in `used`, by one bit each, which materials fill whole regions in the course of an edit.
VOX_HD inline void note_filled(uint32_t* used, Content content) {
  const uint32_t bit = 1u << material_of(content);
  if (is_filled(content) && (device::atomic_load_relaxed(used) & bit) == 0)
    device::atomic_or_relaxed(used, bit);
}

// The temporary octree. Nodes of a level lie one behind the other, in any order, levels from the root's down.
template <class State>
struct OctreeRef {
  uint32_t* firsts;  // the first node of each level
  uint32_t* counts;  // nodes of each level
  Int3* corners;
  Content* old;
  State* states;
  uint64_t capacity;
  // For the nodes above the leaves: part c of node i holds content[8 i + c] or, where splits[8 i + c] is set,
  // it is the node of the next level that has this index in its level.
  Content* content;
  uint8_t* splits;
  uint64_t inner_capacity;
};

// Asks the tools what becomes of each part of a level's nodes.
template <class Tools>
struct SplitNodes {
  using State = typename Tools::State;
  Tools tools;
  StoredDag dag;
  uint32_t level;  // of the nodes
  int32_t side;
  OctreeRef<State> octree;
  uint32_t* used;

  VOX_HD void operator()(uint64_t i) const {
    const uint64_t first = octree.firsts[level], node = first + i / 8, slot = 8 * first + i;
    if (i == 0) octree.firsts[level + 1] = octree.firsts[level] + octree.counts[level];
    if (node >= octree.inner_capacity) return;
    const Region part = Region{octree.corners[node], level, side}.child(i % 8);
    const State state = tools.descend(octree.states[node], part);
    const OldRegion before = {dag, dag.child(octree.old[node], i % 8), part.level};
    const Content answer = tools.region(part, state, before);
    octree.splits[slot] = answer == kSplit ? 1 : 0;
    if (answer == kSplit) {
      octree.content[slot] = enter(first + octree.counts[level], part, before.content, state);
    } else {
      const Content content = answer == kKeep ? before.content : stored(answer);
      octree.content[slot] = content;
      note_filled(used, content);
    }
  }

 private:
  // Adds a node to the next level, which begins at node `first`; returns its index in the level.
  VOX_HD uint32_t enter(uint64_t first, const Region& region, Content old, const State& state) const {
    const uint32_t index = device::atomic_count_together(octree.counts + level + 1);
    if (first + index < octree.capacity) {
      octree.corners[first + index] = region.min;
      octree.old[first + index] = old;
      octree.states[first + index] = state;
    }
    return index;
  }
  // Without materials, regions are filled with 0.
  VOX_HD Content stored(Content answer) const {
    return is_filled(answer) && !dag.materials ? filled_with(0) : answer;
  }
};

template <class Tools>
struct EnterRoot {
  Tools tools;
  Content root;
  int32_t side;
  OctreeRef<typename Tools::State> octree;
  uint32_t levels;
  uint32_t* used;
  VOX_HD void operator()(uint64_t) const {
    const Region region = {{0, 0, 0}, 0, side};
    for (uint32_t level = 0; level < levels; ++level) octree.firsts[level] = octree.counts[level] = 0;
    octree.counts[0] = 1;
    octree.corners[0] = region.min;
    octree.old[0] = root;
    octree.states[0] = tools.enter(region);
    *used = 0;
  }
};

// How many nodes a temporary octree has room for, estimated from the session's last one; it gets larger where
// that is too few.
struct OctreeSize {
  static constexpr uint64_t kSmallest = 1 << 14;
  uint64_t nodes = kSmallest, inner = kSmallest;

  // Makes room for an edit that splits no more than the surfaces of boxes with so many leaves there.
  void expect(uint64_t leaves) {
    nodes = std::max(nodes, leaves + leaves / 2);
    inner = std::max(inner, leaves / 2);
  }
  // The size after an edit that had so many nodes: some more than these, and a large size shrinks slowly.
  static uint64_t next(uint64_t size, uint64_t had) { return std::max({kSmallest, had + had / 4, size / 2}); }
};

template <class State>
struct Octree {
  device::Buffer<Int3> corners;
  device::Buffer<Content> old;
  device::Buffer<State> states;
  device::Buffer<Content> content;
  device::Buffer<uint8_t> splits;
  std::vector<uint32_t> firsts, counts;  // of each level
  OctreeRef<State> ref;

  uint64_t bytes() const {
    const uint64_t inner = firsts.back(), all = inner + counts.back();
    return all * (sizeof(Int3) + sizeof(Content) + sizeof(State)) + inner * 8 * (sizeof(Content) + 1);
  }
};

// Makes the temporary octree. `used` gets the materials that fill whole regions. All levels are launched one
// behind the other without a wait for the host, in arrays that are larger than needed most of the time.
template <class Device, class Tools>
Octree<typename Tools::State> edit_octree(Device& device, const Tools& tools, const StoredDag& dag,
                                          Content root, OctreeSize& size, uint32_t* used) {
  using State = typename Tools::State;
  constexpr uint64_t kMostNodes = uint64_t{1} << 29, kGrowth = 8;
  const uint32_t levels = dag.depth + 1;
  const auto root_side = static_cast<int32_t>(uint32_t{dag::kLeafSide} << dag.depth);
  auto numbers = device.template make<uint32_t>(2 * levels);
  for (;;) {
    Octree<State> octree;
    octree.corners = device.template make<Int3>(size.nodes);
    octree.old = device.template make<Content>(size.nodes);
    octree.states = device.template make<State>(size.nodes);
    octree.content = device.template make<Content>(8 * size.inner);
    octree.splits = device.template make<uint8_t>(8 * size.inner);
    octree.ref = {numbers.data(),        numbers.data() + levels, octree.corners.data(),
                  octree.old.data(),     octree.states.data(),    size.nodes,
                  octree.content.data(), octree.splits.data(),    size.inner};
    device.for_each("edit: root", 1, EnterRoot<Tools>{tools, root, root_side, octree.ref, levels, used});
    for (uint32_t level = 0; level < dag.depth; ++level)
      device.for_each_of("edit: split", octree.ref.counts + level, 8,
                         std::min(uint64_t{1} << std::min(3 * level, 40u), size.inner),
                         SplitNodes<Tools>{tools, dag, level, root_side >> level, octree.ref, used});
    std::vector<uint32_t> read(2 * levels);
    device.download(read.data(), numbers.data(), read.size());
    octree.counts.assign(read.begin() + levels, read.end());
    uint64_t nodes = 0, inner = 0;
    for (const uint32_t count : octree.counts) {
      octree.firsts.push_back(static_cast<uint32_t>(nodes));
      inner = nodes;
      nodes += count;
    }
    if (nodes > kMostNodes || inner > kMostNodes / 2)
      throw Error("an edit splits more than 2^28 nodes").hint("do it in several smaller ones");
    const bool fits = nodes <= size.nodes && inner <= size.inner;
    size.nodes = std::min(kMostNodes, fits ? OctreeSize::next(size.nodes, nodes) : kGrowth * nodes);
    size.inner = std::min(kMostNodes / 2, fits ? OctreeSize::next(size.inner, inner) : kGrowth * inner);
    if (fits) return octree;
  }
}

}  // namespace vox::edit
