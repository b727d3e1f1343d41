// Finds the empty space of a volume, which rays skip. EmptySpaceRef (volume_cast.h) explains the data.
#pragma once

#include <array>
#include <optional>
#include <utility>

#include "libvox/base/geometry.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/bricks/volume_cast.h"
#include "libvox/device/pool.h"

namespace vox::bricks {

// The most cells of a volume, with 4 bytes each, and the most busy cells, with 64 bytes more each. If a volume
// would have more, its cells are made larger.
inline constexpr uint64_t kMostEmptyCells = uint64_t{1} << 21, kMostBusyCells = uint64_t{1} << 18;
// Larger distances count as this one, which bounds the time that the search for them takes.
inline constexpr uint32_t kMostEmptyDistance = 15;
static_assert(kMostEmptyDistance < EmptySpaceRef::kFirstBusy);

// Looks at the voxels on which the samples of a cell depend.
template <class Root, class T>
struct CellVoxels {
  Root bricks;
  EmptySpaceRef space;
  SampleReach reach;

  VOX_HD Int3 lowest(uint64_t cell) const { return space.cell(cell) * (1 << space.log2_cell()); }

  // Calls see(at, filled) for rows of voxels along x that begin at `at`, until it returns false. `filled` has a bit
  // for each filled voxel. Rows without filled voxels are skipped. Returns true if all calls returned true.
  template <class See>
  VOX_HD bool each_row(uint64_t cell, See see) const {
    const int32_t brick = static_cast<int32_t>(bricks.shape.side());
    const int32_t side = (1 << space.log2_cell()) + (reach == SampleReach::Cell ? 1 : 0);
    const Int3 low = lowest(cell), high = ends(low + Int3{side, side, side}, bricks.size);
    Int3 at, next;
    for (at.z = low.z; at.z < high.z; at.z = next.z) {
      next.z = (at.z & -brick) + brick;
      for (at.y = low.y; at.y < high.y; at.y = next.y) {
        next.y = (at.y & -brick) + brick;
        for (at.x = low.x; at.x < high.x; at.x = next.x) {
          next.x = (at.x & -brick) + brick;
          const auto [entry, empty_log2] = bricks.look(bricks.place_of(at));
          if (entry.is_empty()) {
            const int32_t group = brick << empty_log2;
            next.x = (at.x & -group) + group;
          } else if (!in_brick(entry, at, ends(next, high), see)) {
            return false;
          }
        }
      }
    }
    return true;
  }

 private:
  static constexpr int32_t kRow = 8;

  // True if bricks are not read: there are many, and each lies in one part of a cell. All voxels of such a brick count
  // as filled if it is not empty. Looking at its first voxel is enough, since all lie in the same part.
  VOX_HD bool counts_whole_bricks() const {
    return Root::kIsSparse && space.log2_part >= bricks.shape.log2_side;
  }

  VOX_HD static Int3 ends(Int3 a, Int3 b) {
    return {a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
  }

  // Does the same for a box that lies in one brick, which is not empty.
  template <class See>
  VOX_HD bool in_brick(BricksRef::Entry entry, Int3 low, Int3 high, See& see) const {
    if (counts_whole_bricks()) return see(low, uint32_t{1});
    bool goes_on = true;
    BrickTypes::with(entry.type, [&]<class Type>() {
      if constexpr (!std::is_same_v<Type, EmptyBrick>) {
        const uint32_t* words = bricks.data[entry.type] + entry.place;
        for (Int3 at = low; at.z < high.z; ++at.z)
          for (at.y = low.y; at.y < high.y; ++at.y)
            for (at.x = low.x; at.x < high.x && goes_on; at.x += kRow) {
              T voxels[kRow];
              const int32_t count = high.x - at.x < kRow ? high.x - at.x : kRow;
              Type::template neighbors<T>(words, bricks.shape, bricks.inside(at),
                                          static_cast<uint32_t>(count), voxels);
              uint32_t filled = 0;
              for (int32_t k = 0; k < count; ++k) filled |= (voxels[k] != 0 ? 1u : 0u) << k;
              if (filled != 0) goes_on = see(at, filled);
            }
      }
    });
    return goes_on;
  }
};

// Sets the distance of busy cells to 0, and that of all others to the largest one.
template <class Root, class T>
struct FindBusyCells {
  CellVoxels<Root, T> voxels;
  uint8_t* distances;  // [cells]

  VOX_HD void operator()(uint64_t i) const {
    const bool is_empty = voxels.each_row(i, [](Int3, uint32_t) { return false; });
    distances[i] = static_cast<uint8_t>(is_empty ? kMostEmptyDistance : 0);
  }
};

// Finds which parts of each busy cell are busy.
template <class Root, class T>
struct FindBusyParts {
  CellVoxels<Root, T> voxels;
  const uint32_t* cells;
  uint64_t* busy;

  VOX_HD void operator()(uint64_t i) const {
    if (cells[i] < EmptySpaceRef::kFirstBusy) return;
    const Int3 low = voxels.lowest(i);
    uint64_t blocks[8] = {};
    voxels.each_row(i, [&](Int3 at, uint32_t filled) {
      uint32_t x = 0;
      for (; filled != 0; filled &= filled - 1) x |= parts(at.x - low.x + lowest_bit(filled));
      const uint32_t y = parts(at.y - low.y), z = parts(at.z - low.z);
      for (uint32_t row = 0; row < 64; ++row) {
        const uint32_t py = row & 7, pz = row >> 3;
        if ((y >> py & 1) == 0 || (z >> pz & 1) == 0) continue;
        const uint32_t block = (py >> 2) << 1 | (pz >> 2) << 2, bit = (py & 3) << 2 | (pz & 3) << 4;
        blocks[block] |= uint64_t{x & 0xf} << bit;
        blocks[block | 1] |= uint64_t{x >> 4} << bit;
      }
      return true;
    });
    for (uint32_t block = 0; block < 8; ++block)
      busy[8 * uint64_t{cells[i] - EmptySpaceRef::kFirstBusy} + block] = blocks[block];
  }

 private:
  // Returns the set of the eight parts along an axis with samples that depend on the voxel at this place.
  VOX_HD uint32_t parts(int32_t voxel) const {
    const EmptySpaceRef& space = voxels.space;
    const uint32_t own = 1u << (voxel >> space.log2_part);
    const bool is_first = (voxel & ((1 << space.log2_part) - 1)) == 0;
    return (own | (is_first && voxels.reach == SampleReach::Cell ? own >> 1 : 0)) & 0xff;
  }
};

// Lowers each cell's distance to what follows from the cells of its row along an axis. After all three axes it
// is the distance to the nearest busy cell.
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

struct IsBusy {
  const uint8_t* distances;

  VOX_HD uint32_t operator()(uint64_t i) const { return distances[i] == 0 ? 1 : 0; }
};

// Turns distances into the words of EmptySpaceRef::cells, which count the busy cells before each cell.
struct SetCells {
  const uint8_t* distances;
  uint32_t* cells;

  VOX_HD void operator()(uint64_t i) const {
    cells[i] = distances[i] == 0 ? EmptySpaceRef::kFirstBusy + cells[i] : distances[i];
  }
};

// The owner of the empty space of bricks in a device's memory.
template <class Device>
class EmptySpace {
 public:
  // Tests set smaller limits for the numbers of cells.
  EmptySpace(Device& device, const BricksRef& bricks, volume::ValueType type, SampleReach reach,
             uint64_t most_cells = kMostEmptyCells, uint64_t most_busy = kMostBusyCells) {
    const auto last = [](int32_t side) { return static_cast<float>(side - 1); };
    ref_.highest = {last(bricks.size.x), last(bricks.size.y), last(bricks.size.z)};
    ref_.middle = reach == SampleReach::Cell ? 0.5f : 0.0f;
    const auto cells_of = [&] {
      ref_.grid = brick_grid(bricks.size, ref_.log2_cell());
      return VoxelBox{{0, 0, 0}, ref_.grid}.voxels();
    };
    volume::with_word_type(type, [&]<class T>() {
      with_root(bricks, [&]<class Root>(const Root& root) {
        while (cells_of() > most_cells || find<T>(device, root, reach) > most_busy) ++ref_.log2_part;
        device.for_each("bricks: busy parts of cells", cells_of(),
                        FindBusyParts<Root, T>{{root, ref_, reach}, cells_.data(), busy_.data()});
      });
    });
  }

  EmptySpaceRef ref() const { return ref_; }

 private:
  // Finds the cells. Returns how many are busy.
  template <class T, class Root>
  uint64_t find(Device& device, const Root& bricks, SampleReach reach) {
    const uint64_t cells = VoxelBox{{0, 0, 0}, ref_.grid}.voxels();
    cells_ = device.template make<uint32_t>(cells + 1);
    auto distances = device.template make<uint8_t>(cells), from = device.template make<uint8_t>(cells);
    device.for_each("bricks: busy cells", cells,
                    FindBusyCells<Root, T>{{bricks, ref_, reach}, distances.data()});
    const uint64_t busy = device.exclusive_scan("bricks: busy cells before cells", cells,
                                                IsBusy{distances.data()}, cells_.data());
    for (uint32_t axis = 0; axis < 3; ++axis) {
      std::swap(distances, from);
      device.for_each("bricks: distances of cells", cells,
                      SpreadDistances{ref_, axis, from.data(), distances.data()});
    }
    device.for_each("bricks: cells", cells, SetCells{distances.data(), cells_.data()});
    busy_ = device.template make<uint64_t>(8 * busy);
    ref_.cells = cells_.data();
    ref_.busy = busy_.data();
    return busy;
  }

  EmptySpaceRef ref_;
  device::Buffer<uint32_t> cells_;
  device::Buffer<uint64_t> busy_;
};

// The empty space of bricks for both kinds of samples. Each is found when it is first needed.
template <class Device>
class EmptySpaces {
 public:
  EmptySpaces(Device& device, const BricksRef& bricks, volume::ValueType type)
      : device_(device), bricks_(bricks), type_(type) {}

  EmptySpaceRef of(SampleReach reach) {
    std::optional<EmptySpace<Device>>& space = spaces_[static_cast<size_t>(reach)];
    if (!space) space.emplace(device_, bricks_, type_, reach);
    return space->ref();
  }

 private:
  Device& device_;
  BricksRef bricks_;
  volume::ValueType type_;
  std::array<std::optional<EmptySpace<Device>>, 2> spaces_;
};

}  // namespace vox::bricks
