// Writes a part of a DAG as a dense grid of bytes.
#pragma once

#include <cstdint>

#include "libvox/base/voxel_box.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/node.h"

namespace vox::dag {

// The byte of a filled voxel: its material + 1, or 1 without materials. In all dense formats 0 means empty.
inline uint8_t solid_value(uint32_t material) {
  return static_cast<uint8_t>(material + 1);
}
inline uint8_t leaf_value(const FrozenDag& dag, const uint32_t* leaf, uint32_t bit) {
  return dag.materials ? solid_value(leaf_material(leaf, bit)) : uint8_t{1};
}

// Writes the voxels inside the box, with x varying fastest.
void write_dense(const FrozenDag& dag, const VoxelBox& box, uint8_t* bytes);

}  // namespace vox::dag
