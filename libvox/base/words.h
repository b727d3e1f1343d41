// A vector of words that is not set to zero before it is filled. Gigabytes of words are written only once, by
// all cores, and each page is first touched by the core that fills it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace vox {

template <class T>
struct UninitializedAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = UninitializedAllocator<U>;
  };
  template <class U, class... Args>
  void construct(U* at, Args&&... args) {
    if constexpr (sizeof...(Args) == 0) {
      ::new (static_cast<void*>(at)) U;
    } else {
      ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
    }
  }
};

using Words = std::vector<uint32_t, UninitializedAllocator<uint32_t>>;
using LongWords = std::vector<uint64_t, UninitializedAllocator<uint64_t>>;

}  // namespace vox
