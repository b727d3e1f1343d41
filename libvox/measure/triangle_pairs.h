// The pairs of triangles of two meshes that have a voxel in common, each once, and how many of them meet.
#pragma once

#include "libvox/hash/keyed/multi_map.h"
#include "libvox/voxelize/triangles_meet.h"

namespace vox::measure {

// The filled voxels of a mesh, as Morton codes, and the triangles that fill each.
template <class Device>
using VoxelTriangles = hash::MultiMap<Device, uint32_t>;

struct IsFound {
  const hash::KeyRun* runs;
  VOX_HD bool operator()(uint64_t i) const { return runs[i].count > 0; }
};

// A voxel that both meshes fill, and how many pairs it gives: each triangle of the first with each of the second.
struct CommonVoxelsRef {
  const uint32_t* common;          // numbers of voxels of the second mesh
  const hash::KeyRun* first_runs;  // of each voxel of the second mesh, in first_triangles
  const uint32_t* first_triangles;
  const uint32_t* second_starts;  // likewise, in second_triangles
  const uint32_t* second_triangles;

  VOX_HD uint64_t pairs(uint64_t c) const {
    const uint32_t number = common[c];
    return uint64_t{first_runs[number].count} * (second_starts[number + 1] - second_starts[number]);
  }
  // The pair with this number among those of the voxel, as one word: the triangle of the first mesh in the high half.
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

// One pair each, since voxels have very different numbers of pairs: a binary search tells the voxel.
struct EmitTrianglePairs {
  CommonVoxelsRef voxels;
  uint64_t count;         // of common voxels
  const uint64_t* first;  // the number of a voxel's first pair
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
  device::Buffer<hash::KeyRun> runs;  // for each voxel of the second mesh that of the first
  device::Buffer<uint32_t> numbers;   // of voxels of the second mesh
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

// The different pairs of triangles of these voxels: the keys of a table, by which each counts once, however many
// voxels its triangles share. Throws Error where there are more than a table takes.
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
