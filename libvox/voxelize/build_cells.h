// Builds some of a scene's chunk cells, so that several builders can share the work. Each builder takes
// pieces until none is left, and keeps the nodes that it makes in its own store.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "libvox/base/hd.h"
#include "libvox/base/vec.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/store.h"
#include "libvox/dag/walk.h"
#include "libvox/device/atomics.h"
#include "libvox/voxelize/build_scene.h"
#include "libvox/voxelize/lattice.h"

namespace vox::voxelize {

// Winding numbers of up to 64 rays or voxels at once, modulo 16: how often a ray has entered surfaces, less how often
// it has left them. If the number is odd, the parity rule says inside. If it is even but not 0, surfaces overlap or
// face both ways, and parity says outside.
//
// Bit i of word k is bit k of the i-th number, so that a sum takes as many steps as a number has bits:
//
//   number      0   1  -1   2
//   bits[0]     0   1   1   0    odd
//   bits[1]     0   0   1   1
//   bits[2]     0   0   1   0
//   bits[3]     0   0   1   0
struct Windings {
  static constexpr int kBits = 4;
  uint64_t bits[kBits] = {};  // 32 B

  VOX_HD uint64_t inside(InsideRule rule) const {
    return rule == InsideRule::Parity ? bits[0] : bits[0] | bits[1] | bits[2] | bits[3];
  }
  VOX_HD uint64_t even_but_not_0() const { return ~bits[0] & (bits[1] | bits[2] | bits[3]); }
  VOX_HD friend Windings operator+(const Windings& a, const Windings& b) {
    Windings sum;
    uint64_t carry = 0;
    for (int k = 0; k < kBits; ++k) {
      const uint64_t differ = a.bits[k] ^ b.bits[k];
      sum.bits[k] = differ ^ carry;
      carry = (a.bits[k] & b.bits[k]) | (differ & carry);
    }
    return sum;
  }
};
static_assert(sizeof(Windings) == 32);

// Returns a crossing at each of these places: 1 if the surface's normal points left, so that the ray enters, else -1.
VOX_HD inline Windings crossing(uint64_t places, int64_t normal_sign) {
  const uint64_t upper = normal_sign < 0 ? 0 : places;
  return {{places, upper, upper, upper}};
}

// The winding numbers of the 16 rays of a row of cells in one word: bits[k] begins at bit 16 k.
using RayWindings = uint64_t;

VOX_HD inline RayWindings packed(const Windings& rays) {
  return rays.bits[0] | rays.bits[1] << 16 | rays.bits[2] << 32 | rays.bits[3] << 48;
}

VOX_HD inline Windings unpacked(RayWindings rays) {
  return {{rays & 0xffff, rays >> 16 & 0xffff, rays >> 32 & 0xffff, rays >> 48}};
}

VOX_HD inline uint32_t disputed_rays(RayWindings rays) {
  return static_cast<uint32_t>(unpacked(rays).even_but_not_0() & 0xffff);
}

// Returns for each voxel of a cell, in row order, the number of its ray where the ray enters the cell.
VOX_HD inline Windings along_rays(RayWindings rays) {
  Windings voxels;
  for (int k = 0; k < Windings::kBits; ++k)
    voxels.bits[k] = lattice::bits_to_nibbles(rays >> 16 * k & 0xffff);
  return voxels;
}

// Adds to the numbers of rays atomically, since other threads add to them at the same time.
VOX_HD inline void add_together(RayWindings* rays, const Windings& crossed) {
  RayWindings seen = device::atomic_load_relaxed(rays);
  for (RayWindings expected = ~seen; expected != seen;) {
    expected = seen;
    seen = device::atomic_exchange_if_relaxed(rays, expected, packed(unpacked(expected) + crossed));
  }
}

// These structs hold the states, between surface cells, of the rays along x that decide what is inside (solid.h).

// The states of the 16 rays through a row of cells. Ray j + 4·k passes the voxels (·, j, k) of each cell.
struct RowState {
  uint64_t materials;    // 8 B, the material of the last surface voxel on each ray, 4 bits a ray
  RayWindings windings;  // 8 B

  // Returns a bit for each ray, set if the ray is inside.
  VOX_HD uint32_t inside(InsideRule rule) const {
    return static_cast<uint32_t>(unpacked(windings).inside(rule));
  }
};
static_assert(sizeof(RowState) == 16);

// A row key holds z, y and x of a cell, with 18 bits each.
inline constexpr int kCellBits = 18;
VOX_HD inline uint64_t row_key(Int3 cell) {
  return (static_cast<uint64_t>(cell.z) << kCellBits | static_cast<uint32_t>(cell.y)) << kCellBits |
         static_cast<uint32_t>(cell.x);
}

// Finds each row's state in an array that holds the states of a square of rows.
struct RowPlaces {
  uint64_t a_side = 0;                // states along y
  uint32_t first_y = 0, first_z = 0;  // the square's first row
  uint32_t log2_rows = 0;             // 2^log2_rows rows along y and along z share a state

  VOX_HD uint64_t of(uint32_t y, uint32_t z) const {
    return static_cast<uint64_t>((z - first_z) >> log2_rows) * a_side + ((y - first_y) >> log2_rows);
  }
  VOX_HD uint64_t of_key(uint64_t row_key) const {
    constexpr uint64_t kMask = (uint64_t{1} << kCellBits) - 1;
    return of(static_cast<uint32_t>(row_key >> kCellBits & kMask),
              static_cast<uint32_t>(row_key >> 2 * kCellBits));
  }
};

// The states of the rays along their rows. The arrays are indexed by surface cell, in the order of row keys.
struct InsideRef {
  const uint64_t* keys;
  const RowState* before;  // the state where the rays enter each cell
  const RowState* after;   // the state where they leave it
  uint64_t count;
  const RowState* rows;  // the states of rows without a cell in `keys`
  RowPlaces places;      // the places of the states in `rows`
  InsideRule rule;

  // Returns the state of the rays where they enter a cell without surface.
  VOX_HD RowState at(Int3 cell) const {
    const uint64_t key = row_key(cell);
    uint64_t low = 0, high = count;
    while (low < high) {
      const uint64_t middle = (low + high) / 2;
      if (keys[middle] < key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low > 0 && keys[low - 1] >> kCellBits == key >> kCellBits) return after[low - 1];
    if (low < count && keys[low] >> kCellBits == key >> kCellBits) return before[low];
    return rows[places.of(static_cast<uint32_t>(cell.y), static_cast<uint32_t>(cell.z))];
  }
};

// The states of the rays of --solid at a chunk cell. They decide what the empty nodes above the chunk cells
// hold: such a node is inside if the ray through its lowest corner is, and takes that ray's material. So the
// lowest row of each chunk cell is enough.
struct CellState {
  uint64_t code;     // 8 B, the Morton code of the chunk cell
  RowState entered;  // 16 B, the state at the cell's left face
  RowState left;     // 16 B, the state at the cell's right face
};
static_assert(sizeof(CellState) == 40);

// The states at the grid's left end. The row of chunk cells at (y, z) has the state with the index
// y + z · a_side.
struct LeftRows {
  std::vector<RowState> states;
  uint64_t a_side = 0;
};

// The arrays of an InsideRef in host memory. They have one cell for each chunk cell: the lowest cell in it.
struct CellStates {
  std::vector<uint64_t> keys;
  std::vector<RowState> before, after;
  LeftRows rows;
  uint32_t log2_cells = 0;

  InsideRef ref(InsideRule rule) const {
    return {keys.data(), before.data(),      after.data(),
            keys.size(), rows.states.data(), {.a_side = rows.a_side, .log2_rows = log2_cells},
            rule};
  }
};

// Sorts the states into the arrays of an InsideRef. A chunk cell has 2^log2_cells cells a side.
CellStates arrange_states(std::vector<CellState> states, LeftRows rows, uint32_t log2_cells);

// A piece is a range of chunk cells by their numbers. With options.solid it is a range of rows of chunk cells
// along x, because the inside of a row depends only on what lies to the left in the same row (descend.h).
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

// The data for filling the empty nodes above the chunk cells. It is set only with options.solid.
struct InsideOfCells {
  std::vector<CellState> states;  // the states at the cells that this builder took
  LeftRows left;                  // for the whole grid; every builder has the same
  std::vector<uint32_t> fills;    // the pointers of the fills on the chunk cells' level, by slot (fills.h)
  SolidCounts at_start;           // for the whole grid; every builder has the same
};

// The nodes that a builder has made from its cells. The nodes of all builders of a scene are on the same level.
template <class Device>
struct BuiltCells {
  dag::DagStore<Device> store;
  uint32_t level = 0;              // the nodes' level in the DAG: the chunk cells' level, or the root's
  std::vector<uint64_t> codes;     // the nodes' Morton codes on this level; empty if there are no voxels
  std::vector<uint32_t> pointers;  // the nodes' pointers
  InsideOfCells inside = {};
  // The result for these cells. The levels of its DAG have counts, but no words. Its open_rays is the number
  // of open rays minus inside.at_start.open_rays, modulo 2^64.
  BuildResult result;
};

// All builders get the same scene.
template <class Device>
BuiltCells<Device> build_cells(Device& device, const scene::Scene& scene, const scene::IndexedScene& indexed,
                               const Grid& grid, const BuildOptions& options,
                               const hash::TableOptions& tables, const CellShare& share);

// TopOfCells and TopFills fill empty space above the chunk cells for --solid if the cells were built in
// parts: by several ranks, or in several rounds. The host then makes the levels above the cells
// (dag/walk.h).

// The data of the chunk cells of all parts.
struct TopOfCells {
  std::vector<dag::TopNode> nodes;
  // With options.solid: the fills of the cells' level, with slots as codes (fills.h), and the states of
  // the rays at the cells.
  std::vector<dag::TopNode> fills;
  std::vector<CellState> states;
  LeftRows left;

  // Adds a node of a part. If its code is that of a fill, the node is added to the fills.
  void add(dag::TopNode node);

  // Takes the data that is the same for all parts from the first part that has it, and adds the fills to that
  // part's nodes. Returns the counts at the grid's left end, or zeros if it took nothing.
  template <class Device>
  SolidCounts take_common(BuiltCells<Device>& built);

  // The codes of fills among a part's nodes begin here. No cell has such a code.
  static constexpr uint64_t kFillCodes = uint64_t{1} << 63;
};

template <class Device>
SolidCounts TopOfCells::take_common(BuiltCells<Device>& built) {
  if (!left.states.empty() || built.inside.left.states.empty()) return {};
  left = std::move(built.inside.left);
  // If the only cell is the root, nothing is above it.
  const std::vector<uint32_t>& fills_of_level = built.inside.fills;
  for (uint32_t slot = 0; built.level > 0 && slot < fills_of_level.size(); ++slot) {
    if (fills_of_level[slot] == hash::kNullPointer) continue;
    built.codes.push_back(kFillCodes | slot);
    built.pointers.push_back(fills_of_level[slot]);
  }
  return built.inside.at_start;
}

// Fills level after level, from the cells' own level up.
class TopFills {
 public:
  // A chunk cell has 2^log2_cells leaves a side.
  TopFills(TopOfCells top, uint32_t log2_cells, uint32_t resolution, InsideRule rule);

  // Adds to `nodes` the absent siblings that are inside, and adds their voxels and nodes to the counts of
  // `dag`. The nodes are in Morton order; `height` is their height above the leaves.
  void add_to(std::vector<dag::TopNode>& nodes, uint32_t height, dag::FrozenDag& dag) const;

  // Returns the children of all fills of the next level up. Slots stand for their parents' codes. Returns
  // nothing if the next level is the root's, because the root is no fill.
  std::vector<dag::TopNode> parts_above(uint32_t height) const;
  // Goes up to that level. `fills` are its fills, with their ids.
  void go_up(std::vector<dag::TopNode> fills) { fills_ = std::move(fills); }

 private:
  const dag::TopNode* find(uint64_t slot) const;  // nullptr if there is no such fill

  std::vector<dag::TopNode> fills_;  // in the order of their slots
  CellStates states_;
  uint32_t resolution_;
  InsideRule rule_;
};

}  // namespace vox::voxelize
