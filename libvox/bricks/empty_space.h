// Finds the empty space of a volume, which rays pass over: EmptySpaceRef (volume_cast.h) explains what it holds.
#pragma once

#include <utility>

#include "libvox/base/geometry.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/bricks/volume_cast.h"
#include "libvox/device/pool.h"

namespace vox::bricks {

// A volume has at most this many cells, of 9 bytes each. If it would have more, its cells are larger.
inline constexpr uint64_t kMostEmptyCells = uint64_t{1} << 21;
inline constexpr uint32_t kMinEmptyCellLog2 = 3;
// Larger distances count as this one, which bounds the time that the search for them takes.
inline constexpr uint32_t kMostEmptyDistance = 15;

// Finds which parts of each cell are busy.
template <class T>
struct FindBusyParts {
  BricksRef bricks;
  EmptySpaceRef space;
  uint64_t* busy;  // [cells]

  VOX_HD void operator()(uint64_t i) const {
    const int32_t side = 1 << space.log2_cell, brick = static_cast<int32_t>(bricks.shape.side());
    const Int3 low = space.cell(i) * side, high = ends(low + Int3{side + 1, side + 1, side + 1}, bricks.size);
    uint64_t found = 0;
    Int3 at, next;
    for (at.z = low.z; at.z < high.z; at.z = next.z) {
      next.z = (at.z & -brick) + brick;
      for (at.y = low.y; at.y < high.y; at.y = next.y) {
        next.y = (at.y & -brick) + brick;
        for (at.x = low.x; at.x < high.x; at.x = next.x) {
          next.x = (at.x & -brick) + brick;
          found |= in_brick(low, at, ends(next, high));
        }
      }
    }
    busy[i] = found;
  }

 private:
  static constexpr int32_t kRow = 4;

  VOX_HD static Int3 ends(Int3 a, Int3 b) {
    return {a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
  }

  // Looks at the voxels of a box that lies in one brick, for the cell that begins at `cell`.
  VOX_HD uint64_t in_brick(Int3 cell, Int3 low, Int3 high) const {
    const BricksRef::Entry entry = bricks.entry(bricks.brick_of(low));
    uint64_t found = 0;
    BrickTypes::with(entry.type, [&]<class Type>() {
      if constexpr (!std::is_same_v<Type, EmptyBrick>) {
        const uint32_t* words = bricks.data[entry.type] + entry.place;
        for (Int3 at = low; at.z < high.z; ++at.z)
          for (at.y = low.y; at.y < high.y; ++at.y) {
            uint64_t row = 0;
            for (at.x = low.x; at.x < high.x; at.x += kRow) {
              T voxels[kRow];
              const int32_t count = high.x - at.x < kRow ? high.x - at.x : kRow;
              Type::template neighbours<T>(words, bricks.shape, bricks.inside(at),
                                           static_cast<uint32_t>(count), voxels);
              for (int32_t k = 0; k < count; ++k)
                if (voxels[k] != 0) row |= parts(at.x + k - cell.x);
            }
            if (row != 0) found |= box_of(row, parts(at.y - cell.y), parts(at.z - cell.z));
          }
      }
    });
    return found;
  }

  // Returns the set of the four parts along an axis whose samples touch the voxel at this place.
  VOX_HD uint64_t parts(int32_t voxel) const {
    const uint32_t log2_part = space.log2_part();
    const uint64_t own = uint64_t{1} << (voxel >> log2_part);
    return (own | ((voxel & ((1 << log2_part) - 1)) == 0 ? own >> 1 : 0)) & 0xf;
  }
  // Returns the set of the parts that are in these sets along all axes.
  VOX_HD static uint64_t box_of(uint64_t x, uint64_t y, uint64_t z) {
    uint64_t layer = 0, box = 0;
    for (uint32_t i = 0; i < 4; ++i) layer |= (y >> i & 1) != 0 ? x << 4 * i : 0;
    for (uint32_t i = 0; i < 4; ++i) box |= (z >> i & 1) != 0 ? layer << 16 * i : 0;
    return box;
  }
};

// Sets the distance of busy cells to 0, and that of all others to the largest one.
struct BeginDistances {
  const uint64_t* busy;
  uint8_t* distances;

  VOX_HD void operator()(uint64_t i) const {
    distances[i] = static_cast<uint8_t>(busy[i] != 0 ? 0 : kMostEmptyDistance);
  }
};

// Lowers each distance to that from the cells of its row along an axis. After all three axes it is the distance
// from the nearest busy cell.
struct SpreadDistances {
  EmptySpaceRef space;
  uint32_t axis;
  const uint8_t* from;
  uint8_t* to;

  VOX_HD void operator()(uint64_t i) const {
    const auto at = static_cast<uint32_t>(space.cell(i)[axis]),
               size = static_cast<uint32_t>(space.grid[axis]);
    const uint64_t step = space.index({axis == 0 ? 1 : 0, axis == 1 ? 1 : 0, axis == 2 ? 1 : 0});
    uint32_t least = from[i];
    for (uint32_t apart = 1; apart < least; ++apart) {
      if (at >= apart) least = lower(least, apart, from[i - apart * step]);
      if (at + apart < size) least = lower(least, apart, from[i + apart * step]);
    }
    to[i] = static_cast<uint8_t>(least);
  }

 private:
  VOX_HD static uint32_t lower(uint32_t least, uint32_t apart, uint32_t distance) {
    const uint32_t found = apart < distance ? distance : apart;
    return found < least ? found : least;
  }
};

// Owns the empty space of bricks in a device's memory.
template <class Device>
class EmptySpace {
 public:
  // Tests bound the number of cells further.
  EmptySpace(Device& device, const BricksRef& bricks, volume::ValueType type,
             uint64_t most_cells = kMostEmptyCells) {
    const auto cells_of = [&](uint32_t log2_cell) {
      return VoxelBox{{0, 0, 0}, brick_grid(bricks.size, log2_cell)}.voxels();
    };
    ref_.log2_cell = kMinEmptyCellLog2;
    while (cells_of(ref_.log2_cell) > most_cells) ++ref_.log2_cell;
    ref_.grid = brick_grid(bricks.size, ref_.log2_cell);
    const uint64_t cells = cells_of(ref_.log2_cell);
    busy_ = device.template make<uint64_t>(cells);
    distances_ = device.template make<uint8_t>(cells);
    auto from = device.template make<uint8_t>(cells);
    volume::with_word_type(type, [&]<class T>() {
      device.for_each("bricks: busy parts of cells", cells, FindBusyParts<T>{bricks, ref_, busy_.data()});
    });
    device.for_each("bricks: busy cells", cells, BeginDistances{busy_.data(), distances_.data()});
    for (uint32_t axis = 0; axis < 3; ++axis) {
      std::swap(distances_, from);
      device.for_each("bricks: distances of cells", cells,
                      SpreadDistances{ref_, axis, from.data(), distances_.data()});
    }
    ref_.busy = busy_.data();
    ref_.distances = distances_.data();
  }

  EmptySpaceRef ref() const { return ref_; }

 private:
  EmptySpaceRef ref_;
  device::Buffer<uint64_t> busy_;
  device::Buffer<uint8_t> distances_;
};

}  // namespace vox::bricks
