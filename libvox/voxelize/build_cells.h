// Builds some of a scene's chunk cells, where several builders share them out: each takes pieces until none
// is left, and what it has made of them stays in its own store.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "libvox/dag/store.h"
#include "libvox/voxelize/build_scene.h"
#include "libvox/voxelize/cell_states.h"

namespace vox::voxelize {

// Chunk cells by their numbers, or with options.solid rows of them along x: what is inside is known from what stands to
// the left in the same row, and from nothing else (chunk_cells.h).
struct Piece {
  size_t begin = 0, end = 0;
};

// Gives the next piece to build, or none when all are taken. The (chunk cell, triangle) pairs of cell or row i are those
// from pair_starts[i] to pair_starts[i + 1].
using CellSource = std::function<std::optional<Piece>(std::span<const uint32_t> pair_starts)>;

struct CellShare {
  CellSource next;
  uint32_t builders = 1;  // among which the cells are shared out
};

// With options.solid, what is needed to fill the empty nodes above the chunk cells.
struct InsideOfCells {
  std::vector<CellState> states;  // of the cells that this builder has taken
  LeftRows left;                  // of the whole grid, on every builder
  std::vector<uint32_t> fills;  // the nodes on the cells' level that are filled as a whole, by slot (fills.h)
  SolidCounts at_start;         // of the whole grid, on every builder
};

// The nodes that a builder has made of its cells. All of one scene have the same level.
template <class Device>
struct BuiltCells {
  dag::DagStore<Device> store;
  uint32_t level = 0;              // of the DAG, on which these nodes stand: the chunk cells', or the root's
  std::vector<uint64_t> codes;     // Morton codes on this level; nothing without voxels
  std::vector<uint32_t> pointers;  // their nodes
  InsideOfCells inside = {};
  // Of these cells; the levels of its DAG have counts, and no words. Of the solid counts only what is beyond those at
  // the start, modulo 2^64.
  BuildResult result;
};

// Every builder is given the same scene. Compiled for each device in build_scene_*.
template <class Device>
BuiltCells<Device> build_cells(Device& device, const scene::Scene& scene, const scene::IndexedScene& indexed,
                               const Grid& grid, const BuildOptions& options,
                               const hash::TableOptions& tables, const CellShare& share);

}  // namespace vox::voxelize
