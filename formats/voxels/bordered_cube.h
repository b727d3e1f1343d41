// A cube of 64³ voxels of a scene together with the layer of voxels around it, for code that looks at the
// neighbours of every voxel. The voxels are available as bytes and as rows of bits along x.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/base/voxel_box.h"
#include "libvox/dag/frozen_dag.h"

namespace vox {

// Returns the lower corners, multiples of `side`, of the cubes that touch the region and in which the DAG has
// a node, in Morton order. `side` is a power of two, at least 4; a DAG with a smaller side has one cube.
std::vector<Int3> corners_of_cubes(const dag::FrozenDag& dag, const VoxelBox& region, uint32_t side);

class BorderedCube {
 public:
  static constexpr int32_t kSide = 64;

  BorderedCube();

  // Reads the voxels of the region; everything outside it counts as empty. The object is large, so a thread
  // keeps one and reads one cube after another into it.
  void read(const dag::FrozenDag& dag, const VoxelBox& region, Int3 corner);

  // Places are relative to the corner, from -1 to 64. The value is as in dag/dense_values.h: 0 is empty.
  uint8_t value(const Int3& at) const { return values_[place(at)]; }

  // Bit x of row() is set if the voxel (x, y, z) is filled. Bit x of the other two is set if the voxel before
  // it, or the one behind it, along x is filled.
  uint64_t row(int32_t y, int32_t z) const { return rows_[row_index(y, z)]; }
  uint64_t row_before(int32_t y, int32_t z) const {
    return row(y, z) << 1 | uint64_t{value({-1, y, z}) != 0};
  }
  uint64_t row_behind(int32_t y, int32_t z) const {
    return row(y, z) >> 1 | uint64_t{value({kSide, y, z}) != 0} << (kSide - 1);
  }

 private:
  static constexpr int32_t kRows = kSide + 2;
  static constexpr int32_t kBefore = 8;  // aligns eight voxels of the cube to a word
  static constexpr int32_t kStride = kBefore + kSide + 8;

  static size_t row_index(int32_t y, int32_t z) {
    return static_cast<size_t>(z + 1) * kRows + static_cast<size_t>(y + 1);
  }
  static size_t place(const Int3& at) {
    return row_index(at.y, at.z) * kStride + static_cast<size_t>(at.x + kBefore);
  }

  std::vector<uint8_t> values_, dense_;
  std::vector<uint64_t> rows_;
};

}  // namespace vox
