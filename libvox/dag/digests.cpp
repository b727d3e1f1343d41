#include "libvox/dag/digests.h"

#include <atomic>
#include <span>
#include <utility>

#include "libvox/base/progress.h"
#include "libvox/dag/level_values.h"
#include "libvox/dag/node.h"
#include "libvox/dag/paged_level.h"

namespace vox::dag {

std::vector<std::vector<Digest>> digests_of(const FrozenDag& dag,
                                            const std::vector<std::vector<uint32_t>>& numbers,
                                            uint64_t memory, ranks::Ranks& ranks) {
  std::vector<std::vector<Digest>> result(numbers.size());
  LevelValues<Digest> below;
  for (uint32_t level = dag.depth() + 1; level-- > 0;) {
    throw_if_cancelled();
    below = values_of_level(dag.levels[level], below, memory, ranks,
                            [&](uint64_t, const uint32_t* node, auto& children) {
                              if (level == dag.depth()) return leaf_digest(node, dag.materials);
                              return node_digest(node[0], [&](uint32_t i) { return children[node[1 + i]]; });
                            });
    LevelValues<Digest>::Reader found(below);
    for (const uint32_t number : numbers[level]) result[level].push_back(found[number]);
  }
  return result;
}

Digest digest_of(const FrozenDag& dag, uint64_t memory, ranks::Ranks& ranks) {
  std::vector<std::vector<uint32_t>> root(dag.levels.size());
  if (!dag.empty()) root[0] = {0};
  const std::vector<std::vector<Digest>> digests = digests_of(dag, root, memory, ranks);
  return scene_digest(dag.resolution, dag.depth(), dag.materials, dag.empty() ? nullptr : &digests[0][0]);
}

// There are at most 8^18 leaves of 64 voxels, so no count overflows.
OctreeCounts octree_counts(const FrozenDag& dag, uint64_t memory, ranks::Ranks& ranks) {
  OctreeCounts counts = {.nodes = std::vector<uint64_t>(dag.levels.size()), .voxels = 0};
  for_each_uses(dag, memory, ranks, [&](uint32_t level, uint64_t first, std::span<const NodeUses> uses) {
    for (const NodeUses& use : uses) counts.nodes[level] += use.places;
    if (level < dag.depth()) return;
    std::atomic<uint64_t> voxels = 0;
    tbb::parallel_for(
        NodeNumbers(first, first + uses.size(), nodes_at_once(dag.levels[level])),
        [&](const NodeNumbers& range) {
          uint64_t here = 0;
          for_each_in_order(dag.levels[level], range, [&](uint64_t number, const uint32_t* leaf) {
            here += uses[number - first].places * static_cast<uint64_t>(popcount(leaf_mask(leaf)));
          });
          voxels += here;
        });
    counts.voxels += voxels;
  });
  throw_if_cancelled();  // counts of words that could not be read stay here
  for (uint64_t& nodes : counts.nodes) nodes = sum_of(ranks, nodes);
  counts.voxels = sum_of(ranks, counts.voxels);
  return counts;
}

}  // namespace vox::dag
