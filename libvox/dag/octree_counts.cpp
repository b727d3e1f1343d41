#include "libvox/dag/octree_counts.h"

#include <atomic>

#include "libvox/dag/each_node.h"

namespace vox::dag {

// The number of times that a node occurs in the octree is the sum of those of its parents. There are at most
// 8^18 leaves of 64 voxels, so no count overflows.
OctreeCounts octree_counts(const FrozenDag& dag) {
  OctreeCounts counts;
  std::vector<uint64_t> times(dag.levels[0].places.nodes(), 1);  // one level's counts, the root's first
  for (uint32_t level = 0;; ++level) {
    uint64_t sum = 0;
    for (uint64_t n : times) sum += n;
    counts.nodes.push_back(sum);
    if (level == dag.depth()) break;
    std::vector<uint64_t> times_below(dag.levels[level + 1].places.nodes(), 0);
    parallel_for_each(dag.levels[level], [&](uint64_t number, const uint32_t* node) {
      for (uint32_t i = 1; i < node_words(node[0]); ++i)
        std::atomic_ref<uint64_t>(times_below[node[i]]).fetch_add(times[number], std::memory_order_relaxed);
    });
    times = std::move(times_below);
  }
  std::atomic<uint64_t> voxels = 0;
  const DagLevel& leaves = dag.levels.back();
  tbb::parallel_for(node_numbers(leaves), [&](const NodeNumbers& range) {
    uint64_t here = 0;
    for_each_in(leaves, range, [&](uint64_t number, const uint32_t* leaf) {
      here += times[number] * static_cast<uint64_t>(popcount(leaf_mask(leaf)));
    });
    voxels += here;
  });
  counts.voxels = voxels;
  return counts;
}

void count_octree(FrozenDag& dag) {
  const OctreeCounts counts = octree_counts(dag);
  for (size_t level = 0; level < dag.levels.size(); ++level)
    dag.levels[level].svo_nodes = counts.nodes[level];
  dag.voxels = counts.voxels;
}

}  // namespace vox::dag
