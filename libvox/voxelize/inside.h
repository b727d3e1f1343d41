// The rays along x that decide what is inside (solid.h), and their state between surface cells.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/base/vec.h"
#include "libvox/voxelize/windings.h"

namespace vox::voxelize {

// The states of the 16 rays through a row of cells. Ray j + 4·k passes the voxels (·, j, k) of each cell.
struct RowState {
  uint64_t materials;    // 8 B, of the last surface voxel on each ray, 4 bits a ray
  RayWindings windings;  // 8 B

  VOX_HD uint32_t inside() const { return odd_rays(windings); }  // a bit for each ray
};
static_assert(sizeof(RowState) == 16);

// A row key holds z, y and x of a cell, with 18 bits each.
inline constexpr int kCellBits = 18;
VOX_HD inline uint64_t row_key(Int3 cell) {
  return (static_cast<uint64_t>(cell.z) << kCellBits | static_cast<uint32_t>(cell.y)) << kCellBits |
         static_cast<uint32_t>(cell.x);
}

// The states of the rays along their rows. The arrays are indexed by surface cell, in the order of row keys.
struct InsideRef {
  const uint64_t* keys;
  const RowState* before;  // the state where the rays enter each cell
  const RowState* after;   // the state where they leave it
  uint64_t count;
  const RowState* rows;  // for rows without a cell in `keys`, at y + z · rows_a_side
  uint64_t rows_a_side;
  uint32_t log2_rows = 0;  // 2^log2_rows rows along y and along z share a state in `rows`

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
    return rows[static_cast<uint64_t>(cell.z >> log2_rows) * rows_a_side +
                static_cast<uint64_t>(cell.y >> log2_rows)];
  }
};

}  // namespace vox::voxelize
