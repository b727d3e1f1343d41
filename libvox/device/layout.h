// Lays out several arrays in one block of memory, because allocating memory on a GPU takes as long as a small
// edit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libvox/device/pool.h"

namespace vox::device {

class Layout {
 public:
  // The place where an array begins.
  template <class T>
  struct Place {
    uint64_t offset = 0;
    T* in(const Buffer<std::byte>& memory) const { return reinterpret_cast<T*>(memory.data() + offset); }
  };

  template <class T>
  Place<T> add(uint64_t size) {
    const Place<T> place = {bytes_};
    bytes_ += (size * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    return place;
  }
  // The number of bytes that all arrays need together.
  uint64_t bytes() const { return bytes_; }

 private:
  static constexpr uint64_t kAlignment = 256;  // the pool's alignment

  uint64_t bytes_ = 0;
};

}  // namespace vox::device
