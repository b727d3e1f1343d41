// Bricks in the memory of a device.
#pragma once

#include <array>

#include "libvox/bricks/frozen_bricks.h"
#include "libvox/device/pool.h"

namespace vox::bricks {

template <class Device>
class DeviceBricks {
 public:
  // check_structure() must have accepted the bricks; they are not checked again.
  DeviceBricks(Device& device, const FrozenBricks& bricks)
      : ref_(vox::bricks::ref(bricks)), root_(device::uploaded(device, bricks.root)) {
    ref_.root = root_.data();
    for (uint32_t type = 0; type < kBrickTypeCount; ++type) {
      data_[type] = device::uploaded(device, bricks.data[type]);
      ref_.data[type] = data_[type].data();
    }
  }

  BricksRef ref() const { return ref_; }

 private:
  BricksRef ref_;
  device::Buffer<uint32_t> root_;
  std::array<device::Buffer<uint32_t>, kBrickTypeCount> data_;
};

}  // namespace vox::bricks
