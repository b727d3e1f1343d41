#include <fmt/format.h>
#include <tbb/parallel_scan.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <random>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/level_nodes.h"
#include "libvox/dag/node_content.h"
#include "libvox/dag/octree_counts.h"

namespace vox::dag {
namespace {

using Nodes = std::vector<LevelNodes>;

// In canonical order each child pointer leads to a node that was visited before, or to the next one.
void check_order(const FrozenDag& dag, const Nodes& nodes, uint32_t level) {
  const Words& words = dag.levels[level].words;
  auto visit = [&](const LevelNodes::Blocks& range, uint64_t visited, bool is_final) {
    nodes[level].for_each_in(range, [&](uint64_t, uint32_t offset) {
      for (uint64_t i = offset + 1; i < offset + node_words(words[offset]); ++i) {
        uint64_t child = nodes[level + 1].index_of(words[i]);
        if (is_final && child > visited)
          throw Error(fmt::format("points to node {} of level {}, but node {} comes next in canonical order",
                                  child, level + 1, visited))
              .at(level_place(level, i));
        visited = std::max(visited, child + 1);
      }
    });
    return visited;
  };
  uint64_t visited = tbb::parallel_scan(nodes[level].blocks(), uint64_t{0}, visit,
                                        [](uint64_t a, uint64_t b) { return std::max(a, b); });
  if (visited != nodes[level + 1].count())
    throw Error(fmt::format("no pointer leads to node {}", visited)).at(fmt::format("level {}", level + 1));
}

NodeContent checked_leaf(const uint32_t* leaf, bool materials) {
  if (leaf_mask(leaf) == 0) throw Error("a leaf without voxels");
  if (materials && leaf_padding(leaf) != 0) throw Error("the padding behind a leaf's materials is not zero");
  return leaf_content(leaf, materials);
}

template <class ChildContent>
NodeContent checked_node(const uint32_t* node, uint32_t child_side, const ChildContent& child_content) {
  if ((node[0] & ~kHeaderBits) != 0) throw Error("reserved bits of a header are not zero");
  const uint32_t children = child_mask(node[0]);
  if (children == 0) throw Error("a node without children");
  const NodeContent content =
      node_content(node[0], child_side, [&](uint32_t i) { return child_content(node[1 + i]); });
  if (node[0] != canonical_header(children, content))
    throw Error(fmt::format("the header is {:#06x}, but the node's content asks for {:#06x}", node[0],
                            canonical_header(children, content)));
  return content;
}

// Names the node in whatever `check` throws.
template <class Check>
auto with_place(uint32_t level, uint32_t offset, Check check) {
  try {
    return check();
  } catch (Error& error) {
    error.at(level_place(level, offset));
    throw;
  }
}

void check_contents(const FrozenDag& dag, const Nodes& nodes) {
  std::vector<NodeContent> below(nodes.back().count());  // of one level, leaves first
  nodes.back().parallel_for_each([&](uint64_t index, uint32_t offset) {
    below[index] = with_place(dag.depth(), offset,
                              [&] { return checked_leaf(&dag.levels.back().words[offset], dag.materials); });
  });
  for (uint32_t level = dag.depth(); level-- > 0;) {
    std::vector<NodeContent> contents(nodes[level].count());
    auto child_content = [&](uint32_t word) -> const NodeContent& {
      return below[nodes[level + 1].index_of(word)];
    };
    nodes[level].parallel_for_each([&](uint64_t index, uint32_t offset) {
      contents[index] = with_place(level, offset, [&] {
        return checked_node(&dag.levels[level].words[offset], dag.level_side(level + 1), child_content);
      });
    });
    below = std::move(contents);
  }
  for (uint32_t axis = 0; axis < 3 && !dag.empty(); ++axis)
    if (below[0].reach[axis] > dag.resolution)
      throw Error(fmt::format("a voxel at {} = {} is filled, but the resolution is {}", "xyz"[axis],
                              below[0].reach[axis] - 1, dag.resolution));
}

// Enters all nodes of a level into a hash table of their offsets.
void check_unique(const FrozenDag& dag, const Nodes& nodes, uint32_t level) {
  constexpr uint32_t kFree = UINT32_MAX;  // no node starts there: each has at least two words
  const Words& words = dag.levels[level].words;
  auto size_of = [&](uint32_t offset) {
    return level == dag.depth() ? leaf_words(leaf_mask(&words[offset]), dag.materials)
                                : node_words(words[offset]);
  };
  // A seed that the author of a file cannot know, so that none can make all of its nodes collide.
  uint64_t seed = uint64_t{std::random_device()()} << 32 | std::random_device()();
  std::vector<uint32_t> table(std::bit_ceil(2 * nodes[level].count()), kFree);
  nodes[level].parallel_for_each([&](uint64_t, uint32_t offset) {
    uint32_t size = size_of(offset);
    uint64_t hash = seed;
    for (uint32_t i = 0; i < size; ++i) hash = mix64(hash ^ words[offset + i]);
    for (uint64_t slot = hash;; ++slot) {
      uint32_t other = kFree;
      std::atomic_ref<uint32_t> entry(table[slot & (table.size() - 1)]);
      if (entry.compare_exchange_strong(other, offset, std::memory_order_relaxed)) return;
      if (size_of(other) == size && std::equal(&words[offset], &words[offset] + size, &words[other]))
        throw Error(fmt::format("equal to the node at word {}", std::min(offset, other)))
            .at(level_place(level, std::max(offset, other)));
    }
  });
}

void check_count(const std::string& what, uint64_t stored, uint64_t counted) {
  if (stored != counted) throw Error(fmt::format("{} is {}, but the DAG holds {}", what, stored, counted));
}

void check_counts(const FrozenDag& dag, const Nodes& nodes) {
  const OctreeCounts counts = octree_counts(dag, nodes);
  for (uint32_t level = 0; level <= dag.depth(); ++level) {
    check_count(fmt::format("the number of nodes of level {}", level), dag.levels[level].nodes,
                nodes[level].count());
    check_count(fmt::format("the number of octree nodes of level {}", level), dag.levels[level].svo_nodes,
                counts.nodes[level]);
  }
  check_count("the number of voxels", dag.voxels, counts.voxels);
}

}  // namespace

void verify(const FrozenDag& dag) {
  Nodes nodes = check_structure(dag);
  for (uint32_t level = 0; level < dag.depth(); ++level) check_order(dag, nodes, level);
  check_contents(dag, nodes);
  for (uint32_t level = 0; level <= dag.depth(); ++level) check_unique(dag, nodes, level);
  check_counts(dag, nodes);
  Digest digest = compute_digest(dag, nodes);
  if (digest != dag.digest)
    throw Error(
        fmt::format("the digest is {}, but the content's is {}", to_string(dag.digest), to_string(digest)));
}

}  // namespace vox::dag
