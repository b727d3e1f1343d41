// The temporary octree of an edit (Molenaar & Eisemann 2024, §4.3.1), made from the root down, breadth first.
// It holds the regions that the tools neither keep, nor fill, nor empty as a whole.
#pragma once

#include <algorithm>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/device/atomics.h"
#include "libvox/device/pool.h"
#include "libvox/edit/tool.h"

namespace vox::edit {

// Sets the bit of the content's material in `used`, which notes the materials that fill whole regions during
// an edit.
VOX_HD inline void note_filled(uint32_t* used, Content content) {
  const uint32_t bit = 1u << material_of(content);
  if (is_filled(content) && (device::atomic_load_relaxed(used) & bit) == 0)
    device::atomic_or_relaxed(used, bit);
}

// The temporary octree. The levels follow each other from the root's down; the nodes of a level lie side by
// side, in any order.
template <class State>
struct OctreeRef {
  uint32_t* firsts;  // the first node of each level
  uint32_t* counts;  // the number of nodes of each level
  Int3* corners;
  Content* old;
  State* states;
  uint64_t capacity;
  // For the nodes above the leaves: part c of node i holds content[8 i + c]. If splits[8 i + c] is set, the
  // part is a node of the next level, and content[8 i + c] is its index in that level.
  Content* content;
  uint8_t* splits;
  uint64_t inner_capacity;

  VOX_HD void begin_level(uint32_t level) const { firsts[level] = firsts[level - 1] + counts[level - 1]; }
};

// Asks the tools what becomes of each part of a level's nodes.
template <class Tools>
struct SplitNodes {
  using State = typename Tools::State;
  Tools tools;
  StoredDag dag;
  uint32_t level;  // the nodes' level
  int32_t side;
  OctreeRef<State> octree;
  uint32_t* used;

  struct Part {
    Region region;
    Content old;
    State state;
  };

  // Works on part i % 8 of node i / 8.
  VOX_HD void operator()(uint64_t i) const {
    const uint64_t first = octree.firsts[level], node = first + i / 8;
    if (i == 0) octree.begin_level(level + 1);
    if (node >= octree.inner_capacity) return;
    const Part part = part_of(node, i % 8);
    Content content = ask(part);
    octree.splits[8 * first + i] = content == kSplit ? 1 : 0;
    if (content == kSplit) {
      content = device::atomic_count_together(octree.counts + level + 1);
      enter(content, part);
    }
    octree.content[8 * first + i] = content;
  }

  VOX_HD Part part_of(uint64_t node, uint32_t octant) const {
    const Region region = Region{octree.corners[node], level, side}.child(octant);
    return {region, dag.child(octree.old[node], octant), tools.descend(octree.states[node], region)};
  }
  // Returns the new content of the part, or kSplit.
  VOX_HD Content ask(const Part& part) const {
    const OldRegion before = {dag, part.old, part.region.level};
    const Content answer = tools.region(part.region, part.state, before);
    if (answer == kSplit) return kSplit;
    const Content content = answer == kKeep ? part.old : stored(answer);
    note_filled(used, content);
    return content;
  }
  // Makes the part a node of the next level, with this index in that level.
  VOX_HD void enter(uint32_t index, const Part& part) const {
    const uint64_t node = uint64_t{octree.firsts[level]} + octree.counts[level] + index;
    if (node >= octree.capacity) return;
    octree.corners[node] = part.region.min;
    octree.old[node] = part.old;
    octree.states[node] = part.state;
  }

 private:
  // Without materials, regions are filled with material 0.
  VOX_HD Content stored(Content answer) const {
    return is_filled(answer) && !dag.materials ? filled_with(0) : answer;
  }
};

// Does the same for all parts of a node, and counts its split parts with one atomic operation. Large levels
// use this, because atomic operations on one word wait for each other. A part that is split is computed
// twice instead of being kept.
template <class Tools>
struct SplitWholeNodes {
  static constexpr int kBlocksAtOnce = sizeof(typename Tools::State) <= 8 ? 4 : 2;
  SplitNodes<Tools> nodes;

  VOX_HD void operator()(uint64_t i) const {
    const auto& octree = nodes.octree;
    const uint32_t level = nodes.level;
    const uint64_t node = uint64_t{octree.firsts[level]} + i;
    if (i == 0) octree.begin_level(level + 1);
    if (node >= octree.inner_capacity) return;
    Answers answers;
    uint32_t split = 0;  // bit c is set if part c is split
    for (uint32_t c = 0; c < 8; ++c) {
      const Content content = nodes.ask(nodes.part_of(node, c));
      answers.set(c, content);
      if (content == kSplit) split |= 1u << c;
    }
    uint32_t index = 0;
    if (split != 0)
      index = device::atomic_add_together(octree.counts + level + 1, static_cast<uint32_t>(popcount(split)));
    for (uint32_t left = split; left != 0; left &= left - 1) {
      const auto c = static_cast<uint32_t>(lowest_bit(left));
      nodes.enter(index, nodes.part_of(node, c));
      answers.set(c, index++);
    }
    answers.store(octree.content + 8 * node);
    *reinterpret_cast<uint64_t*>(octree.splits + 8 * node) = bytes_of(split);
  }

 private:
  // The contents of eight parts. They stay in registers; an array that a variable indexes would lie in memory.
  struct Answers {
    Content content[8] = {};
    VOX_HD void set(uint32_t part, Content value) {
      for (uint32_t c = 0; c < 8; ++c) content[c] = c == part ? value : content[c];
    }
    VOX_HD void store(Content* to) const {
#ifdef __CUDA_ARCH__
      reinterpret_cast<uint4*>(to)[0] = {content[0], content[1], content[2], content[3]};
      reinterpret_cast<uint4*>(to)[1] = {content[4], content[5], content[6], content[7]};
#else
      for (uint32_t c = 0; c < 8; ++c) to[c] = content[c];
#endif
    }
  };
  // Byte c of the result is 1 if bit c is set, otherwise 0.
  VOX_HD static uint64_t bytes_of(uint32_t bits) {
    const uint64_t low = (bits & 15) * 0x00204081u & 0x01010101u;
    const uint64_t high = (bits >> 4) * 0x00204081u & 0x01010101u;
    return low | high << 32;
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

// Splits the levels from the root's down to the first one that is likely to have many nodes, one after
// the other in one launch. These loops are so small that a launch for each would take longer than the
// loop.
template <class Tools>
struct SplitTop {
  Tools tools;
  StoredDag dag;
  uint32_t levels;
  int32_t root_side;
  OctreeRef<typename Tools::State> octree;
  uint32_t* used;
  Content root;

  template <class Block>
  VOX_HD void operator()(const Block& block, uint64_t) const {
    block.once([&] { EnterRoot<Tools>{tools, root, root_side, octree, dag.depth + 1, used}(0); });
    for (uint32_t level = 0; level < levels; ++level) {
      const SplitNodes<Tools> split = {tools, dag, level, root_side >> level, octree, used};
      block.each(8 * octree.counts[level], [&](uint32_t i) { split(i); });
    }
  }
};

// The number of nodes for which a temporary octree has room. It is estimated from the session's last octree,
// and grows if it is too small.
struct OctreeSize {
  static constexpr uint64_t kSmallest = 1 << 14;
  uint64_t nodes = kSmallest, inner = kSmallest;

  // Makes room for an edit that splits no more than the surfaces of boxes. These surfaces have `leaves`
  // leaves.
  void expect(uint64_t leaves) {
    nodes = std::max(nodes, leaves + leaves / 2);
    inner = std::max(inner, leaves / 2);
  }
  // Returns the size after an edit that had `had` nodes: somewhat more than these. A large size shrinks
  // slowly.
  static uint64_t next(uint64_t size, uint64_t had) { return std::max({kSmallest, had + had / 4, size / 2}); }
};

template <class State>
struct Octree {
  device::Buffer<std::byte> memory;
  OctreeRef<State> ref;
  std::vector<uint32_t> firsts, counts;  // the ref's arrays, on the host

  uint64_t bytes() const {
    const uint64_t inner = firsts.back(), all = inner + counts.back();
    return all * (sizeof(Int3) + sizeof(Content) + sizeof(State)) + inner * 8 * (sizeof(Content) + 1);
  }
};

// Makes the temporary octree. `used` receives the materials that fill whole regions. The levels are launched
// one after the other without waiting for the host, in arrays that are usually larger than needed. `expected`
// is the likely number of nodes of each level. It decides how a level is split, but does not change the
// result.
template <class Device, class Tools>
Octree<typename Tools::State> edit_octree(Device& device, const Tools& tools, const StoredDag& dag,
                                          Content root, const std::vector<uint64_t>& expected,
                                          OctreeSize& size, uint32_t* used) {
  using State = typename Tools::State;
  static_assert(device::ResidentBody<SplitWholeNodes<Tools>>);
  constexpr uint64_t kMostNodes = uint64_t{1} << 29, kGrowth = 8;
  constexpr uint64_t kFew = 512, kMany = 1 << 14;
  const uint32_t levels = dag.depth + 1;
  const auto root_side = static_cast<int32_t>(uint32_t{dag::kLeafSide} << dag.depth);
  for (;;) {
    device::Layout layout;
    const auto numbers = layout.add<uint32_t>(2 * levels);
    const auto corners = layout.add<Int3>(size.nodes);
    const auto old = layout.add<Content>(size.nodes);
    const auto states = layout.add<State>(size.nodes);
    const auto content = layout.add<Content>(8 * size.inner);
    const auto splits = layout.add<uint8_t>(8 * size.inner);
    Octree<State> octree;
    octree.memory = device.template make<std::byte>(layout.bytes());
    const auto& memory = octree.memory;
    octree.ref = {numbers.in(memory), numbers.in(memory) + levels, corners.in(memory),
                  old.in(memory),     states.in(memory),           size.nodes,
                  content.in(memory), splits.in(memory),           size.inner};
    uint32_t level = 0;
    while (level < dag.depth && expected[level] <= kFew) ++level;
    device.template for_each_block<uint32_t>(
        "edit: split top", 1, SplitTop<Tools>{tools, dag, level, root_side, octree.ref, used, root});
    for (; level < dag.depth; ++level) {
      const SplitNodes<Tools> split = {tools, dag, level, root_side >> level, octree.ref, used};
      const uint64_t most = std::min(uint64_t{1} << std::min(3 * level, 40u), size.inner);
      if (expected[level] < kMany)
        device.for_each_of("edit: split", octree.ref.counts + level, 8, most, split);
      else
        device.for_each_of("edit: split", octree.ref.counts + level, 1, most, SplitWholeNodes<Tools>{split});
    }
    std::vector<uint32_t> read(2 * levels);
    device.download(read.data(), numbers.in(memory), read.size());
    octree.counts.assign(read.begin() + levels, read.end());
    uint64_t nodes = 0, inner = 0;
    for (const uint32_t count : octree.counts) {
      octree.firsts.push_back(static_cast<uint32_t>(nodes));
      inner = nodes;
      nodes += count;
    }
    if (nodes > kMostNodes || inner > kMostNodes / 2)
      throw Error("an edit splits more than 2^28 nodes").hint("split it into several smaller edits");
    const bool fits = nodes <= size.nodes && inner <= size.inner;
    if (fits) {
      size.nodes = std::min(kMostNodes, OctreeSize::next(size.nodes, nodes));
      size.inner = std::min(kMostNodes / 2, OctreeSize::next(size.inner, inner));
      return octree;
    }
    // The levels below one that did not fit are counted in part, so there may be many more nodes. But there must also
    // be memory for the way up, which takes several times as much for each node.
    const uint64_t used_each = octree.memory.size() / (size.nodes + size.inner);
    octree.memory.reset();
    const uint64_t room = device.pool().available() / (8 * used_each);
    size.nodes = std::min(kMostNodes, std::max(nodes + nodes / 8, std::min(kGrowth * nodes, room)));
    size.inner = std::min(kMostNodes / 2, std::max(inner + inner / 8, std::min(kGrowth * inner, room)));
  }
}

}  // namespace vox::edit
