// The chunk cells of a scene: the cubes that triangles meet, each with its triangles. They are the smallest
// pieces of a build.
//
// The cells are numbered in Morton order. With --solid, where a cell depends on what stands to its left, they
// are numbered row by row: a row holds the cells along x with the same y and z, from left to right, and the
// rows follow each other in the Morton order of (y, z).
#pragma once

#include <bit>
#include <span>
#include <vector>

#include "libvox/device/runs.h"
#include "libvox/device/uploaded.h"
#include "libvox/voxelize/build_cells.h"
#include "libvox/voxelize/descend.h"

namespace vox::voxelize {

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
  // If the cells are in rows: where each row begins among the cells, and among their pairs.
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
