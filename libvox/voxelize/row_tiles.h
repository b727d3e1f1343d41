// The states of the rays of --solid between chunks, in tiles of rows.
//
// A tile is an aligned square of rows along y and z. Chunk cells are numbered row by row, and rows in the Morton order
// of (y, z) (descend.h), so that the rows of a tile follow each other. Rows do not depend on each other. Hence only the
// states of the current tile are in memory: S² bytes if it has S voxels a side, but R² for the whole grid.
//
//          ┌──────┬──────┐
//      z   │  2   │  3   │   a grid of four tiles, in the order in which their rows are built
//      ▲   ├──────┼──────┤
//      │   │  0   │  1   │
//      └─▶ └──────┴──────┘
//        y
//
// A tile begins with the crossings of triangles left of the grid, which exist if a clip box cuts a mesh. A row that is
// done is never needed again. So a tile whose rows are built in several parts may begin again for each part.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include "libvox/base/vec.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/device/atomics.h"
#include "libvox/device/pool.h"
#include "libvox/voxelize/build_cells.h"
#include "libvox/voxelize/build_scene.h"
#include "libvox/voxelize/coverage.h"
#include "libvox/voxelize/prepare.h"
#include "libvox/voxelize/solid.h"

namespace vox::voxelize {

// True for triangles that rays may cross left of the grid.
struct LiesLeftOfGrid {
  const TriangleShape* shapes;
  SkippedTriangles skipped;
  int32_t grid_end;  // in units
  VOX_HD bool operator()(uint64_t i) const {
    const BoxRange box(shapes[i], {0, 0, 0}, 0);
    return box.low.x < 0 && box.high.y >= 0 && box.high.z >= 0 && box.low.y < grid_end &&
           box.low.z < grid_end && normal_of(shapes[i]).x != 0 && !skipped.has(i);
  }
};

// A square of rows, in voxels. It may reach beyond the grid.
struct RowTile {
  int32_t begin_y, begin_z, side;
};

// Sets a bit for each tile that triangles left of the grid may cross.
struct MarkTiles {
  const TriangleShape* shapes;
  const uint32_t* left;
  int32_t log2_side;  // log2 of a tile's side in voxels
  int32_t tiles_a_side;
  uint32_t* marks;
  VOX_HD void operator()(uint64_t i) const {
    const BoxRange tiles(shapes[left[i]], {0, 0, 0}, kLog2UnitsPerVoxel + log2_side);
    for (int32_t z = tiles.low.z < 0 ? 0 : tiles.low.z; z <= tiles.high.z && z < tiles_a_side; ++z)
      for (int32_t y = tiles.low.y < 0 ? 0 : tiles.low.y; y <= tiles.high.y && y < tiles_a_side; ++y) {
        const auto tile = static_cast<uint32_t>(z * tiles_a_side + y);
        device::atomic_or_relaxed(marks + tile / 32, 1u << tile % 32);
      }
  }
};

// Adds crossings left of the grid to the states of a tile's rows. They come from triangles that a clip box cuts
// off.
struct CrossLeftOfGrid {
  const TriangleShape* shapes;
  const uint32_t* left;
  RowTile tile;
  int32_t grid_end;  // in voxels
  RowState* rows;
  RowPlaces places;
  VOX_HD void operator()(uint64_t i) const {
    const TriangleShape& shape = shapes[left[i]];
    const Vec3<int64_t> normal = normal_of(shape);
    const BoxRange voxels(shape, {0, 0, 0}, kLog2UnitsPerVoxel);
    const int64_t sign = normal.x < 0 ? -1 : 1;
    const int32_t end_y = end(tile.begin_y, voxels.high.y), end_z = end(tile.begin_z, voxels.high.z);
    for (int32_t k = voxels.low.z < tile.begin_z ? tile.begin_z : voxels.low.z; k < end_z; ++k)
      for (int32_t j = voxels.low.y < tile.begin_y ? tile.begin_y : voxels.low.y; j < end_y; ++j) {
        const int32_t y = j * kUnitsPerVoxel + kUnitsPerVoxel / 2,
                      z = k * kUnitsPerVoxel + kUnitsPerVoxel / 2;
        if (!ray_meets(shape, sign, y, z) || behind_plane<__int128>(shape, normal, sign, 0, y, z) <= 0)
          continue;
        add_together(&rows[places.of(static_cast<uint32_t>(j / 4), static_cast<uint32_t>(k / 4))].windings,
                     crossing(uint64_t{1} << ((j & 3) + 4 * (k & 3)), sign));
      }
  }

 private:
  VOX_HD int32_t end(int32_t begin, int32_t high) const {
    const int32_t tile_end = begin + tile.side, last = high + 1;
    const int32_t inside = tile_end < grid_end ? tile_end : grid_end;
    return last < inside ? last : inside;
  }
};

struct CountInside {
  const RowState* rows;
  InsideRule rule;
  VOX_HD uint32_t operator()(uint64_t i) const {
    return static_cast<uint32_t>(popcount(rows[i].inside(rule)));
  }
};

// Counts as CountDisputed does, for rays at the grid's left end.
struct CountDisputedRows {
  const RowState* rows;
  RowPlaces places;
  uint32_t resolution;
  VOX_HD uint64_t operator()(uint64_t i) const {
    const uint32_t disputed = disputed_rays(rows[i].windings);
    if (disputed == 0) return 0;
    const uint32_t inside_grid =
        rays_below(resolution, places.first_y + static_cast<uint32_t>(i % places.a_side),
                   places.first_z + static_cast<uint32_t>(i / places.a_side));
    return static_cast<uint64_t>(popcount(disputed & inside_grid)) * resolution;
  }
};

// Copies the state of every row that is the lowest row of a row of chunk cells.
struct TakeRows {
  const RowState* rows;
  uint64_t rows_a_side;
  uint64_t taken_a_side;
  uint32_t log2_cells;  // a chunk cell has 2^log2_cells cells a side
  RowState* taken;
  VOX_HD void operator()(uint64_t i) const {
    taken[i] = rows[((i / taken_a_side) << log2_cells) * rows_a_side + ((i % taken_a_side) << log2_cells)];
  }
};

template <class Device>
class RowTiles {
 public:
  // A tile has about options.tile_side voxels a side. If it is 0, a small part of the memory sets the limit.
  RowTiles(Device& device, uint32_t resolution, uint32_t cell_side, const BuildOptions& options)
      : device_(device),
        resolution_(resolution),
        cell_side_(cell_side),
        rule_(options.inside),
        at_left_{.materials = options.interior.value_or(0) * uint64_t{0x1111111111111111}, .windings = 0} {
    uint32_t side = options.tile_side == 0 ? fitting_side() : options.tile_side;
    side = std::clamp(std::bit_floor(side), cell_side, std::max(cell_side, std::bit_ceil(resolution)));
    log2_side_ = static_cast<uint32_t>(std::countr_zero(side));
    tiles_a_side_ = ((resolution - 1) >> log2_side_) + 1;
    places_.a_side = (std::min(side, resolution) + dag::kLeafSide - 1) / dag::kLeafSide;
    rows_ = device.template make<RowState>(places_.a_side * places_.a_side);
  }

  // Computes the states at the grid's left end, from the triangles left of it. The triangles must outlive the tiles.
  void start(const TriangleShape* shapes, uint64_t count, SkippedTriangles skipped) {
    shapes_ = shapes;
    find_left(count, skipped);
    const uint64_t cells_a_side = (resolution_ + cell_side_ - 1) / cell_side_;
    left_rows_ = {std::vector<RowState>(cells_a_side * cells_a_side, at_left_), cells_a_side};
    for (uint32_t tile = 0; tile < tiles_a_side_ * tiles_a_side_; ++tile) {
      if (!is_marked(tile)) continue;
      load(tile);
      at_start_.open_rays += open_at_entry_;
      at_start_.disputed_voxels += device_.sum("count disputed rows", rows_.size(),
                                               CountDisputedRows{rows_.data(), places_, resolution_});
      take_left_rows();
    }
  }

  // Returns the counts of the whole grid at its left end.
  const SolidCounts& at_start() const { return at_start_; }
  // Returns the states of the rows of chunk cells at the left end of the grid.
  LeftRows take_left() { return std::move(left_rows_); }

  // Returns the number of the tile that holds a chunk cell.
  uint32_t tile_of(uint64_t chunk_cell) const {
    const Int3 cell = morton_decode(chunk_cell);
    const uint32_t shift = log2_side_ - static_cast<uint32_t>(std::countr_zero(cell_side_));
    return (static_cast<uint32_t>(cell.z) >> shift) * tiles_a_side_ +
           (static_cast<uint32_t>(cell.y) >> shift);
  }

  // Makes this tile the current one.
  void enter(uint32_t tile) {
    if (tile_ == tile) return;
    opened_ = opened();
    load(tile);
  }

  // Returns, for all rows built so far, the number of rays that are inside where their rows end, minus the number of
  // those that begin inside, modulo 2^64.
  uint64_t opened() { return tile_ ? opened_ + open_rays() - open_at_entry_ : opened_; }

  // Returns the states of the rows of the current tile.
  RowState* rows() { return rows_.data(); }
  const RowState* rows() const { return rows_.data(); }
  const RowPlaces& places() const { return places_; }

 private:
  // Returns the side with which states take at most a 32nd of the free memory.
  uint32_t fitting_side() const {
    const auto bytes = static_cast<double>(device_.pool().available()) / 32;
    return static_cast<uint32_t>(std::clamp(std::sqrt(bytes), 1.0, 1048576.0));
  }

  void find_left(uint64_t count, SkippedTriangles skipped) {
    const auto units = static_cast<int32_t>(resolution_) * kUnitsPerVoxel;
    auto numbers = device_.template make<uint32_t>(count);
    left_count_ = device_.select("triangles left of the grid", count, LiesLeftOfGrid{shapes_, skipped, units},
                                 numbers.data());
    marks_.assign((uint64_t{tiles_a_side_} * tiles_a_side_ + 31) / 32, 0);
    if (left_count_ == 0) return;
    left_ = device_.template make<uint32_t>(left_count_);
    device_.copy(left_.data(), numbers.data(), left_count_);
    auto marks = device::uploaded(device_, marks_);
    device_.for_each("mark tiles", left_count_,
                     MarkTiles{.shapes = shapes_,
                               .left = left_.data(),
                               .log2_side = static_cast<int32_t>(log2_side_),
                               .tiles_a_side = static_cast<int32_t>(tiles_a_side_),
                               .marks = marks.data()});
    device_.download(marks_.data(), marks.data(), marks_.size());
  }

  bool is_marked(uint32_t tile) const { return (marks_[tile / 32] >> tile % 32 & 1) != 0; }

  // Sets the states of a tile's rows to those at the grid's left end.
  void load(uint32_t tile) {
    tile_ = tile;
    open_at_entry_ = 0;
    const uint32_t y = tile % tiles_a_side_ << log2_side_, z = tile / tiles_a_side_ << log2_side_;
    places_.first_y = y / dag::kLeafSide;
    places_.first_z = z / dag::kLeafSide;
    device_.fill(rows_.data(), rows_.size(), at_left_);
    if (!is_marked(tile)) return;
    device_.for_each(
        "crossings left of the grid", left_count_,
        CrossLeftOfGrid{.shapes = shapes_,
                        .left = left_.data(),
                        .tile = {static_cast<int32_t>(y), static_cast<int32_t>(z), 1 << log2_side_},
                        .grid_end = static_cast<int32_t>(resolution_),
                        .rows = rows_.data(),
                        .places = places_});
    open_at_entry_ = open_rays();
  }

  uint64_t open_rays() {
    return device_.sum("count open rays", rows_.size(), CountInside{rows_.data(), rule_});
  }

  // Copies the states of the current tile's rows that belong into left_rows_.
  void take_left_rows() {
    const auto log2_cells = static_cast<uint32_t>(std::countr_zero(cell_side_ / dag::kLeafSide));
    const uint64_t a_side = (places_.a_side + (uint64_t{1} << log2_cells) - 1) >> log2_cells;
    auto taken = device_.template make<RowState>(a_side * a_side);
    device_.for_each("take rows", taken.size(),
                     TakeRows{.rows = rows_.data(),
                              .rows_a_side = places_.a_side,
                              .taken_a_side = a_side,
                              .log2_cells = log2_cells,
                              .taken = taken.data()});
    std::vector<RowState> states(taken.size());
    device_.download(states.data(), taken.data(), states.size());
    const uint64_t first_y = places_.first_y >> log2_cells, first_z = places_.first_z >> log2_cells;
    for (uint64_t z = 0; z < a_side && first_z + z < left_rows_.a_side; ++z)
      for (uint64_t y = 0; y < a_side && first_y + y < left_rows_.a_side; ++y)
        left_rows_.states[(first_z + z) * left_rows_.a_side + first_y + y] = states[z * a_side + y];
  }

  Device& device_;
  uint32_t resolution_, cell_side_;
  InsideRule rule_;
  RowState at_left_;                           // the state of rows without triangles left of the grid
  uint32_t log2_side_ = 0, tiles_a_side_ = 0;  // log2 of a tile's side in voxels; tiles along the grid's side
  const TriangleShape* shapes_ = nullptr;
  device::Buffer<uint32_t> left_;  // the numbers of triangles left of the grid
  uint64_t left_count_ = 0;
  std::vector<uint32_t> marks_;  // a bit for each tile that such triangles may cross
  device::Buffer<RowState> rows_;
  RowPlaces places_;
  std::optional<uint32_t> tile_;  // the current tile
  uint64_t open_at_entry_ = 0, opened_ = 0;
  SolidCounts at_start_;
  LeftRows left_rows_;
};

}  // namespace vox::voxelize
