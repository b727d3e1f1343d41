// Makes leaves from (leaf cell, triangle) pairs. A cell's mask is the union of its pairs' masks; every filled
// voxel gets the material of the triangle whose plane is nearest to its centre.
#pragma once

#include "libvox/dag/node.h"
#include "libvox/device/runs.h"
#include "libvox/voxelize/leaf_pairs.h"
#include "libvox/voxelize/painted.h"
#include "libvox/voxelize/write_leaves.h"

namespace vox::voxelize {

struct UnionMasks {
  device::CellsRef cells;
  LeafPairsRef pairs;
  uint64_t* cell_masks;
  VOX_HD void operator()(uint64_t c) const {
    uint64_t mask = 0;
    for (uint64_t p = cells.begin(c); p < cells.end(c); ++p) mask |= pairs.mask(p);
    cell_masks[c] = mask;
  }
};

struct IsFilled {
  const uint64_t* masks;
  VOX_HD bool operator()(uint64_t i) const { return masks[i] != 0; }
};

struct LeafWords {
  const uint32_t* filled;
  const uint64_t* cell_masks;
  bool materials;
  VOX_HD uint32_t operator()(uint64_t i) const { return dag::leaf_words(cell_masks[filled[i]], materials); }
};

struct LeafVoxels {
  const uint64_t* cell_masks;
  VOX_HD uint32_t operator()(uint64_t c) const { return static_cast<uint32_t>(popcount(cell_masks[c])); }
};

// The leaves of a chunk, in Morton order of their cells.
struct Leaves {
  device::Buffer<uint32_t> keys;
  device::Buffer<uint32_t> words, offsets;  // leaf i is the words from offsets[i] to offsets[i + 1]
  uint64_t count = 0, voxels = 0;
};

// Takes the place of SolidBuilder without --solid: the only leaves are those of the surface.
struct SurfaceOnly {
  Leaves fill_leaves(const TrianglesRef&, const CellFrame&, const device::CellsRef&, const LeafPairsRef&,
                     const uint64_t*, const uint32_t*, Leaves leaves) {
    return leaves;
  }
};

// Makes leaves from pairs with cells of 16³ voxels. The keys of these cells have `key_bits` bits.
template <class Device, class Filler, class Paint>
Leaves make_leaves(Device& device, const TrianglesRef& triangles, const CellFrame& frame, uint32_t key_bits,
                   const Pairs<uint32_t>& cells16, const Descent& plan, int32_t grid_end,
                   scene::Coverage coverage, bool materials, Filler&& filler, const Paint& paint) {
  LeafPairs leaf_pairs = make_leaf_pairs(device, triangles, frame, cells16, plan, grid_end, coverage);
  const uint64_t n = leaf_pairs.count;
  device.sort_pairs({"sort pairs by cell", 64}, leaf_pairs.keys, leaf_pairs.order, n, key_bits + 6);
  const LeafPairsRef pairs = leaf_pairs.ref();

  const device::Runs runs = device::find_runs(device, {"select cells", 8}, pairs.keys, n);
  const device::CellsRef cells = runs.ref();
  const uint64_t cell_count = runs.count;
  auto cell_masks = device.template make<uint64_t>(cell_count);
  device.for_each({"union of masks", 36}, cell_count, UnionMasks{cells, pairs, cell_masks.data()});

  Leaves leaves;
  leaves.voxels = device.sum({"count voxels", 8}, cell_count, LeafVoxels{cell_masks.data()});
  auto filled = device.template make<uint32_t>(cell_count);
  leaves.count =
      device.select({"select filled cells", 12}, cell_count, IsFilled{cell_masks.data()}, filled.data());
  leaves.offsets = device.template make<uint32_t>(leaves.count + 1);
  const uint64_t words =
      device.exclusive_scan({"leaf places", 16}, leaves.count,
                            LeafWords{filled.data(), cell_masks.data(), materials}, leaves.offsets.data());
  leaves.keys = device.template make<uint32_t>(leaves.count);
  leaves.words = device.template make<uint32_t>(words);
  device.for_each(
      {"write leaves", 160}, leaves.count,
      WriteLeaves<Paint>{triangles, paint, frame.quartered(), cells, filled.data(), pairs, cell_masks.data(),
                         leaves.offsets.data(), materials, leaves.keys.data(), leaves.words.data()});
  return filler.fill_leaves(triangles, frame.quartered(), cells, pairs, cell_masks.data(), filled.data(),
                            std::move(leaves));
}

}  // namespace vox::voxelize
