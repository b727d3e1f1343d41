// The (voxel, triangle) pairs of a small grid: the voxels that each triangle fills, one by one. The descent
// is the same as for the leaves of a scene, but the voxels are not merged into leaves, and the whole grid is
// done at once instead of by chunks.
#pragma once

#include "libvox/device/count_bits.h"
#include "libvox/voxelize/leaf_pairs.h"

namespace vox::voxelize {

// A voxel is given by its Morton code of 32 bits, which bounds the resolution.
inline constexpr uint32_t kMostVoxelPairsResolution = 1024;

struct VoxelPairs {
  device::Buffer<uint32_t> voxels, triangles;
  uint64_t count = 0;
};

struct EmitVoxelPairs {
  const uint32_t* leaf_keys;
  const uint32_t* leaf_triangles;
  const uint64_t* masks;
  const uint64_t* first;
  uint32_t* voxels;
  uint32_t* triangles;
  VOX_HD void operator()(uint64_t i) const {
    uint64_t to = first[i];
    for (uint64_t mask = masks[i]; mask != 0; mask &= mask - 1, ++to) {
      voxels[to] = leaf_keys[i] << 6 | static_cast<uint32_t>(lowest_bit(mask));
      triangles[to] = leaf_triangles[i];
    }
  }
};

// Returns the pairs of all triangles on a grid of at most kMostVoxelPairsResolution voxels a side. The
// triangles' shapes lie in the device's memory. Throws OutOfMemory if there are too many pairs.
template <class Device>
VoxelPairs make_voxel_pairs(Device& device, const TrianglesRef& triangles, uint64_t triangle_count,
                            uint32_t resolution, scene::Coverage coverage) try {
  constexpr uint64_t kMostPairs = UINT32_MAX - 1;
  constexpr int kLog2Side16 = kLog2UnitsPerVoxel + 4;
  const auto grid_end = static_cast<int32_t>(resolution) * kUnitsPerVoxel;  // at most 2^19
  CellFrame frame = {nullptr, 0, kLog2Side16};
  while (1 << frame.log2_side < grid_end) frame.log2_side += 2;
  Pairs<uint32_t> cells = start_pairs<uint32_t>(device, triangle_count);
  for (; frame.log2_side > kLog2Side16; frame = frame.quartered())
    cells = descend(device, triangles, frame, grid_end, cells, kMostPairs);
  const Descent plan = plan_descent(device, triangles, frame, grid_end, cells, kMostPairs);
  const LeafPairs leaves = make_leaf_pairs(device, triangles, frame, cells, plan, grid_end, coverage);
  auto first = device.template make<uint64_t>(leaves.count + 1);
  VoxelPairs pairs;
  pairs.count = device.exclusive_scan({"places of voxels", 16}, leaves.count,
                                      device::CountBits{leaves.masks.data()}, first.data());
  if (pairs.count > kMostPairs) throw TooManyPairs{pairs.count};
  pairs.voxels = device.template make<uint32_t>(pairs.count);
  pairs.triangles = device.template make<uint32_t>(pairs.count);
  device.for_each({"emit voxels", 40}, leaves.count,
                  EmitVoxelPairs{leaves.keys.data(), leaves.triangles.data(), leaves.masks.data(),
                                 first.data(), pairs.voxels.data(), pairs.triangles.data()});
  return pairs;
} catch (const TooManyPairs& too_many) {
  throw OutOfMemory(too_many.pairs * 24, device.pool().available());
}

}  // namespace vox::voxelize
