// A vector of words that does not write zeros before it is filled: gigabytes of words are written once, by
// all cores, and their pages are first touched there.
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

}  // namespace vox
