// Volumes whose values a function computes, for tests that read no file.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "libvox/volume/volume.h"

namespace vox {

// Returns the bits of each voxel's value.
using BitsOf = std::function<uint32_t(Int3)>;

inline volume::Volume memory_volume(Int3 size, volume::ValueType type, const BitsOf& bits) {
  volume::VolumeInfo info;
  info.size = size;
  info.type = type;
  info.source = "memory";
  const uint32_t each = volume::value_bytes(type);
  return {info, [bits, each](const VoxelBox& box, std::byte* out) {
            for (int32_t z = box.min.z; z < box.max.z; ++z)
              for (int32_t y = box.min.y; y < box.max.y; ++y)
                for (int32_t x = box.min.x; x < box.max.x; ++x, out += each) {
                  const uint32_t value = bits({x, y, z});
                  std::memcpy(out, &value, each);
                }
          }};
}

inline std::vector<std::byte> all_values(const volume::Volume& volume) {
  std::vector<std::byte> values(volume.info.bytes());
  volume.read(volume.info.box(), values.data());
  return values;
}

}  // namespace vox
