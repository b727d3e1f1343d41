// Builds some of a scene's chunk cells when several builders share the work. Each builder takes pieces until
// none is left, and keeps the nodes that it makes in its own store.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "libvox/dag/store.h"
#include "libvox/voxelize/build_scene.h"
#include "libvox/voxelize/cell_states.h"

namespace vox::voxelize {

// A piece is a range of chunk cells by their numbers. With options.solid it is a range of rows of chunk cells
// along x, because the inside of a row depends only on what lies to the left in the same row (chunk_cells.h).
struct Piece {
  size_t begin = 0, end = 0;
};

// Returns the next piece to build, or nothing when all pieces are taken. Cell or row i has the (chunk cell,
// triangle) pairs from pair_starts[i] to pair_starts[i + 1].
using CellSource = std::function<std::optional<Piece>(std::span<const uint32_t> pair_starts)>;

struct CellShare {
  CellSource next;
  uint32_t builders = 1;  // the number of builders that share the cells
};

// The data that is needed to fill the empty nodes above the chunk cells. It is set with options.solid only.
struct InsideOfCells {
  std::vector<CellState> states;  // of the cells that this builder has taken
  LeftRows left;                  // of the whole grid, on every builder
  std::vector<uint32_t> fills;  // the nodes on the cells' level that are filled as a whole, by slot (fills.h)
  SolidCounts at_start;         // of the whole grid, on every builder
};

// The nodes that a builder has made of its cells. The nodes of all builders of a scene are on the same level.
template <class Device>
struct BuiltCells {
  dag::DagStore<Device> store;
  uint32_t level = 0;              // the nodes' level in the DAG: the chunk cells' level, or the root's
  std::vector<uint64_t> codes;     // the nodes' Morton codes on this level; empty if there are no voxels
  std::vector<uint32_t> pointers;  // the nodes' pointers
  InsideOfCells inside = {};
  // The result for these cells. The levels of its DAG have counts, but no words. Its open_rays is the number
  // of open rays minus open_at_start, modulo 2^64.
  BuildResult result;
};

// Every builder is given the same scene. build_scene_*.{cpp,cu} compile this function for each device.
template <class Device>
BuiltCells<Device> build_cells(Device& device, const scene::Scene& scene, const scene::IndexedScene& indexed,
                               const Grid& grid, const BuildOptions& options,
                               const hash::TableOptions& tables, const CellShare& share);

}  // namespace vox::voxelize
