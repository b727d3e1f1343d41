// A vector of the host that bodies read: the vector itself if the device can read the host's memory, else a
// copy of it.
#pragma once

#include <vector>

#include "libvox/device/uploaded.h"

namespace vox::device {

class CpuDevice;

template <class Device>
inline constexpr bool kReadsHostMemory = false;
template <>
inline constexpr bool kReadsHostMemory<CpuDevice> = true;

// The vector must outlive the HostArray and must not change meanwhile.
template <class Device, class T>
class HostArray {
 public:
  HostArray(Device& device, const std::vector<T>& values) : data_(values.data()) {
    if constexpr (!kReadsHostMemory<Device>) {
      copy_ = uploaded(device, values);
      data_ = copy_.data();
    }
  }
  const T* data() const { return data_; }

 private:
  Buffer<T> copy_;
  const T* data_;
};

}  // namespace vox::device
