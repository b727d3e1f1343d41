// A block of threads that share memory, on the processor: one thread that plays them all. CudaBlock is a block
// of a GPU's threads with the same calls. Code between the calls is the same for all threads, and all of them
// make the same calls; what one call has written to shared memory, all threads see in the next.
#pragma once

#include <cstdint>

namespace vox::device {

template <class Shared>
class CpuBlock {
 public:
  explicit CpuBlock(Shared* shared) : shared_(shared) {}

  // Is not initialised.
  Shared& shared() const { return *shared_; }

  // Calls f(j) for every j < count, in any order.
  template <class F>
  void each(uint32_t count, F f) const {
    for (uint32_t j = 0; j < count; ++j) f(j);
  }

  // Calls f(j) for every j < count, in any order; returns whether any of them gave true.
  template <class F>
  bool any(uint32_t count, F f) const {
    bool found = false;
    for (uint32_t j = 0; j < count; ++j)
      if (f(j)) found = true;
    return found;
  }

  // Calls f(j) for every j < count, in any order; returns how many of them gave true.
  template <class F>
  uint32_t count(uint32_t count, F f) const {
    uint32_t found = 0;
    for (uint32_t j = 0; j < count; ++j) found += f(j) ? 1 : 0;
    return found;
  }

  // One thread calls f().
  template <class F>
  void once(F f) const {
    f();
  }

 private:
  Shared* shared_;
};

}  // namespace vox::device
