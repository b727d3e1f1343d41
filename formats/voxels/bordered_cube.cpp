#include "formats/voxels/bordered_cube.h"

#include <algorithm>
#include <cstring>

#include "libvox/dag/node.h"
#include "libvox/dag/walk.h"

namespace vox {
namespace {

// Returns one bit for each byte, set if the byte is not 0.
uint64_t bits_of_row(const uint8_t* bytes) {
  uint64_t bits = 0;
  for (uint32_t x = 0; x < BorderedCube::kSide; x += 8) {
    uint64_t eight = 0;
    std::memcpy(&eight, bytes + x, sizeof(eight));
    // The function finds which of eight bytes are not 0; in a leaf's mask these bytes are octants.
    if (eight != 0) bits |= uint64_t{dag::filled_blocks(eight)} << x;
  }
  return bits;
}

}  // namespace

std::vector<Int3> corners_of_cubes(const dag::FrozenDag& dag, const VoxelBox& region, uint32_t side) {
  std::vector<Int3> corners;
  dag::for_each_node(dag, region, [&](uint32_t level, Int3 corner, const uint32_t*) {
    if (dag.level_side(level) > side) return true;
    corners.push_back(corner);
    return false;
  });
  return corners;
}

BorderedCube::BorderedCube() : values_(size_t{kRows} * kRows * kStride), rows_(size_t{kRows} * kRows) {}

void BorderedCube::read(const dag::FrozenDag& dag, const VoxelBox& region, Int3 corner) {
  const VoxelBox around = cube_at(corner - Int3{1, 1, 1}, kRows);
  const VoxelBox box = intersection(around, region);
  if (box != around) {
    std::fill(values_.begin(), values_.end(), uint8_t{0});
    std::fill(rows_.begin(), rows_.end(), 0);
  }
  if (box.empty()) return;
  dense_.resize(box.voxels());
  dag::write_dense(dag, box, dense_.data());
  const auto length = static_cast<size_t>(box.size().x);
  const uint8_t* from = dense_.data();
  for (int32_t z = box.min.z; z < box.max.z; ++z)
    for (int32_t y = box.min.y; y < box.max.y; ++y, from += length) {
      const Int3 at = Int3{box.min.x, y, z} - corner;
      std::memcpy(&values_[place(at)], from, length);
      rows_[row_index(at.y, at.z)] = bits_of_row(&values_[place({0, at.y, at.z})]);
    }
}

}  // namespace vox
