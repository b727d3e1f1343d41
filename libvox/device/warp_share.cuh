// Shares work among the lanes of a warp. Each lane brings a number of items, and the lanes then take the
// items of all lanes in turn, so that none waits for a lane that has brought many.
#pragma once

#include <cstdint>

#include "libvox/base/vec.h"

namespace vox::device {

class WarpShare {
 public:
  // One of the items that a lane has brought.
  struct Item {
    uint32_t owner;  // the lane that brought it
    uint32_t index;  // its place among the owner's items, from 0
  };

  // All lanes of the warp must call this constructor and the functions below together.
  __device__ explicit WarpShare(uint32_t count) : through_(count) {
    for (uint32_t step = 1; step < 32; step *= 2) {
      const uint32_t before = __shfl_up_sync(kAll, through_, step);
      if ((threadIdx.x & 31) >= step) through_ += before;
    }
    total_ = __shfl_sync(kAll, through_, 31);
    before_ = through_ - count;
  }

  // The number of items of all lanes.
  __device__ uint32_t total() const { return total_; }

  // Returns the i-th item of all. Each lane may ask for another one. For i from total() on, the item does not
  // exist.
  __device__ Item item(uint32_t i) const {
    uint32_t owner = 0;
    for (uint32_t step = 16; step > 0; step /= 2)
      if (__shfl_sync(kAll, through_, static_cast<int>(owner + step - 1)) <= i) owner += step;
    return {owner, i - __shfl_sync(kAll, before_, static_cast<int>(owner))};
  }

  // Returns the `value` of lane `owner`.
  __device__ static uint32_t of(uint32_t value, uint32_t owner) {
    return __shfl_sync(kAll, value, static_cast<int>(owner));
  }
  __device__ static uint64_t of(uint64_t value, uint32_t owner) {
    return __shfl_sync(kAll, static_cast<unsigned long long>(value), static_cast<int>(owner));
  }
  __device__ static Int3 of(Int3 value, uint32_t owner) {
    const auto lane = static_cast<int>(owner);
    return {__shfl_sync(kAll, value.x, lane), __shfl_sync(kAll, value.y, lane),
            __shfl_sync(kAll, value.z, lane)};
  }

 private:
  static constexpr uint32_t kAll = 0xffffffff;
  uint32_t through_, before_, total_;  // the items of all lanes up to this one, of all before it, of all
};

}  // namespace vox::device
