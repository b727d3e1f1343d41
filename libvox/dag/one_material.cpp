#include "libvox/dag/one_material.h"

#include "libvox/base/error.h"
#include "libvox/dag/level_nodes.h"

namespace vox::dag {
namespace {

constexpr uint32_t kMaskWords = 2;  // a leaf without materials

struct MaterialLeaves {
  Words words;
  std::vector<uint32_t> offsets;  // of each leaf
};

MaterialLeaves leaves_with_material_0(const Words& masks) {
  const size_t count = masks.size() / kMaskWords;
  MaterialLeaves leaves = {{}, std::vector<uint32_t>(count)};
  uint64_t words = 0;
  for (size_t i = 0; i < count; ++i) {
    leaves.offsets[i] = static_cast<uint32_t>(words);
    words += leaf_words(leaf_mask(&masks[kMaskWords * i]), true);
    if (words > uint64_t{1} << 32) throw Error("with a material the leaves take more than 2^32 words");
  }
  leaves.words.assign(words, 0);
  for (size_t i = 0; i < count; ++i)
    std::copy_n(&masks[kMaskWords * i], kMaskWords, &leaves.words[leaves.offsets[i]]);
  return leaves;
}

}  // namespace

// Which leaves and nodes are equal, which are homogeneous and in which order they come stays as it is: leaves
// grow, and the pointers to them follow.
FrozenDag with_one_material(const FrozenDag& dag) {
  FrozenDag result = dag;
  result.materials = true;
  MaterialLeaves leaves = leaves_with_material_0(dag.levels.back().words);
  if (dag.depth() > 0) {
    Words& parents = result.levels[dag.depth() - 1].words;
    LevelNodes(dag, dag.depth() - 1).parallel_for_each([&](uint64_t, uint32_t offset) {
      for (uint32_t i = 1; i < node_words(parents[offset]); ++i)
        parents[offset + i] = leaves.offsets[parents[offset + i] / kMaskWords];
    });
  }
  result.levels.back().words = std::move(leaves.words);
  result.digest = compute_digest(result);
  return result;
}

}  // namespace vox::dag
