// A group of 32 lanes on the GPU: a warp. It has the calls of CpuGroup, where they are explained.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "libvox/device/atomics.h"
#include "libvox/device/warp.cuh"

namespace vox::device {

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

}  // namespace vox::device
