#include "libvox/dag/octree_counts.h"

#include <atomic>

namespace vox::dag {

// How often each node occurs in the octree follows from how often the nodes above do. There are at most 8^18
// leaves of 64 voxels: nothing overflows.
OctreeCounts octree_counts(const FrozenDag& dag, const std::vector<LevelNodes>& nodes) {
  OctreeCounts counts;
  std::vector<uint64_t> times(nodes[0].count(), 1);  // of one level, the root first
  for (uint32_t level = 0;; ++level) {
    uint64_t sum = 0;
    for (uint64_t n : times) sum += n;
    counts.nodes.push_back(sum);
    if (level == dag.depth()) break;
    std::vector<uint64_t> times_below(nodes[level + 1].count(), 0);
    nodes[level].parallel_for_each([&](uint64_t index, uint32_t offset) {
      const uint32_t* node = &dag.levels[level].words[offset];
      for (uint32_t i = 1; i < node_words(node[0]); ++i)
        std::atomic_ref<uint64_t>(times_below[nodes[level + 1].index_of(node[i])])
            .fetch_add(times[index], std::memory_order_relaxed);
    });
    times = std::move(times_below);
  }
  std::atomic<uint64_t> voxels = 0;
  tbb::parallel_for(nodes.back().blocks(), [&](const LevelNodes::Blocks& range) {
    uint64_t here = 0;
    nodes.back().for_each_in(range, [&](uint64_t index, uint32_t offset) {
      here += times[index] * static_cast<uint64_t>(popcount(leaf_mask(&dag.levels.back().words[offset])));
    });
    voxels += here;
  });
  counts.voxels = voxels;
  return counts;
}

void count_octree(FrozenDag& dag) {
  const OctreeCounts counts = octree_counts(dag, check_structure(dag));
  for (size_t level = 0; level < dag.levels.size(); ++level)
    dag.levels[level].svo_nodes = counts.nodes[level];
  dag.voxels = counts.voxels;
}

}  // namespace vox::dag
