// Vectors of words that are not set to zero before they are filled. Gigabytes of words are written only once, by
// all cores, and each page is first touched by the core that fills it. The words may also be those of a
// PagedMemory, which fills them when they are read.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "libvox/base/paged_memory.h"

namespace vox {

// Asks the system for pages of 2 MiB for memory that is about to be written for the first time. Each small page would cost a
// fault, and random reads of gigabytes would have to look up where their pages lie.
void prefer_huge_pages(void* memory, uint64_t bytes);

template <class T>
class UninitializedAllocator {
 public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  UninitializedAllocator() = default;
  // A vector of paged.size() bytes lies in this memory, and must only be read. Its copies have memory of their own.
  explicit UninitializedAllocator(std::shared_ptr<PagedMemory> paged) : paged_(std::move(paged)) {}
  template <class U>
  UninitializedAllocator(const UninitializedAllocator<U>& other) : paged_(other.paged()) {}

  T* allocate(size_t count) {
    if (paged_ && count * sizeof(T) == paged_->size()) return reinterpret_cast<T*>(paged_->data());
    constexpr uint64_t kLarge = 8 << 20;  // a smaller array is not worth the rest of a huge page
    T* const at = std::allocator<T>().allocate(count);
    if (count * sizeof(T) >= kLarge) prefer_huge_pages(at, count * sizeof(T));
    return at;
  }
  void deallocate(T* at, size_t count) {
    if (paged_ && reinterpret_cast<uint8_t*>(at) == paged_->data()) return;
    std::allocator<T>().deallocate(at, count);
  }
  template <class U, class... Args>
  void construct(U* at, Args&&... args) {
    if constexpr (sizeof...(Args) == 0) {
      ::new (static_cast<void*>(at)) U;
    } else {
      ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
    }
  }
  UninitializedAllocator select_on_container_copy_construction() const { return {}; }

  const std::shared_ptr<PagedMemory>& paged() const { return paged_; }
  friend bool operator==(const UninitializedAllocator& a, const UninitializedAllocator& b) {
    return a.paged_ == b.paged_;
  }

 private:
  std::shared_ptr<PagedMemory> paged_;
};

using Words = std::vector<uint32_t, UninitializedAllocator<uint32_t>>;
using LongWords = std::vector<uint64_t, UninitializedAllocator<uint64_t>>;

// Returns a vector that shows the whole content of the memory.
template <class T>
std::vector<T, UninitializedAllocator<T>> paged_vector(std::shared_ptr<PagedMemory> memory) {
  const uint64_t count = memory->size() / sizeof(T);
  return std::vector<T, UninitializedAllocator<T>>(count, UninitializedAllocator<T>(std::move(memory)));
}

}  // namespace vox
