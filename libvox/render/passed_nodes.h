// The nodes that a ray has passed on its way down. The ray comes back to them, and other rays may begin in
// them.
#pragma once

#include "libvox/render/ray_dag.h"

namespace vox::render {

// The nodes around the cell that a ray is in, from the root down.
class PassedNodes {
 public:
  // Sets the node whose children are cells of side 2^log2.
  VOX_HD void set(const RayDagRef& dag, uint32_t log2, const uint32_t* node, uint32_t header) {
    at_[log2] = static_cast<uint64_t>(node - dag.words()) << 8 | dag::child_mask(header);
  }
  VOX_HD const uint32_t* node(const RayDagRef& dag, uint32_t log2) const {
    return dag.words() + (at_[log2] >> 8);
  }
  VOX_HD uint32_t mask(uint32_t log2) const { return static_cast<uint32_t>(at_[log2]) & 0xff; }

  // Copies the nodes whose children are cells of side 2^low and more, below 2^high.
  VOX_HD void take(const PassedNodes& others, uint32_t low, uint32_t high) {
    for (uint32_t i = low; i < high; ++i) at_[i] = others.at_[i];
  }

 private:
  uint64_t at_[kMaxLog2Side];  // the index of a node's words among those of all levels, and its child mask
};

}  // namespace vox::render
