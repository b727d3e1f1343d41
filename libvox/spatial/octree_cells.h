// Lists the filled voxels of a DAG as cells, on a device. The octree is walked down level by level, with the
// nodes of a level side by side in Morton order. Each node counts its parts, and a scan of the counts says
// where the parts go. Only filled parts are visited, however large the grid is.
#pragma once

#include "libvox/base/cancel.h"
#include "libvox/dag/device_level.h"
#include "libvox/spatial/frozen_hash.h"

namespace vox::spatial {

// The nodes of one level of the octree. There are fewer than 2^32, because each holds a voxel.
struct OctreeNodes {
  device::Buffer<uint64_t> paths;    // the octants on the way from the root, three bits each
  device::Buffer<uint32_t> numbers;  // the number of the DAG's node on this level
  uint64_t count = 0;
};

struct CountParts {
  dag::LevelRef level;
  const uint32_t* numbers;
  VOX_HD uint32_t operator()(uint64_t i) const {
    return static_cast<uint32_t>(popcount(dag::child_mask(*level.node(numbers[i]))));
  }
};

struct EnterParts {
  dag::LevelRef level;
  const uint64_t* paths;
  const uint32_t* numbers;
  const uint32_t* first;  // where the parts of each node begin
  uint64_t* to_paths;
  uint32_t* to_numbers;
  VOX_HD void operator()(uint64_t i) const {
    const uint32_t* pointer = level.node(numbers[i]);
    uint32_t to = first[i];
    for (uint32_t mask = dag::child_mask(*pointer); mask != 0; mask &= mask - 1, ++to) {
      to_paths[to] = paths[i] << 3 | static_cast<uint32_t>(lowest_bit(mask));
      to_numbers[to] = *++pointer;
    }
  }
};

struct CountLeafCells {
  dag::LevelRef leaves;
  const uint32_t* numbers;
  VOX_HD uint32_t operator()(uint64_t i) const {
    return static_cast<uint32_t>(popcount(dag::leaf_mask(leaves.node(numbers[i]))));
  }
};

struct WriteLeafCells {
  dag::LevelRef leaves;
  const uint64_t* paths;
  const uint32_t* numbers;
  const uint32_t* first;
  VoxelKeys keys;
  hash::CellFormat<uint64_t> format;
  bool materials;
  uint64_t* cells;
  VOX_HD void operator()(uint64_t i) const {
    const uint32_t* leaf = leaves.node(numbers[i]);
    uint64_t* to = cells + first[i];
    uint32_t rank = 0;
    for (uint64_t mask = dag::leaf_mask(leaf); mask != 0; mask &= mask - 1, ++rank) {
      const uint64_t code = paths[i] << 6 | static_cast<uint32_t>(lowest_bit(mask));
      const uint64_t key = keys.layout == KeyLayout::Morton ? code : keys.key(morton_decode(code));
      *to++ = format.cell(key, materials ? dag::ranked_material(leaf + 2, rank) : 0);
    }
  }
};

// The DAG must be one that check_structure() accepts, with fewer than 2^32 voxels.
template <class Device>
device::Buffer<uint64_t> octree_cells(Device& device, const dag::FrozenDag& dag, VoxelKeys keys) {
  if (dag.empty()) return device.template make<uint64_t>(0);
  OctreeNodes nodes = {device.template make<uint64_t>(1), device.template make<uint32_t>(1), 1};
  device.fill(nodes.paths.data(), 1, uint64_t{0});
  device.fill(nodes.numbers.data(), 1, 0u);
  for (uint32_t level = 0; level < dag.depth(); ++level) {
    throw_if_cancelled();
    const dag::DeviceLevel here = dag::uploaded_level(device, dag.levels[level]);
    auto first = device.template make<uint32_t>(nodes.count + 1);
    OctreeNodes parts;
    parts.count = device.exclusive_scan({"octree: count parts", 12}, nodes.count,
                                        CountParts{here.ref(), nodes.numbers.data()}, first.data());
    parts.paths = device.template make<uint64_t>(parts.count);
    parts.numbers = device.template make<uint32_t>(parts.count);
    device.for_each({"octree: enter parts", 70}, nodes.count,
                    EnterParts{here.ref(), nodes.paths.data(), nodes.numbers.data(), first.data(),
                               parts.paths.data(), parts.numbers.data()});
    nodes = std::move(parts);
  }
  throw_if_cancelled();
  const dag::DeviceLevel leaves = dag::uploaded_level(device, dag.levels.back());
  auto first = device.template make<uint32_t>(nodes.count + 1);
  const uint64_t voxels =
      device.exclusive_scan({"octree: count voxels", 16}, nodes.count,
                            CountLeafCells{leaves.ref(), nodes.numbers.data()}, first.data());
  auto cells = device.template make<uint64_t>(voxels);
  device.for_each({"octree: write cells", 120}, nodes.count,
                  WriteLeafCells{leaves.ref(), nodes.paths.data(), nodes.numbers.data(), first.data(), keys,
                                 kCellFormat, dag.materials, cells.data()});
  return cells;
}

}  // namespace vox::spatial
