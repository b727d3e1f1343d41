// Volumes whose voxels have several values, such as colours or times. One of these channels is read as a
// volume.
#pragma once

#include <cstdint>
#include <optional>

#include "formats/volume/volume_data.h"

namespace vox {

struct Channels {
  enum class Order {
    Interleaved,  // the values of a voxel follow one another
    Planar        // the voxels of a channel follow one another
  };
  int64_t count = 1;
  Order order = Order::Interleaved;
};

// Opens channel `wanted`, counted from 0, in the way of volume_from_file(); `info` describes the volume of
// one channel. Throws Error if there are several channels and none is wanted, and UsageError if the wanted
// channel does not exist.
StoredVolume channel_from_file(const StoredInfo& info, const VolumeData& data, const Channels& channels,
                               std::optional<uint32_t> wanted);

}  // namespace vox
