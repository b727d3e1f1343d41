#pragma once

#include <vector>

#include "libvox/device/pool.h"

namespace vox::device {

// Copies a vector to the device's memory.
template <class Device, class T, class Allocator>
Buffer<T> uploaded(Device& device, const std::vector<T, Allocator>& values) {
  auto buffer = device.template make<T>(values.size());
  device.upload(buffer.data(), values.data(), values.size());
  return buffer;
}

}  // namespace vox::device
