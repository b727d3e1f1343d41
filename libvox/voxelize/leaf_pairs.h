// The last step of the descent: from cells of 16³ voxels to leaf cells and their voxels. The result is a
// mask of 4³ voxels for each (leaf cell, triangle) pair.
#pragma once

#include "libvox/base/bits.h"
#include "libvox/dag/node.h"
#include "libvox/device/device.h"
#include "libvox/device/pool.h"
#include "libvox/device/runs.h"
#include "libvox/voxelize/descend.h"
#include "libvox/voxelize/shade.h"

#ifdef __CUDACC__
#include "libvox/device/cuda_group.cuh"
#endif

namespace vox::voxelize {

// Returns the center of voxel `bit` in the leaf cell at `corner`.
VOX_HD inline Int3 voxel_center(Int3 corner, uint32_t bit) {
  constexpr int32_t kHalf = kUnitsPerVoxel / 2;
  return corner + cube_place(bit) * kUnitsPerVoxel + Int3{kHalf, kHalf, kHalf};
}

// A view of (leaf cell, triangle) pairs, with the voxels that the triangle covers.
struct LeafPairsRef {
  const uint32_t* keys;   // sorted
  const uint32_t* order;  // the pair that each sorted key belongs to
  const uint32_t* triangles;
  const uint64_t* masks;

  VOX_HD uint32_t triangle(uint64_t p) const { return triangles[order[p]]; }
  VOX_HD uint64_t mask(uint64_t p) const { return masks[order[p]]; }
};

// Makes the leaf pairs of a pair whose cell has 16³ voxels. A processor sets a triangle's test up once per
// cell, and uses it for all leaf cells in it.
struct EmitLeafPairs {
  const TriangleShape* shapes;
  CellFrame frame;
  int32_t grid_end;  // in units
  scene::Coverage coverage;
  const uint32_t* keys;
  const uint32_t* pair_triangles;
  const uint64_t* cell_masks;
  const uint64_t* first;
  uint32_t* leaf_keys;
  uint32_t* leaf_order;
  uint32_t* leaf_triangles;
  uint64_t* leaf_masks;

  VOX_HD void operator()(uint64_t i) const {
    if (cell_masks[i] == 0) return;
    const Int3 corner = frame.corner(keys[i]);
    with_coverage_test(shapes[pair_triangles[i]], corner, kLog2UnitsPerVoxel, coverage,
                       [&](const auto& test) {
                         uint64_t to = first[i];
                         for (uint64_t cells = cell_masks[i]; cells != 0; cells &= cells - 1, ++to) {
                           const auto cell = static_cast<uint32_t>(lowest_bit(cells));
                           const Int3 place = cube_place(cell);
                           write(to, i, cell, leaf_corner(corner, place), test.lattice_at(place));
                         }
                       });
  }
#ifdef __CUDACC__
  // Does the same with a warp, whose lanes share the leaf cells of 32 pairs evenly and write them side by
  // side. A GPU is faster if it sets up a test for each leaf cell than if it waits for the pair with the
  // most cells.
  __device__ void warp(uint64_t begin, uint64_t n) const {
    const uint32_t lane = threadIdx.x & 31;
    const uint64_t own = begin + lane < n ? cell_masks[begin + lane] : 0;
    const device::WarpShare cells(static_cast<uint32_t>(popcount(own)));
    const uint64_t to = first[begin];
    for (uint32_t at = lane; at - lane < cells.total(); at += 32) {
      const auto item = cells.item(at);
      const uint64_t mask = device::WarpShare::of(own, item.owner);
      if (at >= cells.total()) continue;
      const uint64_t i = begin + item.owner;
      const uint32_t cell = nth_bit(mask, item.index);
      const Int3 corner = leaf_corner(frame.corner(keys[i]), cube_place(cell));
      write(to + at, i, cell, corner,
            covered_lattice(shapes[pair_triangles[i]], corner, kLog2UnitsPerVoxel, coverage));
    }
  }
#endif

 private:
  VOX_HD static Int3 leaf_corner(Int3 corner, Int3 place) {
    return corner + place * (static_cast<int32_t>(dag::kLeafSide) * kUnitsPerVoxel);
  }

  VOX_HD void write(uint64_t to, uint64_t i, uint32_t cell, Int3 corner, uint64_t mask) const {
    leaf_keys[to] = keys[i] << 6 | cell;
    leaf_order[to] = static_cast<uint32_t>(to);
    leaf_triangles[to] = pair_triangles[i];
    leaf_masks[to] = mask & lattice::boxes_below(corner, kLog2UnitsPerVoxel, grid_end);
  }
};
#ifdef __CUDACC__
static_assert(device::WarpBody<EmitLeafPairs>);
#endif

// Removes from the masks the voxels at which the triangle has a hole.
struct PunchHoles {
  TrianglesRef triangles;
  CellFrame frame;
  const uint32_t* leaf_keys;
  const uint32_t* leaf_triangles;
  uint64_t* leaf_masks;

  VOX_HD void operator()(uint64_t i) const {
    const ShadedTriangle triangle(triangles, leaf_triangles[i]);
    if (!triangle.has_holes()) return;
    const Int3 corner = frame.corner(leaf_keys[i]);
    uint64_t mask = leaf_masks[i];
    for (uint64_t rest = mask; rest != 0; rest &= rest - 1)
      if (triangle.hole(voxel_center(corner, static_cast<uint32_t>(lowest_bit(rest)))))
        mask &= ~(rest & (~rest + 1));
    leaf_masks[i] = mask;
  }
};

// (leaf cell, triangle) pairs in the device's memory, in the order of their cells of 16³. The arrays `keys`
// and `order` are meant to be sorted.
struct LeafPairs {
  device::Buffer<uint32_t> keys, order, triangles;
  device::Buffer<uint64_t> masks;
  uint64_t count = 0;

  LeafPairsRef ref() const { return {keys.data(), order.data(), triangles.data(), masks.data()}; }
};

// Makes the leaf pairs of cells of 16³ voxels, unsorted.
template <class Device>
LeafPairs make_leaf_pairs(Device& device, const TrianglesRef& triangles, const CellFrame& frame,
                          const Pairs<uint32_t>& cells16, const Descent& plan, int32_t grid_end,
                          scene::Coverage coverage) {
  const uint64_t n = plan.total;
  LeafPairs pairs = {device.template make<uint32_t>(n), device.template make<uint32_t>(n),
                     device.template make<uint32_t>(n), device.template make<uint64_t>(n), n};
  device.for_each(
      {"voxel masks", 150}, cells16.count,
      EmitLeafPairs{triangles.shapes, frame, grid_end, coverage, cells16.keys.data(),
                    cells16.triangles.data(), plan.masks.data(), plan.first.data(), pairs.keys.data(),
                    pairs.order.data(), pairs.triangles.data(), pairs.masks.data()});
  if (triangles.materials.holes != 0)
    device.for_each({"holes", 24}, n,
                    PunchHoles{triangles, frame.quartered(), pairs.keys.data(), pairs.triangles.data(),
                               pairs.masks.data()});
  return pairs;
}

// The (voxel, triangle) pairs of a small grid: the voxels that each triangle fills, one by one. The descent
// is the same as for the leaves of a scene, but the voxels are not merged into leaves, and the whole grid is
// done at once instead of by chunks.

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
