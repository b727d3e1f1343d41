// Descends from triangles to (cell, triangle) pairs, level by level. Each pair becomes up to 64 pairs: one
// for each smaller cell, a quarter as wide, that the triangle meets. The work is proportional to the surface,
// not to the grid.
#pragma once

#include <bit>
#include <span>
#include <vector>

#include "libvox/base/morton.h"
#include "libvox/device/pool.h"
#include "libvox/device/runs.h"
#include "libvox/voxelize/build_cells.h"
#include "libvox/voxelize/coverage.h"
#include "libvox/voxelize/triangle.h"

namespace vox::voxelize {

// Cells of one size. A cell's key is its Morton code or, within a chunk, the index of its chunk cell in the
// chunk followed by the lowest `bits` bits of its Morton code.
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

// For each pair, the mask of those of the 64 smaller cells that its triangle meets, and where its new
// pairs begin.
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

// Returns the pairs with cells of a quarter of the side. They stand in the order of the pairs from which
// they come, and those from one pair in Morton order.
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

// The chunk cells of a scene: the cubes that triangles meet, each with its triangles. They are the smallest
// pieces of a build.
//
// The cells are numbered in Morton order. With --solid, a cell depends on the cells to its left. Cells are
// then numbered row by row: a row holds the cells with the same y and z from left to right, and the rows
// follow each other in the Morton order of (y, z).

// These functions convert between the Morton code and the row code of a cell in a cube of 2^bits cells a
// side.
VOX_HD inline uint64_t row_code(uint64_t morton, uint32_t bits) {
  const Int3 cell = morton_decode(morton);
  return morton_encode(Vec2<uint32_t>{static_cast<uint32_t>(cell.y), static_cast<uint32_t>(cell.z)}) << bits |
         static_cast<uint32_t>(cell.x);
}
VOX_HD inline uint64_t morton_of_row_code(uint64_t code, uint32_t bits) {
  const Vec2<uint32_t> row = morton_decode_in_plane(code >> bits);
  return morton_encode(static_cast<uint32_t>(code & ((uint64_t{1} << bits) - 1)), row.x, row.y);
}

struct ToRowCodes {
  uint64_t* keys;
  uint32_t bits;
  VOX_HD void operator()(uint64_t i) const { keys[i] = row_code(keys[i], bits); }
};

// A range of chunk cells by their numbers.
struct CellRun {
  size_t begin = 0, end = 0;
};

struct ChunkCells {
  // The scene's (chunk cell, triangle) pairs, sorted by chunk cell. The cell of pair i is cell_of[i + 1] - 1.
  device::Buffer<uint32_t> triangles, cell_of;
  std::vector<uint32_t> starts;  // cell i has the pairs from starts[i] to starts[i + 1]
  std::vector<uint64_t> codes;   // Morton codes
  // The index of each row's first cell, and of its first pair. Empty if the cells are not in rows.
  std::vector<size_t> row_cells;
  std::vector<uint32_t> row_starts;

  // Returns where the pairs of each row begin, or of each cell if the cells are not in rows. Builders share
  // out these units.
  std::span<const uint32_t> pair_starts() const { return row_cells.empty() ? starts : row_starts; }
  CellRun cells_of(const Piece& piece) const {
    return row_cells.empty() ? CellRun{piece.begin, piece.end}
                             : CellRun{row_cells[piece.begin], row_cells[piece.end]};
  }
};

enum class CellOrder { Morton, Rows };

namespace detail {

// Finds where the rows begin and turns the cells' codes from row codes into Morton codes.
inline void divide_into_rows(ChunkCells& cells, uint32_t bits) {
  for (size_t i = 0; i < cells.codes.size(); ++i) {
    if (i > 0 && cells.codes[i] >> bits == cells.codes[i - 1] >> bits) continue;
    cells.row_cells.push_back(i);
    cells.row_starts.push_back(cells.starts[i]);
  }
  cells.row_cells.push_back(cells.codes.size());
  cells.row_starts.push_back(cells.starts.back());
  for (uint64_t& code : cells.codes) code = morton_of_row_code(code, bits);
}

}  // namespace detail

// Finds the chunk cells with a side of `cell_side` voxels. The grid has `resolution` voxels a side and ends
// at grid_end units.
template <class Device>
ChunkCells find_chunk_cells(Device& device, const TrianglesRef& triangles, uint64_t triangle_count,
                            uint32_t resolution, uint32_t cell_side, int32_t grid_end, CellOrder order) {
  uint32_t log2_steps = 0;
  while (uint64_t{cell_side} << log2_steps < resolution) log2_steps += 2;
  Pairs<uint64_t> pairs = start_pairs<uint64_t>(device, triangle_count);
  const int log2_cell = std::countr_zero(cell_side) + kLog2UnitsPerVoxel;
  CellFrame frame = {nullptr, 0, log2_cell + static_cast<int>(log2_steps)};
  for (; frame.log2_side > log2_cell; frame = frame.quartered())
    pairs = descend(device, triangles, frame, grid_end, pairs, UINT32_MAX - 1);
  if (order == CellOrder::Rows)
    device.for_each("rows of chunk cells", pairs.count, ToRowCodes{pairs.keys.data(), log2_steps});
  device.sort_pairs("sort pairs by chunk cell", pairs.keys, pairs.triangles, pairs.count, frame.bits);
  ChunkCells cells;
  cells.cell_of = device.template make<uint32_t>(pairs.count + 1);
  const uint64_t* const keys = pairs.keys.data();
  device.exclusive_scan("number chunk cells", pairs.count, device::StartsRun<uint64_t>{keys, 0},
                        cells.cell_of.data());
  const device::Runs runs = device::find_runs(device, "select chunk cells", keys, pairs.count);
  cells.starts.resize(runs.count + 1);
  device.download(cells.starts.data(), runs.starts.data(), runs.count);
  cells.starts[runs.count] = static_cast<uint32_t>(pairs.count);
  auto codes = device.template make<uint64_t>(runs.count);
  device.for_each("chunk cell codes", runs.count,
                  device::TakeChosen<uint64_t>{keys, runs.starts.data(), codes.data()});
  cells.codes.resize(runs.count);
  device.download(cells.codes.data(), codes.data(), runs.count);
  if (order == CellOrder::Rows) detail::divide_into_rows(cells, log2_steps);
  cells.triangles = std::move(pairs.triangles);
  return cells;
}

}  // namespace vox::voxelize
