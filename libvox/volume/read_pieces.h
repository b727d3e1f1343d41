// Reads all values of a volume, piece by piece.
#pragma once

#include <cstring>
#include <functional>

#include "libvox/volume/volume.h"

namespace vox::volume {

inline constexpr uint64_t kReadVoxels = 4 << 20;  // at a time; enough for all threads

// Calls f(box, values) for the pieces of a volume in their order (pieces.h). Throws Cancelled if the user
// interrupts the program.
void read_pieces(const Volume& volume, uint64_t most_voxels,
                 const std::function<void(const VoxelBox&, const std::byte*)>& f);

// bits_at() returns the bits and voxel_at() the place of the i-th voxel of a box, x fastest.
inline uint32_t bits_at(ValueType type, const std::byte* values, uint64_t i) {
  const uint32_t bytes = value_bytes(type);
  uint32_t bits = 0;
  std::memcpy(&bits, values + i * bytes, bytes);
  return bits;
}
inline Int3 voxel_at(const VoxelBox& box, uint64_t i) {
  const auto row = static_cast<uint64_t>(box.size().x), rows = static_cast<uint64_t>(box.size().y);
  return box.min + Int3{static_cast<int32_t>(i % row), static_cast<int32_t>(i / row % rows),
                        static_cast<int32_t>(i / row / rows)};
}

}  // namespace vox::volume
