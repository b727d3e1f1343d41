#include "libvox/dag/structure.h"

#include <fmt/format.h>

#include "libvox/base/error.h"
#include "libvox/dag/each_node.h"

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
void check_places(const FrozenDag& dag, uint32_t level) {
  const DagLevel& here = dag.levels[level];
  const uint64_t size = here.words.size(), nodes = here.places.nodes();
  const auto fail = [&](uint64_t word) {
    throw Error("a node is not at the place that is stored for it").at(level_place(level, word));
  };
  if (here.places.words() != size || (nodes > 0 && here.places[0] != 0)) fail(size);
  const LevelForm form = form_of(dag, level);
  tbb::parallel_for(node_numbers(here), [&](const NodeNumbers& range) {
    for (uint64_t number = range.begin(); number < range.end(); ++number) {
      const uint64_t at = here.places[number], next = here.places[number + 1];
      const uint64_t least = form.kind == NodeKind::Leaf ? 2 : 1;
      if (at >= size || size - at < least ||
          next != at + words_of(&here.words[at], form.kind, form.materials))
        fail(at);
    }
  });
}

void check_children(const FrozenDag& dag, uint32_t level) {
  const DagLevel& here = dag.levels[level];
  const uint64_t below = dag.levels[level + 1].places.nodes();
  parallel_for_each(here, [&](uint64_t, const uint32_t* node) {
    for (uint32_t i = 1; i < node_words(node[0]); ++i)
      if (node[i] >= below)
        throw Error(
            fmt::format("points to node {} of level {}, which has only {}", node[i], level + 1, below))
            .at(level_place(level, static_cast<uint64_t>(node + i - here.words.data())));
  });
}

}  // namespace

LevelForm form_of(const FrozenDag& dag, uint32_t level) {
  return {level, level == dag.depth() ? NodeKind::Leaf : NodeKind::Inner, dag.materials};
}

void place_nodes(FrozenDag& dag) {
  tbb::parallel_for(uint32_t{0}, static_cast<uint32_t>(dag.levels.size()), [&](uint32_t level) {
    DagLevel& here = dag.levels[level];
    const LevelForm form = form_of(dag, level);
    const NodeStarts found = find_starts(here.words, form);
    here.places = {here.words, form, found.nodes, found.starts};
  });
}

void check_structure(const FrozenDag& dag) {
  check_level_count(dag);
  for (uint32_t level = 0; level <= dag.depth(); ++level)
    if (dag.levels[level].words.empty() != dag.empty())
      throw Error(dag.empty() ? "has words, but the scene is empty"
                              : "has no words, but the scene is not empty")
          .at(fmt::format("level {}", level));
  for (uint32_t level = 0; level <= dag.depth(); ++level) check_places(dag, level);
  if (dag.levels[0].places.nodes() > 1) throw Error("more than one root").at(level_place(0, 0));
  for (uint32_t level = 0; level < dag.depth(); ++level) check_children(dag, level);
}

}  // namespace vox::dag
