#include "libvox/dag/node_voxels.h"

namespace vox::dag {

NodeVoxels::NodeVoxels(const FrozenDag& dag, const std::vector<LevelNodes>& nodes)
    : dag_(dag), nodes_(nodes), counts_(dag.depth()) {
  for (uint32_t level = dag.depth(); level-- > 0;) {
    counts_[level].resize(nodes[level].count());
    nodes[level].parallel_for_each([&](uint64_t index, uint32_t offset) {
      const uint32_t* node = &dag.levels[level].words[offset];
      uint64_t sum = 0;
      for (uint32_t i = 1; i < node_words(node[0]); ++i) sum += at(level + 1, node[i]);
      counts_[level][index] = sum;
    });
  }
}

}  // namespace vox::dag
