// Makes leaves of (leaf cell, triangle) pairs: a mask of 4³ voxels for each pair, their union for each cell,
// and for every filled voxel the material of the triangle whose plane is nearest to its centre.
#pragma once

#include "libvox/dag/node.h"
#include "libvox/device/runs.h"
#include "libvox/voxelize/descend.h"
#include "libvox/voxelize/painted.h"
#include "libvox/voxelize/shade.h"

namespace vox::voxelize {

// Centre of voxel `bit` of the leaf cell at `corner`.
VOX_HD inline Int3 voxel_center(Int3 corner, uint32_t bit) {
  constexpr int32_t kHalf = kUnitsPerVoxel / 2;
  return corner + cube_place(bit) * kUnitsPerVoxel + Int3{kHalf, kHalf, kHalf};
}

// (leaf cell, triangle) pairs and the voxels that the triangle covers.
struct LeafPairsRef {
  const uint32_t* keys;   // sorted
  const uint32_t* order;  // the pair that each sorted key belongs to
  const uint32_t* triangles;
  const uint64_t* masks;

  VOX_HD uint32_t triangle(uint64_t p) const { return triangles[order[p]]; }
  VOX_HD uint64_t mask(uint64_t p) const { return masks[order[p]]; }
};

// The last step of the descent, from cells of 16³ voxels to leaf cells and at once to voxels: a triangle's
// test is set up once for a cell and serves all its leaf cells.
struct EmitLeafPairs {
  TrianglesRef triangles;
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
    with_coverage_test(triangles.shapes[pair_triangles[i]], frame.corner(keys[i]), kLog2UnitsPerVoxel,
                       coverage, [&](const auto& test) { emit(i, test); });
  }

 private:
  template <class Test>
  VOX_HD void emit(uint64_t i, const Test& test) const {
    const uint32_t triangle = pair_triangles[i];
    const Int3 corner = frame.corner(keys[i]);
    const MaterialRef& material = triangles.materials.materials[triangles.shapes[triangle].material];
    uint64_t to = first[i];
    for (uint64_t cells = cell_masks[i]; cells != 0; cells &= cells - 1, ++to) {
      const auto cell = static_cast<uint32_t>(lowest_bit(cells));
      const Int3 place = cube_place(cell);
      const Int3 leaf_corner = corner + place * (static_cast<int32_t>(dag::kLeafSide) * kUnitsPerVoxel);
      uint64_t mask =
          test.lattice_at(place) & lattice::boxes_below(leaf_corner, kLog2UnitsPerVoxel, grid_end);
      if ((material.flags & MaterialRef::kHasHoles) != 0) mask = without_holes(mask, triangle, leaf_corner);
      leaf_keys[to] = keys[i] << 6 | cell;
      leaf_order[to] = static_cast<uint32_t>(to);
      leaf_triangles[to] = triangle;
      leaf_masks[to] = mask;
    }
  }

  VOX_HD uint64_t without_holes(uint64_t mask, uint32_t triangle, Int3 corner) const {
    for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto bit = static_cast<uint32_t>(lowest_bit(rest));
      if (hole_at(triangles, triangle, voxel_center(corner, bit))) mask &= ~(uint64_t{1} << bit);
    }
    return mask;
  }
};

// (leaf cell, triangle) pairs in the device's memory. They come as their cells of 16³ do; `keys` and `order` are
// what is to be sorted.
struct LeafPairs {
  device::Buffer<uint32_t> keys, order, triangles;
  device::Buffer<uint64_t> masks;
  uint64_t count = 0;

  LeafPairsRef ref() const { return {keys.data(), order.data(), triangles.data(), masks.data()}; }
};

// Makes the pairs of cells of 16³ voxels, not sorted.
template <class Device>
LeafPairs make_leaf_pairs(Device& device, const TrianglesRef& triangles, const CellFrame& frame,
                          const Pairs<uint32_t>& cells16, const Descent& plan, int32_t grid_end,
                          scene::Coverage coverage) {
  const uint64_t n = plan.total;
  LeafPairs pairs = {device.template make<uint32_t>(n), device.template make<uint32_t>(n),
                     device.template make<uint32_t>(n), device.template make<uint64_t>(n), n};
  device.for_each(
      {"voxel masks", 150}, cells16.count,
      EmitLeafPairs{triangles, frame, grid_end, coverage, cells16.keys.data(), cells16.triangles.data(),
                    plan.masks.data(), plan.first.data(), pairs.keys.data(), pairs.order.data(),
                    pairs.triangles.data(), pairs.masks.data()});
  return pairs;
}

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

template <class Paint>  // NoPaint or AtlasPaint
struct WriteLeaves {
  TrianglesRef triangles;
  Paint paint;
  CellFrame frame;
  device::CellsRef cells;
  const uint32_t* filled;  // cells that hold voxels
  LeafPairsRef pairs;
  const uint64_t* cell_masks;
  const uint32_t* offsets;
  bool materials;
  uint32_t* leaf_keys;
  uint32_t* words;

  VOX_HD void operator()(uint64_t i) const {
    const uint32_t cell = filled[i];
    const uint64_t begin = cells.begin(cell), end = cells.end(cell), mask = cell_masks[cell];
    uint32_t* leaf = words + offsets[i];
    leaf_keys[i] = pairs.keys[begin];
    dag::write_leaf_mask(leaf, mask);
    if (!materials) return;
    const Int3 corner = frame.corner(pairs.keys[begin]);
    dag::LeafMaterialsWriter writer(leaf);
    Paint painted = paint;
    for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto bit = static_cast<uint32_t>(lowest_bit(rest));
      const Int3 center = voxel_center(corner, bit);
      writer.put(material_at(triangles, painted, nearest(begin, end, bit, center), center));
    }
    writer.finish();
    painted.finish();
  }

 private:
  // Of the triangles that cover the voxel, returns the one whose plane is nearest to its centre; ties go to
  // the lower index.
  VOX_HD uint32_t nearest(uint64_t begin, uint64_t end, uint32_t bit, Int3 center) const {
    uint32_t best = UINT32_MAX;
    double best_distance = 0;
    for (uint64_t p = begin; p < end; ++p) {
      if ((pairs.mask(p) >> bit & 1) == 0) continue;
      const uint32_t triangle = pairs.triangle(p);
      if (end - begin == 1) return triangle;
      const double distance = plane_distance(triangles.planes[triangle], triangles.shapes[triangle], center);
      if (best == UINT32_MAX || distance < best_distance || (distance == best_distance && triangle < best)) {
        best = triangle;
        best_distance = distance;
      }
    }
    return best;
  }
};

// The leaves of a chunk, in Morton order of their cells.
struct Leaves {
  device::Buffer<uint32_t> keys;
  device::Buffer<uint32_t> words, offsets;  // leaf i is the words from offsets[i] to offsets[i + 1]
  uint64_t count = 0, voxels = 0;
};

// Stands for SolidBuilder without --solid: there are no leaves but the surface's.
struct SurfaceOnly {
  Leaves fill_leaves(const TrianglesRef&, const CellFrame&, const device::CellsRef&, const LeafPairsRef&,
                     const uint64_t*, const uint32_t*, Leaves leaves) {
    return leaves;
  }
};

// Makes leaves of pairs with cells of 16³ voxels, whose keys have `key_bits` bits.
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
