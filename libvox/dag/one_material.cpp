#include "libvox/dag/one_material.h"

#include <algorithm>

#include "libvox/dag/structure.h"

namespace vox::dag {
namespace {

constexpr uint32_t kMaskWords = 2;  // words of a leaf without materials

Words leaves_with_material_0(const DagLevel& masks) {
  uint64_t size = 0;
  for (uint64_t i = 0; i < masks.places.nodes(); ++i) size += leaf_words(leaf_mask(masks.node(i)), true);
  Words words(size, 0);
  uint32_t* to = words.data();
  for (uint64_t i = 0; i < masks.places.nodes(); ++i) {
    std::copy_n(masks.node(i), kMaskWords, to);
    to += leaf_words(leaf_mask(masks.node(i)), true);
  }
  return words;
}

}  // namespace

// Equal nodes stay equal, homogeneous nodes stay homogeneous, and the order of the nodes stays the same. Only
// the leaves grow.
FrozenDag with_one_material(const FrozenDag& dag) {
  FrozenDag result = dag;
  result.materials = true;
  result.levels.back().words = leaves_with_material_0(dag.levels.back());
  place_nodes(result);
  result.digest = compute_digest(result);
  return result;
}

}  // namespace vox::dag
