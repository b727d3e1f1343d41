// Bricks in the memory of a device.
#pragma once

#include <array>
#include <vector>

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
    if (bricks.is_sparse()) upload_groups(device, bricks.groups);
    for (uint32_t type = 0; type < kBrickTypeCount; ++type) {
      data_[type] = device::uploaded(device, bricks.data[type]);
      ref_.data[type] = data_[type].data();
    }
  }

  BricksRef ref() const { return ref_; }

 private:
  void upload_groups(Device& device, const RootGroups& groups) {
    groups_.push_back(device::uploaded(device, groups.top));
    ref_.groups.top = groups_.back().data();
    for (uint32_t level = 0; level < groups.levels(); ++level) {
      groups_.push_back(device::uploaded(device, groups.blocks[level]));
      ref_.groups.blocks[level] = reinterpret_cast<const GroupBlock*>(groups_.back().data());
      if (level + 1 == groups.levels()) break;
      groups_.push_back(device::uploaded(device, groups.lists[level]));
      ref_.groups.lists[level] = groups_.back().data();
    }
  }

  BricksRef ref_;
  device::Buffer<uint32_t> root_;
  std::vector<device::Buffer<uint32_t>> groups_;
  std::array<device::Buffer<uint32_t>, kBrickTypeCount> data_;
};

}  // namespace vox::bricks
