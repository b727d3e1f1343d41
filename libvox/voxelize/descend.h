// Descends from triangles to (cell, triangle) pairs, level by level. Each pair becomes up to 64 pairs: one
// for each smaller cell, a quarter as wide, that the triangle meets. The work is proportional to the surface,
// not to the grid.
#pragma once

#include "libvox/base/morton.h"
#include "libvox/device/count_bits.h"
#include "libvox/device/pool.h"
#include "libvox/voxelize/coverage.h"
#include "libvox/voxelize/triangle.h"

namespace vox::voxelize {

// Cells of one size. A cell's key is its Morton code. Within a chunk it is the index of its chunk cell in the
// chunk, followed by the lowest `bits` bits of its Morton code.
struct CellFrame {
  const uint64_t* chunk_cells;  // the Morton codes of the chunk's cells; nullptr if keys are whole Morton
                                // codes
  uint32_t bits;
  int log2_side;  // in units

  VOX_HD uint64_t morton(uint64_t key) const {
    return chunk_cells ? chunk_cells[key >> bits] << bits | (key & ((uint64_t{1} << bits) - 1)) : key;
  }
  VOX_HD Int3 corner(uint64_t key) const { return morton_decode(morton(key)) * (1 << log2_side); }
  CellFrame quartered() const { return {chunk_cells, bits + 6, log2_side - 2}; }
};

template <class Key>
struct Pairs {
  device::Buffer<Key> keys;
  device::Buffer<uint32_t> triangles;
  uint64_t count = 0;
};

template <class Key>
struct StartPairs {
  Key* keys;
  uint32_t* triangles;
  VOX_HD void operator()(uint64_t i) const {
    keys[i] = 0;
    triangles[i] = static_cast<uint32_t>(i);
  }
};

// Returns the pairs with which a descent begins: each triangle with the cell that holds the whole grid.
template <class Key, class Device>
Pairs<Key> start_pairs(Device& device, uint64_t triangles) {
  Pairs<Key> pairs = {device.template make<Key>(triangles), device.template make<uint32_t>(triangles),
                      triangles};
  device.for_each("start pairs", triangles, StartPairs<Key>{pairs.keys.data(), pairs.triangles.data()});
  return pairs;
}

template <class Key>
struct CoverChildren {
  TrianglesRef triangles;
  CellFrame frame;
  int32_t grid_end;  // in units
  const Key* keys;
  const uint32_t* pair_triangles;
  uint64_t* masks;
  VOX_HD void operator()(uint64_t i) const {
    const Int3 corner = frame.corner(keys[i]);
    masks[i] = touched_boxes(triangles.shapes[pair_triangles[i]], corner, frame.log2_side - 2) &
               lattice::boxes_below(corner, frame.log2_side - 2, grid_end);
  }
};

template <class Key>
struct EmitChildren {
  const Key* keys;
  const uint32_t* pair_triangles;
  const uint64_t* masks;
  const uint64_t* first;
  Key* child_keys;
  uint32_t* child_triangles;
  VOX_HD void operator()(uint64_t i) const {
    uint64_t to = first[i];
    for (uint64_t mask = masks[i]; mask != 0; mask &= mask - 1, ++to) {
      child_keys[to] = static_cast<Key>(keys[i] << 6 | static_cast<Key>(lowest_bit(mask)));
      child_triangles[to] = pair_triangles[i];
    }
  }
};

// Thrown if a step would make more pairs than the caller allows.
struct TooManyPairs {
  uint64_t pairs;
};

// For each pair, the mask of the 64 cells within its cell that its triangle meets, and where the new pairs
// begin.
struct Descent {
  device::Buffer<uint64_t> masks, first;
  uint64_t total = 0;
};

template <class Device, class Key>
Descent plan_descent(Device& device, const TrianglesRef& triangles, const CellFrame& frame, int32_t grid_end,
                     const Pairs<Key>& pairs, uint64_t max_pairs) {
  Descent plan = {device.template make<uint64_t>(pairs.count),
                  device.template make<uint64_t>(pairs.count + 1)};
  device.for_each({"descend: cover", 60 + sizeof(Key)}, pairs.count,
                  CoverChildren<Key>{triangles, frame, grid_end, pairs.keys.data(), pairs.triangles.data(),
                                     plan.masks.data()});
  plan.total = device.exclusive_scan({"descend: places", 24}, pairs.count,
                                     device::CountBits{plan.masks.data()}, plan.first.data());
  if (plan.total > max_pairs) throw TooManyPairs{plan.total};
  return plan;
}

// Returns the pairs with cells of a quarter of the side. They are in the order of the pairs that they come
// from; those that come from one pair are in Morton order.
template <class Device, class Key>
Pairs<Key> descend(Device& device, const TrianglesRef& triangles, const CellFrame& frame, int32_t grid_end,
                   const Pairs<Key>& pairs, uint64_t max_pairs) {
  const Descent plan = plan_descent(device, triangles, frame, grid_end, pairs, max_pairs);
  Pairs<Key> children = {device.template make<Key>(plan.total), device.template make<uint32_t>(plan.total),
                         plan.total};
  device.for_each({"descend: emit", 16 + sizeof(Key)}, pairs.count,
                  EmitChildren<Key>{pairs.keys.data(), pairs.triangles.data(), plan.masks.data(),
                                    plan.first.data(), children.keys.data(), children.triangles.data()});
  return children;
}

}  // namespace vox::voxelize
