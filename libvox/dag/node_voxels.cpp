#include "libvox/dag/node_voxels.h"

#include "libvox/dag/each_node.h"

namespace vox::dag {

NodeVoxels::NodeVoxels(const FrozenDag& dag) : dag_(dag), counts_(dag.depth()) {
  for (uint32_t level = dag.depth(); level-- > 0;) {
    counts_[level].resize(dag.levels[level].places.nodes());
    parallel_for_each(dag.levels[level], [&](uint64_t number, const uint32_t* node) {
      uint64_t sum = 0;
      for (uint32_t i = 1; i < node_words(node[0]); ++i) sum += at(level + 1, node[i]);
      counts_[level][number] = sum;
    });
  }
}

}  // namespace vox::dag
