// The nodes that a ray has passed on its way down, to which it comes back, and in which others may begin.
#pragma once

#include "libvox/render/ray_dag.h"

namespace vox::render {

// The nodes around the cell that a ray is in, from the root down.
class PassedNodes {
 public:
  // Those whose parts are cells of 2^log2.
  VOX_HD void set(const RayDagRef& dag, uint32_t log2, const uint32_t* node, uint32_t header) {
    at_[log2] = {static_cast<uint32_t>(node - dag.nodes[log2 + 1]), header};
  }
  VOX_HD const uint32_t* node(const RayDagRef& dag, uint32_t log2) const {
    return dag.nodes[log2 + 1] + at_[log2].offset;
  }
  VOX_HD uint32_t header(uint32_t log2) const { return at_[log2].header; }

  // Takes those whose parts are cells of 2^low and more, below 2^high.
  VOX_HD void take(const PassedNodes& others, uint32_t low, uint32_t high) {
    for (uint32_t i = low; i < high; ++i) at_[i] = others.at_[i];
  }

 private:
  struct Node {
    uint32_t offset;  // 4 B, of its words among those of its level
    uint32_t header;  // 4 B
  };
  Node at_[kMaxLog2Side];
};

}  // namespace vox::render
