// A thread block on the processor: one thread that plays all threads of the block. CudaBlock has the same
// calls on a GPU. Code between the calls is the same for all threads, and all of them make the same calls.
// What one call writes to shared memory is visible to all threads in the next call.
#pragma once

#include <cstdint>

namespace vox::device {

template <class Shared>
class CpuBlock {
 public:
  explicit CpuBlock(Shared* shared) : shared_(shared) {}

  // The shared memory, which is not initialised.
  Shared& shared() const { return *shared_; }

  // Calls f(j) for every j < count, in any order.
  template <class F>
  void each(uint32_t count, F f) const {
    for (uint32_t j = 0; j < count; ++j) f(j);
  }

  // Calls f(j) for every j < count, in any order. Returns true if any call returned true.
  template <class F>
  bool any(uint32_t count, F f) const {
    bool found = false;
    for (uint32_t j = 0; j < count; ++j)
      if (f(j)) found = true;
    return found;
  }

  // Calls f(j) for every j < count, in any order. Returns how many of the calls returned true.
  template <class F>
  uint32_t count(uint32_t count, F f) const {
    uint32_t found = 0;
    for (uint32_t j = 0; j < count; ++j) found += f(j) ? 1 : 0;
    return found;
  }

  // Has one thread call f().
  template <class F>
  void once(F f) const {
    f();
  }

 private:
  Shared* shared_;
};

}  // namespace vox::device
