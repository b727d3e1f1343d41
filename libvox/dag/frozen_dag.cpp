#include "libvox/dag/frozen_dag.h"

#include <bit>
#include <utility>

#include "libvox/base/cube_order.h"
#include "libvox/dag/each_node.h"

namespace vox::dag {

uint64_t FrozenDag::unique_nodes() const {
  uint64_t sum = 0;
  for (const DagLevel& level : levels) sum += level.nodes;
  return sum;
}

uint64_t FrozenDag::svo_nodes() const {
  uint64_t sum = 0;
  for (const DagLevel& level : levels) sum += level.svo_nodes;
  return sum;
}

uint64_t FrozenDag::bytes() const {
  uint64_t words = 0;
  for (const DagLevel& level : levels) words += level.words.size();
  return words * sizeof(uint32_t);
}

uint32_t depth_for(uint32_t resolution) {
  if (resolution <= kLeafSide) return 0;
  return static_cast<uint32_t>(std::bit_width(resolution - 1)) - kLeafLog2;
}

FrozenDag empty_dag(uint32_t resolution, bool materials) {
  FrozenDag dag;
  dag.resolution = resolution;
  dag.materials = materials;
  dag.levels.resize(depth_for(resolution) + 1);
  dag.digest = compute_digest(dag);
  return dag;
}

int voxel_at(const FrozenDag& dag, uint32_t x, uint32_t y, uint32_t z) {
  if (dag.empty() || x >= dag.side() || y >= dag.side() || z >= dag.side()) return kEmptyVoxel;
  uint32_t number = 0;
  for (uint32_t level = 0; level < dag.depth(); ++level) {
    const uint32_t* node = dag.levels[level].node(number);
    const uint32_t child = octant_at(Vec3<uint32_t>{x, y, z}, kLeafLog2 + dag.depth() - level - 1);
    if ((node[0] >> child & 1) == 0) return kEmptyVoxel;
    number = node[child_word(node[0], child)];
  }
  const uint32_t* leaf = dag.levels.back().node(number);
  const uint32_t bit = cube_bit(x, y, z);
  if ((leaf_mask(leaf) >> bit & 1) == 0) return kEmptyVoxel;
  return dag.materials ? static_cast<int>(leaf_material(leaf, bit)) : 0;
}

Digest compute_digest(const FrozenDag& dag) {
  std::vector<Digest> digests(dag.levels.back().places.nodes());  // one level's digests, the leaves' first
  parallel_for_each(dag.levels.back(), [&](uint64_t number, const uint32_t* leaf) {
    digests[number] = leaf_digest(leaf, dag.materials);
  });
  for (uint32_t level = dag.depth(); level-- > 0;) {
    std::vector<Digest> parents(dag.levels[level].places.nodes());
    parallel_for_each(dag.levels[level], [&](uint64_t number, const uint32_t* node) {
      parents[number] = node_digest(node[0], [&](uint32_t i) { return digests[node[1 + i]]; });
    });
    digests = std::move(parents);
  }
  return scene_digest(dag.resolution, dag.depth(), dag.materials, dag.empty() ? nullptr : &digests[0]);
}

}  // namespace vox::dag
