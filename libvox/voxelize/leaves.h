// Makes leaves from (leaf cell, triangle) pairs. A cell's mask is the union of its pairs' masks; every filled
// voxel gets the material of the triangle whose plane is nearest to its center.
#pragma once

#include <cmath>
#include <functional>

#include "libvox/dag/node.h"
#include "libvox/device/device.h"
#include "libvox/device/runs.h"
#include "libvox/voxelize/leaf_pairs.h"
#include "libvox/voxelize/shade.h"
#include "libvox/voxelize/weights.h"

namespace vox::voxelize {

// The cells that hold voxels, with the triangles that cover these voxels.
struct FilledCells {
  TrianglesRef triangles;
  CellFrame frame;
  device::CellsRef cells;
  const uint32_t* filled;  // the cells that hold voxels
  LeafPairsRef pairs;
  const uint64_t* cell_masks;

  // The range of one cell's pairs.
  struct Run {
    uint64_t begin, end;
  };

  // Sets the triangle of each voxel that only one triangle covers. Returns the voxels that several triangles
  // cover.
  VOX_HD uint64_t find_only(const Run& run, uint32_t (&only)[64]) const {
    uint64_t covered = 0, shared = 0;
    for (uint64_t p = run.begin; p < run.end; ++p) {
      shared |= covered & pairs.mask(p);
      covered |= pairs.mask(p);
    }
    for (uint64_t p = run.begin; p < run.end; ++p) {
      const uint32_t triangle = pairs.triangle(p);
      for (uint64_t rest = pairs.mask(p) & ~shared; rest != 0; rest &= rest - 1)
        only[lowest_bit(rest)] = triangle;
    }
    return shared;
  }

  // Sets the triangle of each voxel: nearest(). Each pair looks only at the voxels that it covers, which is faster
  // where one thread makes a whole leaf.
  VOX_HD void find_nearest(const Run& run, Int3 corner, uint32_t (&found)[64]) const {
    const uint64_t shared = find_only(run, found);
    if (shared == 0) return;
    constexpr float kNone = INFINITY;  // farther away than any triangle
    float distances[64];
    for (uint64_t rest = shared; rest != 0; rest &= rest - 1) distances[lowest_bit(rest)] = kNone;
    for (uint64_t p = run.begin; p < run.end; ++p) {
      const uint32_t triangle = pairs.triangle(p);
      const TrianglePlane plane = triangles.planes[triangle];
      const TriangleShape& shape = triangles.shapes[triangle];
      for (uint64_t rest = pairs.mask(p) & shared; rest != 0; rest &= rest - 1) {
        const auto bit = static_cast<uint32_t>(lowest_bit(rest));
        const float other = plane_distance(plane, shape, voxel_center(corner, bit));
        if (!(other < distances[bit] || (other == distances[bit] && triangle < found[bit]))) continue;
        distances[bit] = other;
        found[bit] = triangle;
      }
    }
  }

  // Returns the triangle whose plane is nearest to the voxel's center, among those that cover it. If two are
  // equally near, it is the one with the lower index. If only one triangle covers the voxel, no distance is
  // computed.
  VOX_HD uint32_t nearest(const Run& run, uint32_t bit, Int3 center) const {
    constexpr float kUnknown = -1;
    uint32_t best = UINT32_MAX;
    float best_distance = kUnknown;
    for (uint64_t p = run.begin; p < run.end; ++p) {
      if ((pairs.mask(p) >> bit & 1) == 0) continue;
      const uint32_t triangle = pairs.triangle(p);
      if (best == UINT32_MAX) {
        best = triangle;
        continue;
      }
      if (best_distance == kUnknown) best_distance = distance(best, center);
      const float other = distance(triangle, center);
      if (other < best_distance || (other == best_distance && triangle < best)) {
        best = triangle;
        best_distance = other;
      }
    }
    return best;
  }

  VOX_HD float distance(uint32_t triangle, Int3 center) const {
    return plane_distance(triangles.planes[triangle], triangles.shapes[triangle], center);
  }
};

// Writes the words of leaves: the mask of filled voxels, and for each of them the material of the triangle
// whose plane is nearest to its center.
template <class Paint>  // NoPaint or AtlasPaint
struct WriteLeaves : FilledCells {
  Paint paint;
  const uint32_t* offsets;
  bool materials;
  uint32_t* leaf_keys;
  uint32_t* words;

  VOX_HD void operator()(uint64_t i) const {
    const uint32_t cell = filled[i];
    const uint64_t mask = cell_masks[cell];
    const Run run = {cells.begin(cell), cells.end(cell)};
    begin_leaf(i, run, mask);
    if (!materials) return;
    const Int3 corner = frame.corner(pairs.keys[run.begin]);
    dag::LeafMaterialsWriter writer(words + offsets[i]);
    Paint painted = paint;
    uint32_t found[64];  // the triangle of each voxel
    find_nearest(run, corner, found);
    ShadedTriangle shaded;
    uint32_t shown = UINT32_MAX;  // the triangle that `shaded` shows
    for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto bit = static_cast<uint32_t>(lowest_bit(rest));
      const Int3 center = voxel_center(corner, bit);
      const uint32_t triangle = found[bit];
      if (triangle != shown) shaded = ShadedTriangle(triangles, triangle);
      shown = triangle;
      writer.put(shaded.material(painted, center));
    }
    writer.finish();
    painted.finish();
  }
#ifdef __CUDACC__
  // Does the same with a warp. Eight lanes make a word of eight materials, so that no lane waits for the leaf
  // with the most voxels.
  __device__ void warp(uint64_t first, uint64_t n) const {
    constexpr uint32_t kLanesPerWord = 8;
    using device::WarpShare;
    const uint32_t lane = threadIdx.x & 31, part = lane % kLanesPerWord;
    uint64_t own_mask = 0;
    uint32_t own_begin = 0, own_count = 0, own_triangle = 0;
    Int3 own_corner = {};
    if (first + lane < n) {
      const uint32_t cell = filled[first + lane];
      const Run run = {cells.begin(cell), cells.end(cell)};
      own_mask = cell_masks[cell];
      own_begin = static_cast<uint32_t>(run.begin);  // there are fewer than 2^32 pairs
      own_count = static_cast<uint32_t>(run.end - run.begin);
      own_triangle = pairs.triangle(run.begin);
      own_corner = frame.corner(pairs.keys[run.begin]);
      begin_leaf(first + lane, run, own_mask);
    }
    if (!materials) return;
    const WarpShare words_of_leaves(dag::leaf_words(own_mask, true) - dag::leaf_words(own_mask, false));
    Paint painted = paint;
    for (uint32_t at = lane / kLanesPerWord; at - lane / kLanesPerWord < words_of_leaves.total();
         at += 32 / kLanesPerWord) {
      const auto item = words_of_leaves.item(at);
      const uint64_t mask = WarpShare::of(own_mask, item.owner);
      const uint64_t begin = WarpShare::of(own_begin, item.owner);
      const Run run = {begin, begin + WarpShare::of(own_count, item.owner)};
      const uint32_t alone = WarpShare::of(own_triangle, item.owner);
      const Int3 corner = WarpShare::of(own_corner, item.owner);
      const uint32_t rank = item.index * kLanesPerWord + part;
      const bool there = at < words_of_leaves.total();
      uint32_t word = 0;
      if (there && rank < static_cast<uint32_t>(popcount(mask))) {
        const uint32_t bit = nth_bit(mask, rank);
        const Int3 center = voxel_center(corner, bit);
        const uint32_t triangle = run.end - run.begin == 1 ? alone : nearest(run, bit, center);
        word = ShadedTriangle(triangles, triangle).material(painted, center) << part * 4;
      }
      for (int step = 1; step < static_cast<int>(kLanesPerWord); step *= 2)
        word |= __shfl_xor_sync(0xffffffff, word, step);
      if (there && part == 0) words[offsets[first + item.owner] + 2 + item.index] = word;
    }
    painted.finish();
  }
#endif

 private:
  // Writes a leaf's key and mask, without its materials.
  VOX_HD void begin_leaf(uint64_t i, const Run& run, uint64_t mask) const {
    leaf_keys[i] = pairs.keys[run.begin];
    dag::write_leaf_mask(words + offsets[i], mask);
  }
};
#ifdef __CUDACC__
static_assert(device::WarpBody<WriteLeaves<NoPaint>>);
#endif

// Writes the packed color of each voxel, in the order of leaves and of the bits of their masks: that of the triangle whose
// plane is nearest to the voxel's center. With `of_triangles`, it writes the value of this triangle instead.
struct WriteColors : FilledCells {
  const uint32_t* first_colors;  // for each leaf, the index of its first color
  const uint32_t* of_triangles;  // a value for each triangle, or nullptr
  uint32_t* colors;

  VOX_HD void operator()(uint64_t i) const {
    const uint32_t cell = filled[i];
    const Run run = {cells.begin(cell), cells.end(cell)};
    const Int3 corner = frame.corner(pairs.keys[run.begin]);
    uint32_t only[64];
    const uint64_t shared = find_only(run, only);
    ShadedTriangle shaded;
    uint32_t shown = UINT32_MAX;  // the triangle that `shaded` shows
    uint32_t* to = colors + first_colors[i];
    for (uint64_t rest = cell_masks[cell]; rest != 0; rest &= rest - 1) {
      const auto bit = static_cast<uint32_t>(lowest_bit(rest));
      const Int3 center = voxel_center(corner, bit);
      const uint32_t triangle = (shared >> bit & 1) != 0 ? nearest(run, bit, center) : only[bit];
      if (of_triangles != nullptr) {
        *to++ = of_triangles[triangle];
        continue;
      }
      if (triangle != shown) shaded = ShadedTriangle(triangles, triangle);
      shown = triangle;
      *to++ = shaded.color(center);
    }
  }
#ifdef __CUDACC__
  // Does the same with a warp, whose lanes share the voxels of all of its leaves.
  __device__ void warp(uint64_t first, uint64_t n) const {
    using device::WarpShare;
    const uint32_t lane = threadIdx.x & 31;
    uint64_t own_mask = 0;
    uint32_t own_begin = 0, own_count = 0;
    Int3 own_corner = {};
    if (first + lane < n) {
      const uint32_t cell = filled[first + lane];
      own_mask = cell_masks[cell];
      own_begin = static_cast<uint32_t>(cells.begin(cell));  // there are fewer than 2^32 pairs
      own_count = static_cast<uint32_t>(cells.end(cell) - cells.begin(cell));
      own_corner = frame.corner(pairs.keys[own_begin]);
    }
    const WarpShare voxels(static_cast<uint32_t>(popcount(own_mask)));
    for (uint32_t at = lane; at - lane < voxels.total(); at += 32) {
      const auto item = voxels.item(at);
      const uint64_t mask = WarpShare::of(own_mask, item.owner);
      const uint64_t begin = WarpShare::of(own_begin, item.owner);
      const Run run = {begin, begin + WarpShare::of(own_count, item.owner)};
      const Int3 corner = WarpShare::of(own_corner, item.owner);
      if (at >= voxels.total()) continue;
      const uint32_t bit = nth_bit(mask, item.index);
      const Int3 center = voxel_center(corner, bit);
      const uint32_t triangle =
          run.end - run.begin == 1 ? pairs.triangle(run.begin) : nearest(run, bit, center);
      colors[first_colors[first + item.owner] + item.index] =
          of_triangles != nullptr ? of_triangles[triangle]
                                  : ShadedTriangle(triangles, triangle).color(center);
    }
  }
#endif
};
#ifdef __CUDACC__
static_assert(device::WarpBody<WriteColors>);
#endif

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

struct VoxelsOfFilled {
  const uint32_t* filled;
  const uint64_t* cell_masks;
  VOX_HD uint32_t operator()(uint64_t i) const {
    return static_cast<uint32_t>(popcount(cell_masks[filled[i]]));
  }
};

// The leaves of a chunk, in Morton order of their cells.
struct Leaves {
  device::Buffer<uint32_t> keys;
  device::Buffer<uint32_t> words, offsets;  // leaf i is the words from offsets[i] to offsets[i + 1]
  uint64_t count = 0, voxels = 0;
};

// Stands in for SolidBuilder without --solid. The only leaves are then those of the surface.
struct SurfaceOnly {
  Leaves fill_leaves(const TrianglesRef&, const CellFrame&, const device::CellsRef&, const LeafPairsRef&,
                     const uint64_t*, const uint32_t*, Leaves leaves) {
    return leaves;
  }
};

// A function that returns room for the colors of the next `voxels` voxels.
using RoomForColors = std::function<uint32_t*(uint64_t voxels)>;

// Makes leaves from pairs with cells of 16³ voxels, whose keys have `key_bits` bits. With `room_for_colors`, it also finds the
// color of each voxel, or, with `of_triangles`, the value of its triangle.
template <class Device, class Filler, class Paint>
Leaves make_leaves(Device& device, const TrianglesRef& triangles, const CellFrame& frame, uint32_t key_bits,
                   const Pairs<uint32_t>& cells16, const Descent& plan, int32_t grid_end,
                   scene::Coverage coverage, bool materials, Filler&& filler, const Paint& paint,
                   const RoomForColors& room_for_colors = {}, const uint32_t* of_triangles = nullptr) {
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
  const FilledCells filled_cells = {triangles, frame.quartered(), cells, filled.data(),
                                    pairs,     cell_masks.data()};
  leaves.keys = device.template make<uint32_t>(leaves.count);
  leaves.words = device.template make<uint32_t>(words);
  device.for_each({"write leaves", 160}, leaves.count,
                  WriteLeaves<Paint>{filled_cells, paint, leaves.offsets.data(), materials,
                                     leaves.keys.data(), leaves.words.data()});
  if (room_for_colors) {
    if (leaves.voxels > UINT32_MAX) throw TooManyPairs{n};
    auto first_colors = device.template make<uint32_t>(leaves.count);
    device.exclusive_scan({"color places", 16}, leaves.count,
                          VoxelsOfFilled{filled.data(), cell_masks.data()}, first_colors.data());
    device.for_each(
        {"write colors", 160}, leaves.count,
        WriteColors{filled_cells, first_colors.data(), of_triangles, room_for_colors(leaves.voxels)});
  }
  return filler.fill_leaves(triangles, frame.quartered(), cells, pairs, cell_masks.data(), filled.data(),
                            std::move(leaves));
}

}  // namespace vox::voxelize
