#include "libvox/dag/dense_values.h"

#include <cstring>

#include "libvox/base/bits.h"
#include "libvox/dag/walk.h"

namespace vox::dag {

void write_dense(const FrozenDag& dag, const VoxelBox& box, uint8_t* bytes) {
  std::memset(bytes, 0, box.voxels());
  const Int3 size = box.size();
  auto at = [&](Int3 voxel) {
    const Int3 v = voxel - box.min;
    return bytes + (uint64_t(v.z) * uint64_t(size.y) + uint64_t(v.y)) * uint64_t(size.x) + v.x;
  };
  auto put_leaf = [&](Int3 corner, uint64_t mask, const uint32_t* leaf) {
    for (; mask != 0; mask &= mask - 1) {
      const auto bit = static_cast<uint32_t>(lowest_bit(mask));
      *at(corner + cube_place(bit)) = leaf_value(dag, leaf, bit);
    }
  };
  auto put_solid = [&](const VoxelBox& solid, uint32_t material) {
    for (int32_t z = solid.min.z; z < solid.max.z; ++z)
      for (int32_t y = solid.min.y; y < solid.max.y; ++y)
        std::memset(at({solid.min.x, y, z}), solid_value(material), size_t(solid.size().x));
  };
  for_each_leaf(dag, box, put_leaf, put_solid);
}

}  // namespace vox::dag
