// Volumes whose voxels have several values, such as colours or times, of which one is read.
#pragma once

#include <cstdint>
#include <optional>

#include "formats/volume/volume_data.h"

namespace vox {

struct Channels {
  enum class Order {
    Interleaved,  // the values of a voxel follow one another
    Planar        // the voxels of a channel do
  };
  int64_t count = 1;
  Order order = Order::Interleaved;
};

// As volume_from_file(), of channel `wanted`, from 0 on; `info` is what the volume of one channel is. Throws
// Error where there are several and none is wanted, UsageError where one is and there is no such.
StoredVolume channel_from_file(const StoredInfo& info, const VolumeData& data, const Channels& channels,
                               std::optional<uint32_t> wanted);

}  // namespace vox
