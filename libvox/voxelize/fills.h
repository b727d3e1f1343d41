// Fills: the nodes with which --solid fills empty space. They are full of one material, either whole or cut
// by the grid's end.
#pragma once

#include <array>
#include <vector>

#include "libvox/dag/frozen_dag.h"
#include "libvox/device/runs.h"
#include "libvox/scene/palette.h"
#include "libvox/voxelize/build_cells.h"
#include "libvox/voxelize/descend.h"

namespace vox::voxelize {

// The grid's end can cut a cube of the octree in eight ways: bit a is set if the cube reaches beyond R along
// axis a. All cubes of one level that do so are cut at the same place.
inline constexpr uint32_t kCuts = 8;

// Each level has a fill for each material and each cut, at the index that fill_slot() returns.
inline constexpr uint32_t kFillsPerLevel = scene::kPaletteSize * kCuts;
VOX_HD inline uint32_t fill_slot(uint32_t material, uint32_t cuts) {
  return material * kCuts + cuts;
}

// Computes what is left of cubes that the end of a grid with `resolution` voxels cuts.
struct GridEnd {
  uint32_t resolution;

  uint32_t cut_extent(uint32_t side) const { return resolution % side; }
  // Returns the number of voxels along an axis in a cube of this side.
  uint32_t extent(uint32_t side, uint32_t cuts, uint32_t axis) const {
    return (cuts >> axis & 1) != 0 ? cut_extent(side) : side;
  }
  // True if there are cubes of this side with these cuts.
  bool cuts_cubes(uint32_t side, uint32_t cuts) const { return cuts == 0 || cut_extent(side) != 0; }

  // Calls part(octant, cuts) for each child of such a cube that has voxels.
  template <class Part>
  void each_part(uint32_t side, uint32_t cuts, const Part& part) const {
    const uint32_t half = side / 2;
    for (uint32_t octant = 0; octant < 8; ++octant) {
      const Int3 corner = octant_corner(octant, static_cast<int32_t>(half));
      uint32_t part_cuts = 0;
      bool is_absent = false;
      for (uint32_t axis = 0; axis < 3; ++axis) {
        const auto begin = static_cast<uint32_t>(corner[axis]), end = extent(side, cuts, axis);
        is_absent |= end <= begin;
        part_cuts |= static_cast<uint32_t>(end < begin + half) << axis;
      }
      if (!is_absent) part(octant, part_cuts);
    }
  }

  // Adds the voxels and nodes of `count` fills to the counts of a DAG. `height` is the fills' height above
  // the leaves.
  void add_counts(dag::FrozenDag& dag, uint32_t height, uint32_t cuts, uint64_t count) const {
    const uint32_t side = dag::kLeafSide << height;
    std::array<uint64_t, 3> extents;
    for (uint32_t axis = 0; axis < 3; ++axis) extents[axis] = extent(side, cuts, axis);
    dag.voxels += count * extents[0] * extents[1] * extents[2];
    for (uint32_t below = 0; below <= height; ++below) {
      uint64_t nodes = count;
      for (uint64_t length : extents)
        nodes *= (length + (dag::kLeafSide << below) - 1) / (dag::kLeafSide << below);
      dag.levels[dag.depth() - below].svo_nodes += nodes;
    }
  }
};

// Finds the absent children of a node that are inside. Byte o of the result describes octant o: bit 7 is set
// if it is filled, bits 0–6 are the slot of its fill.
template <class Key>
struct FindFills {
  device::CellsRef parents;
  const Key* child_keys;
  CellFrame frame;   // the children's frame
  int32_t grid_end;  // in units
  InsideRef inside;
  uint64_t* fills;
  VOX_HD void operator()(uint64_t i) const {
    const Key parent = child_keys[parents.begin(i)] >> 3;
    uint32_t present = 0;
    for (uint64_t c = parents.begin(i); c < parents.end(i); ++c) present |= 1u << (child_keys[c] & 7);
    uint64_t result = 0;
    for (uint32_t octant = 0; octant < 8; ++octant)
      if ((present >> octant & 1) == 0)
        result |= static_cast<uint64_t>(fill_of(static_cast<Key>(parent << 3 | octant))) << 8 * octant;
    fills[i] = result;
  }

 private:
  VOX_HD uint32_t fill_of(Key key) const {
    const Int3 corner = frame.corner(key);
    if (corner.x >= grid_end || corner.y >= grid_end || corner.z >= grid_end) return 0;
    constexpr int kLog2Cell = kLog2UnitsPerVoxel + static_cast<int>(dag::kLeafLog2);
    const RowState state = inside.at({corner.x >> kLog2Cell, corner.y >> kLog2Cell, corner.z >> kLog2Cell});
    if ((state.inside(inside.rule) & 1) == 0) return 0;
    const int64_t side = int64_t{1} << frame.log2_side;
    const uint32_t cuts = static_cast<uint32_t>(corner.x + side > grid_end) |
                          static_cast<uint32_t>(corner.y + side > grid_end) << 1 |
                          static_cast<uint32_t>(corner.z + side > grid_end) << 2;
    return 0x80 | fill_slot(static_cast<uint32_t>(state.materials & 15), cuts);
  }
};

struct CountFills {
  const uint64_t* fills;
  VOX_HD uint32_t operator()(uint64_t i) const {
    return static_cast<uint32_t>(popcount(fills[i] & uint64_t{0x8080808080808080}));
  }
};

struct CountFillsCut {
  const uint64_t* fills;
  uint32_t cuts;
  VOX_HD uint32_t operator()(uint64_t i) const {
    uint32_t count = 0;
    for (uint64_t rest = fills[i]; rest != 0; rest >>= 8) count += (rest & 0x87) == (0x80 | cuts);
    return count;
  }
};

template <class Key>
struct EmitFills {
  device::CellsRef parents;
  const Key* child_keys;
  const uint64_t* fills;
  const uint32_t* first;
  const uint32_t* table;  // the pointers of this level's fills, by slot
  Key* keys;
  uint32_t* pointers;
  VOX_HD void operator()(uint64_t i) const {
    const Key parent = child_keys[parents.begin(i)] >> 3;
    uint32_t to = first[i];
    for (uint32_t octant = 0; octant < 8; ++octant) {
      const uint32_t fill = fills[i] >> 8 * octant & 0xff;
      if (fill == 0) continue;
      keys[to] = static_cast<Key>(parent << 3 | octant);
      pointers[to] = table[fill & 0x7f];
      ++to;
    }
  }
};

}  // namespace vox::voxelize
