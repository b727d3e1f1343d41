// Finds the pairs of triangles of two meshes that have a voxel in common, each pair once, and tests if they
// meet.
#pragma once

#include "libvox/hash/keyed/multi_map.h"
#include "libvox/voxelize/triangles_meet.h"

namespace vox::measure {

// A map from a mesh's filled voxels, as Morton codes, to the triangles that fill each.
template <class Device>
using VoxelTriangles = hash::MultiMap<Device, uint32_t>;

struct IsFound {
  const hash::KeyRun* runs;
  VOX_HD bool operator()(uint64_t i) const { return runs[i].count > 0; }
};

// The voxels that both meshes fill. Such a voxel gives a pair for each triangle of the first with each of the
// second.
struct CommonVoxelsRef {
  const uint32_t* common;          // numbers of voxels of the second mesh
  const hash::KeyRun* first_runs;  // for each voxel of the second mesh, its run in first_triangles
  const uint32_t* first_triangles;
  const uint32_t* second_starts;  // for each voxel of the second mesh, its start in second_triangles
  const uint32_t* second_triangles;

  VOX_HD uint64_t pairs(uint64_t c) const {
    const uint32_t number = common[c];
    return uint64_t{first_runs[number].count} * (second_starts[number + 1] - second_starts[number]);
  }
  // Returns the pair with this number among the voxel's pairs as one word, with the first mesh's triangle in
  // the high half.
  VOX_HD uint64_t pair(uint64_t c, uint64_t which) const {
    const uint32_t number = common[c];
    const hash::KeyRun run = first_runs[number];
    const uint32_t first = first_triangles[run.begin + which % run.count];
    const uint32_t second = second_triangles[second_starts[number] + which / run.count];
    return uint64_t{first} << 32 | second;
  }
};

struct PairsOfVoxel {
  CommonVoxelsRef voxels;
  VOX_HD uint64_t operator()(uint64_t c) const { return voxels.pairs(c); }
};

// Writes one pair per thread, because voxels have very different numbers of pairs. A binary search finds the
// voxel.
struct EmitTrianglePairs {
  CommonVoxelsRef voxels;
  uint64_t count;         // number of common voxels
  const uint64_t* first;  // the number of each voxel's first pair
  uint64_t* pairs;
  VOX_HD void operator()(uint64_t i) const {
    uint64_t low = 0, high = count;  // first[low] <= i < first[high]
    while (high - low > 1) {
      const uint64_t middle = low + (high - low) / 2;
      (first[middle] <= i ? low : high) = middle;
    }
    pairs[i] = voxels.pair(low, i - first[low]);
  }
};

struct PairMeets {
  const voxelize::TriangleShape* first;
  const voxelize::TriangleShape* second;
  const uint64_t* pairs;
  VOX_HD bool operator()(uint64_t i) const {
    return voxelize::triangles_meet(first[pairs[i] >> 32], second[pairs[i] & UINT32_MAX]);
  }
};

// The voxels that both meshes fill.
template <class Device>
struct CommonVoxels {
  device::Buffer<hash::KeyRun> runs;  // for each voxel of the second mesh, the first mesh's triangles there
  device::Buffer<uint32_t> numbers;   // numbers of the common voxels among the second mesh's
  uint64_t count = 0;

  CommonVoxelsRef ref(const VoxelTriangles<Device>& first, const VoxelTriangles<Device>& second) const {
    return {numbers.data(), runs.data(), first.values(), second.starts(), second.values()};
  }
};

// Looks up all voxels of the second mesh in the table of the first.
template <class Device>
CommonVoxels<Device> find_common_voxels(Device& device, const VoxelTriangles<Device>& first,
                                        const VoxelTriangles<Device>& second) {
  const uint64_t n = second.index().count();
  CommonVoxels<Device> common = {device.template make<hash::KeyRun>(n), device.template make<uint32_t>(n)};
  first.find(second.index().keys(), n, common.runs.data());
  common.count =
      device.select({"select common voxels", 12}, n, IsFound{common.runs.data()}, common.numbers.data());
  return common;
}

// Finds the different pairs of triangles in these voxels. The pairs become keys of a table, so each is kept
// once, however many voxels its triangles share. Throws Error if there are too many for a table.
template <class Device>
void find_triangle_pairs(Device& device, const CommonVoxelsRef& voxels, uint64_t count,
                         hash::KeyIndex<Device, uint64_t>& pairs) {
  auto first = device.template make<uint64_t>(count + 1);
  const uint64_t n =
      device.exclusive_scan({"places of pairs", 40}, count, PairsOfVoxel{voxels}, first.data());
  if (n >= hash::kNoSlot) throw OutOfMemory(n * sizeof(uint64_t), device.pool().available());
  auto all = device.template make<uint64_t>(n);
  device.for_each({"emit pairs", 40}, n, EmitTrianglePairs{voxels, count, first.data(), all.data()});
  pairs.build(all.data(), n);
}

}  // namespace vox::measure
