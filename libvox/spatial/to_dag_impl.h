// The implementation of to_dag.h for any device. The cells are sorted by Morton code, runs of them become
// leaves, and the levels above are made as in voxelizing. to_dag_cpu.cpp and to_dag_cuda.cu include this file
// and only name the device.
#pragma once

#include <utility>

#include "libvox/base/cancel.h"
#include "libvox/base/error.h"
#include "libvox/dag/freeze.h"
#include "libvox/dag/levels.h"
#include "libvox/dag/octree_counts.h"
#include "libvox/spatial/to_dag.h"

namespace vox::spatial {

struct IsFilledCell {
  const uint64_t* cells;
  uint64_t last, apart;
  VOX_HD bool operator()(uint64_t i) const {
    return i == last ? apart != 0 : cells[i] != hash::kEmptyCell<uint64_t>;
  }
};

struct CellsByCode {
  const uint64_t* cells;
  const uint32_t* filled;
  VoxelKeys keys;
  hash::CellFormat<uint64_t> format;
  uint64_t* codes;  // each a Morton code with the voxel's material below it
  VOX_HD void operator()(uint64_t i) const {
    const uint64_t cell = cells[filled[i]];
    const Int3 voxel = keys.voxel(format.key(cell));
    const VoxelKeys morton = {CellKeyLayout::Morton, keys.resolution};
    codes[i] = format.cell(morton.key(voxel), format.value(cell));
  }
};

struct ComesTwice {
  const uint64_t* codes;
  VOX_HD uint32_t operator()(uint64_t i) const {
    return i > 0 && codes[i] >> kMaterialBits == codes[i - 1] >> kMaterialBits ? 1 : 0;
  }
};

struct RunLeafWords {
  device::CellsRef leaves;
  bool materials;
  VOX_HD uint32_t operator()(uint64_t i) const {
    const auto filled = static_cast<uint32_t>(leaves.end(i) - leaves.begin(i));
    return materials ? 2 + (filled + 7) / 8 : 2;
  }
};

struct WriteRunLeaves {
  device::CellsRef leaves;
  const uint64_t* codes;
  const uint32_t* offsets;
  hash::CellFormat<uint64_t> format;
  bool materials;
  uint64_t* keys;
  uint32_t* words;
  VOX_HD void operator()(uint64_t i) const {
    dag::LeafWriter leaf(words + offsets[i], materials);
    for (uint64_t c = leaves.begin(i); c < leaves.end(i); ++c)
      leaf.put(static_cast<uint32_t>(format.key(codes[c]) & 63), format.value(codes[c]));
    leaf.finish();
    keys[i] = format.key(codes[leaves.begin(i)]) >> 6;
  }
};

// Returns the cells of the hash in Morton order.
template <class Device>
device::Buffer<uint64_t> sorted_codes(Device& device, const FrozenHash& hash) {
  const auto cells = device::uploaded(device, hash.cells);
  auto filled = device.template make<uint32_t>(hash.voxels);
  device.select({"hash: select cells", 12}, hash.cells.size(),
                IsFilledCell{cells.data(), hash.cells.size() - 1, hash.apart}, filled.data());
  auto codes = device.template make<uint64_t>(hash.voxels);
  device.for_each({"hash: Morton codes", 20}, hash.voxels,
                  CellsByCode{cells.data(), filled.data(), hash.keys, kCellFormat, codes.data()});
  device.sort_keys({"hash: sort cells", 16}, codes, hash.voxels, hash::CellFormat<uint64_t>::kBits);
  if (device.sum("hash: compare cells", hash.voxels, ComesTwice{codes.data()}) != 0)
    throw Error("the spatial hash holds a voxel twice").hint("a verification of the file says more");
  return codes;
}

template <class Device>
dag::StoredLevel<uint64_t> stored_leaves(Device& device, dag::DagStore<Device>& store,
                                         const FrozenHash& hash) {
  const auto codes = sorted_codes(device, hash);
  const device::Runs leaf_runs =
      device::find_runs(device, {"hash: select leaves", 12}, codes.data(), hash.voxels, kMaterialBits + 6);
  const device::CellsRef runs = leaf_runs.ref();
  dag::StoredLevel<uint64_t> leaves;
  leaves.count = runs.count;
  auto offsets = device.template make<uint32_t>(leaves.count + 1);
  const uint64_t word_count = device.exclusive_scan({"hash: leaf places", 12}, leaves.count,
                                                    RunLeafWords{runs, hash.materials}, offsets.data());
  if (word_count > UINT32_MAX) throw Error("the leaves of the spatial hash have more than 2^32 words");
  auto words = device.template make<uint32_t>(word_count);
  leaves.keys = device.template make<uint64_t>(leaves.count);
  leaves.pointers = device.template make<uint32_t>(leaves.count);
  device.for_each({"hash: write leaves", 160}, leaves.count,
                  WriteRunLeaves{runs, codes.data(), offsets.data(), kCellFormat, hash.materials,
                                 leaves.keys.data(), words.data()});
  store.intern(words.data(), offsets.data(), leaves.count, leaves.pointers.data());
  return leaves;
}

template <class Device>
dag::FrozenDag dag_of_hash(Device& device, const FrozenHash& hash) {
  dag::FrozenDag result = dag::empty_dag(hash.resolution(), hash.materials);
  if (hash.voxels == 0) return result;
  dag::DagStore<Device> store(device);
  dag::StoredLevel<uint64_t> level = stored_leaves(device, store, hash);
  for (uint32_t above = 0; above < result.depth(); ++above) {
    throw_if_cancelled();
    level = dag::build_parents(device, store, level, above == 0 ? dag::NodeKind::Leaf : dag::NodeKind::Inner,
                               hash.materials);
  }
  uint32_t root = hash::kNullPointer;
  device.download(&root, level.pointers.data(), 1);
  level = {};
  device.pool().trim();
  dag::Freezer(device, store, result).run(root);
  dag::count_octree(result);
  return result;
}

}  // namespace vox::spatial
