#include "libvox/dag/verify.h"
#include "libvox/dag/digests.h"

#include <fmt/format.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <random>
#include <span>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/dag/level_values.h"
#include "libvox/dag/node.h"
#include "libvox/dag/walk.h"
#include "libvox/scene/palette.h"

namespace vox::dag {
namespace {

constexpr uint32_t kMaxDepth = 18;  // 2^20 voxels a side

void check_level_count(const FrozenDag& dag) {
  if (dag.resolution == 0 || dag.resolution > kLeafSide << kMaxDepth)
    throw Error(
        fmt::format("the resolution is {}, expected at most {}", dag.resolution, kLeafSide << kMaxDepth));
  size_t expected = depth_for(dag.resolution) + 1;
  if (dag.levels.size() != expected)
    throw Error(
        fmt::format("{} levels at resolution {}, expected {}", dag.levels.size(), dag.resolution, expected));
}

// Checks that the nodes stand one behind the other, from the level's first word to its last.
void check_places(const FrozenDag& dag, uint32_t level, const ranks::Ranks& ranks) {
  const DagLevel& here = dag.levels[level];
  const uint64_t size = here.words.size(), nodes = here.places.nodes();
  const auto fail = [&](uint64_t word) {
    throw Error("a node is not at the place that is stored for it").at(level_place(level, word));
  };
  if (here.places.words() != size || (nodes > 0 && here.places[0] != 0)) fail(size);
  const LevelForm form = form_of(dag, level);
  parallel_for(own_nodes(ranks, here), [&](const NodeNumbers& range) {
    for (uint64_t number = range.begin(); number < range.end(); ++number) {
      const uint64_t at = here.places[number], next = here.places[number + 1];
      const uint64_t least = form.kind == NodeKind::Leaf ? 2 : 1;
      if (at >= size || size - at < least ||
          next != at + words_of(&here.words[at], form.kind, form.materials))
        fail(at);
    }
  });
}

void check_children(const FrozenDag& dag, uint32_t level, const ranks::Ranks& ranks) {
  const DagLevel& here = dag.levels[level];
  const uint64_t below = dag.levels[level + 1].places.nodes();
  parallel_for(own_nodes(ranks, here), [&](const NodeNumbers& range) {
    for_each_in(here, range, [&](uint64_t, const uint32_t* node) {
      for (uint32_t i = 1; i < node_words(node[0]); ++i)
        if (node[i] >= below)
          throw Error(
              fmt::format("points to node {} of level {}, which has only {}", node[i], level + 1, below))
              .at(level_place(level, static_cast<uint64_t>(node + i - here.words.data())));
    });
  });
}

void check_structure(const FrozenDag& dag, ranks::Ranks& ranks) {
  check_levels(dag);
  for (uint32_t level = 0; level <= dag.depth(); ++level) check_places(dag, level, ranks);
  ranks.gather(0);  // places of all levels must be right before another rank may walk
  for (uint32_t level = 0; level < dag.depth(); ++level) check_children(dag, level, ranks);
}

}  // namespace

LevelForm form_of(const FrozenDag& dag, uint32_t level) {
  return {level, level == dag.depth() ? NodeKind::Leaf : NodeKind::Inner, dag.materials};
}

void place_nodes(FrozenDag& dag) {
  parallel_for(uint32_t{0}, static_cast<uint32_t>(dag.levels.size()), [&](uint32_t level) {
    DagLevel& here = dag.levels[level];
    const LevelForm form = form_of(dag, level);
    const NodeStarts found = find_starts(here.words, form);
    here.places = {here.words, form, found.nodes, found.starts};
  });
}

void check_levels(const FrozenDag& dag) {
  check_level_count(dag);
  for (uint32_t level = 0; level <= dag.depth(); ++level)
    if (dag.levels[level].words.empty() != dag.empty())
      throw Error(dag.empty() ? "has words, but the scene is empty"
                              : "has no words, but the scene is not empty")
          .at(fmt::format("level {}", level));
  if (dag.levels[0].places.nodes() > 1) throw Error("more than one root").at(level_place(0, 0));
}

void check_structure(const FrozenDag& dag) {
  check_structure(dag, ranks::alone());
}

namespace {

// Returns the number behind the last child of the nodes of the ranks before this one. Collective.
uint64_t visited_before(const FrozenDag& dag, uint32_t level, ranks::Ranks& ranks) {
  if (ranks.count() == 1) return 0;
  const auto visit = [&](const NodeNumbers& range, uint64_t visited) {
    for_each_in(dag.levels[level], range, [&](uint64_t, const uint32_t* node) {
      for (uint32_t i = 1; i < node_words(node[0]); ++i) visited = std::max(visited, uint64_t{node[i]} + 1);
    });
    return visited;
  };
  const uint64_t end = tbb::parallel_reduce(own_nodes(ranks, dag.levels[level]), uint64_t{0}, visit,
                                            [](uint64_t a, uint64_t b) { return std::max(a, b); });
  throw_if_cancelled();  // as in give_to_all()
  const std::vector<uint64_t> ends = ranks.gather(end);
  uint64_t before = 0;
  for (uint32_t rank = 0; rank < ranks.rank(); ++rank) before = std::max(before, ends[rank]);
  return before;
}

// In canonical order, each child pointer leads to a node that was visited before, or to the next one.
void check_order(const FrozenDag& dag, uint32_t level, ranks::Ranks& ranks) {
  const DagLevel& here = dag.levels[level];
  auto visit = [&](const NodeNumbers& range, uint64_t visited, bool is_final) {
    for_each_in(here, range, [&](uint64_t, const uint32_t* node) {
      for (uint32_t i = 1; i < node_words(node[0]); ++i) {
        const uint64_t child = node[i];
        if (is_final && child > visited)
          throw Error(fmt::format("points to node {} of level {}, but node {} comes next in canonical order",
                                  child, level + 1, visited))
              .at(level_place(level, static_cast<uint64_t>(node + i - here.words.data())));
        visited = std::max(visited, child + 1);
      }
    });
    return visited;
  };
  const uint64_t own = tbb::parallel_scan(own_nodes(ranks, here), visited_before(dag, level, ranks), visit,
                                          [](uint64_t a, uint64_t b) { return std::max(a, b); });
  const uint64_t visited = std::ranges::max(ranks.gather(own));
  if (visited != dag.levels[level + 1].places.nodes())
    throw Error(fmt::format("no pointer leads to node {}", visited)).at(fmt::format("level {}", level + 1));
}

NodeContent checked_leaf(const uint32_t* leaf, bool materials) {
  if (leaf_mask(leaf) == 0) throw Error("a leaf has no voxels");
  if (materials && leaf_padding(leaf) != 0) throw Error("the padding behind a leaf's materials is not zero");
  return leaf_content(leaf, materials);
}

template <class ChildContent>
NodeContent checked_node(const uint32_t* node, uint32_t child_side, const ChildContent& child_content) {
  if ((node[0] & ~kHeaderBits) != 0) throw Error("reserved bits of a header are not zero");
  const uint32_t children = child_mask(node[0]);
  if (children == 0) throw Error("a node has no children");
  const NodeContent content =
      node_content(node[0], child_side, [&](uint32_t i) { return child_content(node[1 + i]); });
  if (node[0] != canonical_header(children, content))
    throw Error(fmt::format("the header is {:#06x}, but the node's content requires {:#06x}", node[0],
                            canonical_header(children, content)));
  return content;
}

// Adds the node's place to any Error that `check` throws.
template <class Check>
auto with_place(const FrozenDag& dag, uint32_t level, uint64_t number, Check check) {
  try {
    return check();
  } catch (Error& error) {
    error.at(level_place(level, dag.levels[level].places[number]));
    throw;
  }
}

// The facts about a node that its parent must know.
struct CheckedNode {
  Digest digest;
  NodeContent content;
  uint64_t hash;
};

// Hashes the words of nodes. The author of a file cannot know the seed, and so cannot make all nodes collide.
class WordsHash {
 public:
  // Collective: all ranks have the same seed.
  explicit WordsHash(ranks::Ranks& ranks)
      : seed_(uint64_t{std::random_device()()} << 32 | std::random_device()()) {
    ranks.broadcast(&seed_, sizeof seed_);
  }
  uint64_t operator()(std::span<const uint32_t> words) const {
    uint64_t hash = seed_;
    for (const uint32_t word : words) hash = mix64(hash ^ word);
    return hash;
  }

 private:
  uint64_t seed_;
};

std::span<const uint32_t> words_of_node(const DagLevel& level, uint64_t number) {
  return {level.node(number), level.places[number + 1] - level.places[number]};
}

// Checks the content of the nodes of a level, and returns what the level above needs.
LevelValues<CheckedNode> checked_level(const FrozenDag& dag, uint32_t level,
                                       const LevelValues<CheckedNode>& below, uint64_t memory,
                                       ranks::Ranks& ranks) {
  const WordsHash hash_of(ranks);
  return values_of_level(
      dag.levels[level], below, memory, ranks, [&](uint64_t number, const uint32_t* node, auto& children) {
        return with_place(dag, level, number, [&]() -> CheckedNode {
          const uint64_t hash = hash_of(words_of_node(dag.levels[level], number));
          if (level == dag.depth())
            return {leaf_digest(node, dag.materials), checked_leaf(node, dag.materials), hash};
          return {node_digest(node[0], [&](uint32_t i) { return children[node[1 + i]].digest; }),
                  checked_node(node, dag.level_side(level + 1),
                               [&](uint32_t child) { return children[child].content; }),
                  hash};
        });
      });
}

void check_reach(const FrozenDag& dag, const NodeContent& root) {
  for (uint32_t axis = 0; axis < 3; ++axis)
    if (root.reach[axis] > dag.resolution)
      throw Error(fmt::format("a voxel at {} = {} is filled, but the resolution is {}", "xyz"[axis],
                              root.reach[axis] - 1, dag.resolution));
}

// Checks that no two nodes of a level are equal. Nodes are sorted by their hashes, as many at a time as fit into memory.
// Each rank checks the nodes with some of the hashes.
void check_unique(const FrozenDag& dag, uint32_t level, const LevelValues<CheckedNode>& checked,
                  uint64_t memory, const ranks::Ranks& ranks) {
  using Hashed = std::pair<uint64_t, uint32_t>;  // the hash and the node's number
  constexpr uint64_t kLeastAtOnce = 1 << 10;
  const DagLevel& here = dag.levels[level];
  const uint64_t nodes = here.places.nodes();
  const uint64_t passes =
      (nodes * sizeof(Hashed) / std::max(memory, kLeastAtOnce * sizeof(Hashed)) / ranks.count() + 1) *
      ranks.count();
  for (uint64_t pass = ranks.rank(); pass < passes; pass += ranks.count()) {
    throw_if_cancelled();
    LevelValues<CheckedNode>::Reader facts(checked);
    std::vector<Hashed> hashed;
    hashed.reserve(nodes / passes + nodes / passes / 8);
    for (uint64_t number = 0; number < nodes; ++number)
      if (const uint64_t hash = facts[number].hash; hash % passes == pass)
        hashed.emplace_back(hash, static_cast<uint32_t>(number));
    tbb::parallel_sort(hashed);
    for (size_t i = 1; i < hashed.size(); ++i)
      for (size_t earlier = i; earlier-- > 0 && hashed[earlier].first == hashed[i].first;)
        if (std::ranges::equal(words_of_node(here, hashed[earlier].second),
                               words_of_node(here, hashed[i].second)))
          throw Error(fmt::format("equal to the node at word {}", here.places[hashed[earlier].second]))
              .at(level_place(level, here.places[hashed[i].second]));
  }
}

// Checks nodes from the leaves up, and returns the digest of the scene.
Digest check_nodes(const FrozenDag& dag, uint64_t memory, ranks::Ranks& ranks) {
  if (dag.empty()) return scene_digest(dag.resolution, dag.depth(), dag.materials, nullptr);
  LevelValues<CheckedNode> below;
  for (uint32_t level = dag.depth() + 1; level-- > 0;) {
    throw_if_cancelled();
    LevelValues<CheckedNode> here = checked_level(dag, level, below, memory, ranks);
    check_unique(dag, level, here, memory, ranks);
    below = std::move(here);
  }
  const CheckedNode root = LevelValues<CheckedNode>::Reader(below)[0];
  check_reach(dag, root.content);
  return scene_digest(dag.resolution, dag.depth(), dag.materials, &root.digest);
}

void check_count(const std::string& what, uint64_t stored, uint64_t counted) {
  if (stored != counted) throw Error(fmt::format("{} is {}, but the DAG holds {}", what, stored, counted));
}

void check_counts(const FrozenDag& dag, uint64_t memory, ranks::Ranks& ranks) {
  const OctreeCounts counts = octree_counts(dag, memory, ranks);
  for (uint32_t level = 0; level <= dag.depth(); ++level) {
    check_count(fmt::format("the number of nodes of level {}", level), dag.levels[level].nodes,
                dag.levels[level].places.nodes());
    check_count(fmt::format("the number of octree nodes of level {}", level), dag.levels[level].svo_nodes,
                counts.nodes[level]);
  }
  check_count("the number of voxels", dag.voxels, counts.voxels);
}

}  // namespace

void verify(const FrozenDag& dag) {
  verify(dag, UINT64_MAX);
}

namespace {

void verify_all(const FrozenDag& dag, uint64_t memory, ranks::Ranks& ranks) {
  // The levels of a paged DAG check themselves.
  dag.paged ? check_levels(dag) : check_structure(dag, ranks);
  for (uint32_t level = 0; level < dag.depth(); ++level) check_order(dag, level, ranks);
  const Digest digest = check_nodes(dag, memory, ranks);
  check_counts(dag, memory, ranks);
  if (digest != dag.digest)
    throw Error(
        fmt::format("the digest is {}, but the content's is {}", to_string(dag.digest), to_string(digest)));
}

}  // namespace

void verify(const FrozenDag& dag, uint64_t memory, ranks::Ranks& ranks) {
  try {
    verify_all(dag, memory, ranks);
  } catch (const Error&) {
    throw_if_cancelled();  // words that could not be read are the reason for other errors
    throw;
  }
  throw_if_cancelled();
}

namespace {

uint32_t highest_material(const uint32_t* leaf) {
  const auto filled = static_cast<uint32_t>(popcount(leaf_mask(leaf)));
  uint32_t highest = 0;
  for (uint32_t rank = 0; rank < filled; ++rank)
    highest = std::max(highest, ranked_material(leaf_materials(leaf), rank));
  return highest;
}

}  // namespace

void check_materials(const FrozenDag& dag, uint32_t palette_entries, ranks::Ranks& ranks) {
  if (!dag.materials || dag.empty() || palette_entries == 0 || palette_entries >= scene::kPaletteSize) return;
  const DagLevel& leaves = dag.levels.back();
  const auto visit = [&](const NodeNumbers& range, uint32_t highest) {
    for_each_in_order(leaves, range, [&](uint64_t, const uint32_t* leaf) {
      highest = std::max(highest, highest_material(leaf));
    });
    return highest;
  };
  const uint32_t own = tbb::parallel_reduce(own_nodes(ranks, leaves), uint32_t{0}, visit,
                                            [](uint32_t a, uint32_t b) { return std::max(a, b); });
  throw_if_cancelled();  // as in give_to_all()
  const uint64_t highest = std::ranges::max(ranks.gather(own));
  if (highest >= palette_entries)
    throw Error(fmt::format("a leaf has the material {}, but the palette has only the entries 0 to {}",
                            highest, palette_entries - 1));
}

}  // namespace vox::dag
