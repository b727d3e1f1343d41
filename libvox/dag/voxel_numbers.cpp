#include "libvox/dag/voxel_numbers.h"

#include <atomic>

#include "libvox/base/morton.h"
#include "libvox/dag/walk.h"

namespace vox::dag {

VoxelNumbers::VoxelNumbers(const FrozenDag& dag) : dag_(dag), levels_(dag.depth()) {
  for (uint32_t level = dag.depth(); level-- > 0;) {
    const DagLevel& nodes = dag.levels[level];
    Level& here = levels_[level];
    here.low.resize(nodes.words.size());
    // Only nodes of so many levels above the leaves can have 2^32 voxels.
    const bool may_be_many = dag.level_side(level) > 1024;
    if (may_be_many) here.high.resize(nodes.words.size());
    std::atomic<bool> are_many = false;
    parallel_for_each(nodes, [&](uint64_t number, const uint32_t* node) {
      const uint64_t first = nodes.places[number];
      const auto put = [&](uint64_t word, uint64_t count) {
        here.low[word] = static_cast<uint32_t>(count);
        if (may_be_many) here.high[word] = static_cast<uint32_t>(count >> 32);
      };
      uint64_t sum = 0;
      for (uint32_t i = 1; i < node_words(node[0]); ++i) {
        put(first + i, sum);
        sum += voxels(level + 1, node[i]);
      }
      put(first, sum);
      if (sum >> 32 != 0) are_many = true;
    });
    if (!are_many) here.high = {};
  }
}

VoxelNumbers::NumberedLeaf VoxelNumbers::leaf_at(Int3 corner) const {
  uint64_t first = 0, number = 0;
  for (uint32_t level = 0; level < dag_.depth(); ++level) {
    const uint32_t* const node = dag_.levels[level].node(number);
    const uint32_t octant = octant_at(corner, kLeafLog2 + dag_.depth() - level - 1);
    const uint32_t word = child_word(node[0], octant);
    first += before(level, number, word);
    number = node[word];
  }
  return {first, dag_.levels[dag_.depth()].node(number)};
}

}  // namespace vox::dag
