// Turns the coordinates of a voxel into the key of its cell.
//
// Morton codes suit callers that look at neighbours together, as filters and rays do, because neighbours then
// usually lie in one line of the table. Linear keys suit callers that go through the grid row by row.
#pragma once

#include <array>
#include <string_view>

#include "libvox/base/morton.h"

namespace vox::spatial {

enum class KeyLayout : uint32_t { Morton, Linear };

// The names of the layouts in options and files, in the order of the enumerators.
constexpr std::array<std::string_view, 2> kKeyLayoutNames = {"morton", "linear"};

// Converts between voxels and keys. The keys of a scene of resolution R, at most 2^20, have 60 bits.
struct VoxelKeys {
  KeyLayout layout = KeyLayout::Morton;
  uint32_t resolution = 0;

  VOX_HD uint64_t key(uint32_t x, uint32_t y, uint32_t z) const {
    if (layout == KeyLayout::Morton) return morton_encode(x, y, z);
    return x + resolution * (y + uint64_t{resolution} * z);
  }
  VOX_HD uint64_t key(Int3 voxel) const {
    return key(static_cast<uint32_t>(voxel.x), static_cast<uint32_t>(voxel.y),
               static_cast<uint32_t>(voxel.z));
  }
  // A key that belongs to no voxel of the grid gives a voxel outside the grid.
  VOX_HD Int3 voxel(uint64_t key) const {
    if (layout == KeyLayout::Morton) return morton_decode(key);
    const uint64_t row = key / resolution, plane = row / resolution;
    return {static_cast<int32_t>(key % resolution), static_cast<int32_t>(row % resolution),
            static_cast<int32_t>(plane < resolution ? plane : resolution)};
  }
  VOX_HD bool contains(Int3 voxel) const {
    const auto inside = [&](int32_t i) { return static_cast<uint32_t>(i) < resolution; };
    return inside(voxel.x) && inside(voxel.y) && inside(voxel.z);
  }
};

}  // namespace vox::spatial
