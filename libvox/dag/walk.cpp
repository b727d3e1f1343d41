#include "libvox/dag/walk.h"

#include <cstring>

#include "libvox/base/bits.h"

namespace vox::dag {
namespace {

// Returns the voxels of a leaf whose coordinate along the axis is in [begin, end). Both may lie outside the
// leaf.
uint64_t planes(uint32_t axis, int32_t begin, int32_t end) {
  uint64_t mask = 0;
  for (int32_t at = 0; at < int32_t{kLeafSide}; ++at)
    if (begin <= at && at < end) mask |= plane_voxels(axis, static_cast<uint32_t>(at));
  return mask;
}

}  // namespace

uint64_t leaf_mask_inside(Int3 corner, const VoxelBox& region) {
  VoxelBox leaf = cube_at(corner, kLeafSide);
  if (intersection(leaf, region) == leaf) return ~uint64_t{0};
  const Int3 begin = region.min - corner, end = region.max - corner;
  uint64_t mask = ~uint64_t{0};
  for (uint32_t axis = 0; axis < 3; ++axis) mask &= planes(axis, begin[axis], end[axis]);
  return mask;
}

void write_dense(const FrozenDag& dag, const VoxelBox& box, uint8_t* bytes) {
  std::memset(bytes, 0, box.voxels());
  const Int3 size = box.size();
  auto at = [&](Int3 voxel) {
    const Int3 v = voxel - box.min;
    return bytes + (uint64_t(v.z) * uint64_t(size.y) + uint64_t(v.y)) * uint64_t(size.x) + v.x;
  };
  auto put_leaf = [&](Int3 corner, uint64_t mask, const uint32_t* leaf) {
    visit_bits(mask, [&](uint32_t bit) { *at(corner + cube_place(bit)) = leaf_value(dag, leaf, bit); });
  };
  auto put_solid = [&](const VoxelBox& solid, uint32_t material) {
    for (int32_t z = solid.min.z; z < solid.max.z; ++z)
      for (int32_t y = solid.min.y; y < solid.max.y; ++y)
        std::memset(at({solid.min.x, y, z}), solid_value(material), size_t(solid.size().x));
  };
  for_each_leaf(dag, box, put_leaf, put_solid);
}

volume::Volume scene_volume(const VoxelScene& scene) {
  const auto side = static_cast<int32_t>(scene.dag.resolution);
  volume::VolumeInfo info;
  info.size = {side, side, side};
  info.spacing = scene.voxel_size.sides();
  info.origin = scene.origin;
  info.source = scene.source;
  return {std::move(info),
          [&dag = scene.dag](const VoxelBox& box, std::byte* values) {
            write_dense(dag, box, reinterpret_cast<uint8_t*>(values));
          },
          [&dag = scene.dag](const VoxelBox& box) { return !has_filled(dag, box); }};
}

}  // namespace vox::dag
