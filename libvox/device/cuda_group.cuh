// A group of 32 lanes on the GPU: a warp. It has the calls of CpuGroup, where they are explained.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "libvox/base/vec.h"
#include "libvox/device/atomics.h"

namespace vox::device {

namespace detail {

// Sums and maxima over the 32 lanes of a warp, all of which must take part. GPUs before compute capability
// 8.0 have no instruction for them.

template <class Combine>
__device__ uint32_t warp_reduce(uint32_t value, Combine combine) {
  for (int step = 16; step > 0; step /= 2) value = combine(value, __shfl_xor_sync(0xffffffff, value, step));
  return value;
}

}  // namespace detail

__device__ inline uint32_t warp_sum(uint32_t value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_add_sync(0xffffffff, value);
#else
  return detail::warp_reduce(value, [](uint32_t a, uint32_t b) { return a + b; });
#endif
}

__device__ inline uint32_t warp_max(uint32_t value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_max_sync(0xffffffff, value);
#else
  return detail::warp_reduce(value, [](uint32_t a, uint32_t b) { return a > b ? a : b; });
#endif
}

struct CudaGroup {
  static constexpr uint32_t kLanes = 32;
  static constexpr uint32_t kAtOnce = 1 << 14;  // the most groups that may run at the same time
  static constexpr uint32_t kAll = 0xffffffff;

  __device__ static uint32_t lane() { return threadIdx.x & 31; }

  struct Words {
    uint32_t held;
  };
  struct Pairs {
    uint32_t first, second;
  };

  __device__ Words load(const uint32_t* words, uint32_t count) const {
    return {lane() < count ? words[lane()] : 0};
  }
  __device__ Pairs load_pairs(const uint32_t* words) const {
    return split(reinterpret_cast<const uint64_t*>(words)[lane()]);
  }
  template <uint32_t kCount>
  __device__ Words load_shared(const uint32_t* words) const {
    return {lane() < kCount ? atomic_load_relaxed(words + lane()) : 0};
  }
  __device__ Pairs load_shared_pairs(const uint32_t* words) const {
    return split(atomic_load_relaxed(reinterpret_cast<const uint64_t*>(words) + lane()));
  }

  template <class Word, uint32_t kCount>
  struct Own {
    Word held;
  };
  template <uint32_t kCount, class Word>
  __device__ Own<Word, kCount> load_own(const Word* words) const {
    return {lane() < kCount ? words[lane()] : 0};
  }
  template <uint32_t kCount, class Word>
  __device__ Own<Word, kCount> load_shared_own(const Word* words) const {
    return {lane() < kCount ? atomic_load_relaxed(words + lane()) : 0};
  }
  template <class Word, uint32_t kCount>
  __device__ Word of_lane(const Own<Word, kCount>& own, uint32_t lane) const {
    return __shfl_sync(kAll, own.held, static_cast<int>(lane));
  }
  template <class Word, uint32_t kCount, class F>
  __device__ uint32_t ballot_of(const Own<Word, kCount>& own, F f) const {
    return __ballot_sync(kAll, lane() < kCount && f(own.held));
  }

  __device__ uint32_t word(const Words& words, uint32_t i) const {
    return __shfl_sync(kAll, words.held, static_cast<int>(i));
  }
  __device__ uint32_t word(const Pairs& pairs, uint32_t i) const {
    return __shfl_sync(kAll, i % 2 == 0 ? pairs.first : pairs.second, static_cast<int>(i / 2));
  }

  __device__ uint32_t match_bytes(const Words& words, uint32_t value) const {
    return __ballot_sync(kAll, (word(words, lane() / 4) >> lane() % 4 * 8 & 0xff) == value);
  }
  __device__ uint32_t match_words(const Words& words, uint32_t value) const {
    return __ballot_sync(kAll, words.held == value);
  }
  __device__ uint32_t match_pairs(const Pairs& pairs, uint32_t first, uint32_t second) const {
    return __ballot_sync(kAll, pairs.first == first && pairs.second == second);
  }

  // A single candidate, the usual case, is compared by the whole group. With several, each lane compares its
  // own.
  __device__ uint32_t find_equal(uint32_t candidates, const uint32_t* slots, uint32_t stride,
                                 const Words& item, uint32_t begin, uint32_t end) const {
    if (candidates == 0) return kLanes;
    if ((candidates & (candidates - 1)) == 0) {
      const auto slot = static_cast<uint32_t>(__ffs(static_cast<int>(candidates)) - 1);
      const bool compares = lane() >= begin && lane() < end;
      const bool same = !compares || slots[slot * stride + lane()] == item.held;
      return __all_sync(kAll, same) ? slot : kLanes;
    }
    bool same = candidates >> lane() & 1;
    for (uint32_t i = begin; i < end; ++i) {
      const uint32_t wanted = word(item, i);
      if (same) same = slots[lane() * stride + i] == wanted;
    }
    const uint32_t equal = __ballot_sync(kAll, same);
    return equal == 0 ? kLanes : static_cast<uint32_t>(__ffs(static_cast<int>(equal)) - 1);
  }

  __device__ void store(const Words& words, uint32_t* to, uint32_t begin, uint32_t end) const {
    if (lane() >= begin && lane() < end) to[lane()] = words.held;
    __syncwarp();
  }

  template <class F>
  __device__ uint32_t ballot(F f) const {
    return __ballot_sync(kAll, f(lane()));
  }

  template <class F>
  __device__ uint32_t sum(F f) const {
    return warp_sum(f(lane()));
  }

  template <class F>
  __device__ void each(uint32_t count, F f) const {
    for (uint32_t i = lane(); i < count; i += kLanes) f(i);
    __syncwarp();
  }

  template <class F>
  __device__ auto once(F f) const {
    using Result = decltype(f());
    if constexpr (std::is_void_v<Result>) {
      if (lane() == 0) f();
    } else {
      uint32_t result = 0;
      if (lane() == 0) result = static_cast<uint32_t>(f());
      return static_cast<Result>(__shfl_sync(kAll, result, 0));
    }
  }

  __device__ void sync() const { __syncwarp(); }

  // Gives all lanes the value of lane `from`. The size of T is a multiple of a word.
  template <class T>
  __device__ static T broadcast(const T& value, uint32_t from) {
    uint32_t words[sizeof(T) / 4];
    std::memcpy(words, &value, sizeof(T));
    for (uint32_t& word : words) word = __shfl_sync(kAll, word, static_cast<int>(from));
    T result;
    std::memcpy(&result, words, sizeof(T));
    return result;
  }

 private:
  __device__ static Pairs split(uint64_t pair) {
    return {static_cast<uint32_t>(pair), static_cast<uint32_t>(pair >> 32)};
  }
};

// Shares work among the lanes of a warp. Each lane brings a number of items, and the lanes then take the
// items of all lanes in turn, so that none waits for a lane that has brought many.
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

// A thread block of 512 threads on the GPU. It has the calls of CpuBlock, where they are explained; each call
// ends with a barrier.
template <class Shared>
class CudaBlock {
 public:
  static constexpr uint32_t kThreads = 512;

  __device__ explicit CudaBlock(Shared* shared) : shared_(shared) {}

  __device__ Shared& shared() const { return *shared_; }

  template <class F>
  __device__ void each(uint32_t count, F f) const {
    for (uint64_t j = threadIdx.x; j < count; j += kThreads) f(static_cast<uint32_t>(j));
    __syncthreads();
  }

  template <class F>
  __device__ bool any(uint32_t count, F f) const {
    int found = 0;
    for (uint64_t j = threadIdx.x; j < count; j += kThreads)
      if (f(static_cast<uint32_t>(j))) found = 1;
    return __syncthreads_or(found) != 0;
  }

  // The barrier itself counts, one value of each thread at a time.
  template <class F>
  __device__ uint32_t count(uint32_t count, F f) const {
    uint32_t found = 0;
    for (uint64_t first = 0; first < count; first += kThreads) {
      const uint64_t j = first + threadIdx.x;
      found += static_cast<uint32_t>(__syncthreads_count(j < count && f(static_cast<uint32_t>(j)) ? 1 : 0));
    }
    return found;
  }

  template <class F>
  __device__ void once(F f) const {
    if (threadIdx.x == 0) f();
    __syncthreads();
  }

 private:
  Shared* shared_;
};

}  // namespace vox::device
