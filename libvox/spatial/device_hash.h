// A spatial hash in the memory of a device.
#pragma once

#include "libvox/device/uploaded.h"
#include "libvox/spatial/hash_ref.h"

namespace vox::spatial {

template <class Device>
class DeviceHash {
 public:
  // The hash must be one that check_structure() accepts; it is not checked again.
  DeviceHash(Device& device, const FrozenHash& hash)
      : ref_(vox::spatial::ref(hash)), cells_(device::uploaded(device, hash.cells)) {
    ref_.table.ref.cells = cells_.data();
  }

  HashRef ref() const { return ref_; }

 private:
  HashRef ref_;
  device::Buffer<uint64_t> cells_;
};

}  // namespace vox::spatial
