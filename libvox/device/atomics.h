// Atomic operations on words that several threads of one device share.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <functional>
#include <thread>
#include <type_traits>

#include "libvox/base/hd.h"

namespace vox::device {

// The words that atomic operations work on.
template <class T>
concept AtomicWord = std::same_as<T, uint32_t> || std::same_as<T, uint64_t>;

#ifdef __CUDA_ARCH__
// Returns the pointer as CUDA's atomic functions take it: for 64 bits, they take a pointer to unsigned long long.
__device__ inline uint32_t* gpu_word(uint32_t* word) {
  return word;
}
__device__ inline unsigned long long* gpu_word(uint64_t* word) {
  return reinterpret_cast<unsigned long long*>(word);
}
#else
// Stores a value if goes_before(value, word) is true for the word that is there. Returns the previous word.
template <class T, class GoesBefore>
T exchange_while(T* word, T value, GoesBefore goes_before) {
  std::atomic_ref shared(*word);
  T seen = shared.load(std::memory_order_relaxed);
  while (goes_before(value, seen) && !shared.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
  return seen;
}
#endif

// Adds to a word and returns its previous value.
template <AtomicWord T>
VOX_HD T atomic_add(T* word, std::type_identity_t<T> value) {
#ifdef __CUDA_ARCH__
  return atomicAdd(gpu_word(word), value);
#else
  return std::atomic_ref(*word).fetch_add(value, std::memory_order_relaxed);
#endif
}

// Does what atomic_add() does, for words that neighboring iterations of a loop add to as well. The threads
// of a GPU's warp that add to one word do so in a single operation, in the order of their lanes.
template <class T>
VOX_HD T atomic_add_together(T* word, T value) {
#ifdef __CUDA_ARCH__
  const uint32_t together = __match_any_sync(__activemask(), reinterpret_cast<unsigned long long>(word));
  const int lane = static_cast<int>(threadIdx.x & 31), first = __ffs(static_cast<int>(together)) - 1;
  T before = 0, sum = 0, begin = 0;
  for (uint32_t left = together; left != 0; left &= left - 1) {
    const int from = __ffs(static_cast<int>(left)) - 1;
    const T other = __shfl_sync(together, value, from);
    sum += other;
    if (from < lane) before += other;
  }
  if (lane == first) begin = atomic_add(word, sum);
  return __shfl_sync(together, begin, first) + before;
#else
  return atomic_add(word, value);
#endif
}

// Adds 1 as atomic_add_together() does.
template <class T>
VOX_HD T atomic_count_together(T* word) {
#ifdef __CUDA_ARCH__
  const uint32_t together = __match_any_sync(__activemask(), reinterpret_cast<unsigned long long>(word));
  const uint32_t lane = threadIdx.x & 31,
                 first = static_cast<uint32_t>(__ffs(static_cast<int>(together))) - 1;
  T begin = 0;
  if (lane == first) begin = atomic_add(word, static_cast<T>(__popc(together)));
  return __shfl_sync(together, begin, static_cast<int>(first)) +
         static_cast<T>(__popc(together & ((1u << lane) - 1)));
#else
  return atomic_add(word, T{1});
#endif
}

// Sets bits and returns the previous word. A thread that frees a resource clears the resource's bit with
// atomic_and(). A thread that then takes the resource with atomic_or() sees everything that the first one
// wrote before.
VOX_HD inline uint32_t atomic_or(uint32_t* word, uint32_t bits) {
#ifdef __CUDA_ARCH__
  uint32_t before = atomicOr(word, bits);
  __threadfence();
  return before;
#else
  return std::atomic_ref(*word).fetch_or(bits, std::memory_order_acq_rel);
#endif
}

VOX_HD inline uint32_t atomic_and(uint32_t* word, uint32_t bits) {
#ifdef __CUDA_ARCH__
  __threadfence();
  return atomicAnd(word, bits);
#else
  return std::atomic_ref(*word).fetch_and(bits, std::memory_order_acq_rel);
#endif
}

// Sets bits like atomic_or(), but orders no other reads and writes.
VOX_HD inline uint32_t atomic_or_relaxed(uint32_t* word, uint32_t bits) {
#ifdef __CUDA_ARCH__
  return atomicOr(word, bits);
#else
  return std::atomic_ref(*word).fetch_or(bits, std::memory_order_relaxed);
#endif
}

VOX_HD inline uint32_t atomic_xor(uint32_t* word, uint32_t bits) {
#ifdef __CUDA_ARCH__
  return atomicXor(word, bits);
#else
  return std::atomic_ref(*word).fetch_xor(bits, std::memory_order_relaxed);
#endif
}

// Stores a value if it is less than the word. Returns the previous word.
template <AtomicWord T>
VOX_HD T atomic_min(T* word, std::type_identity_t<T> value) {
#ifdef __CUDA_ARCH__
  return atomicMin(gpu_word(word), value);
#else
  return exchange_while(word, value, std::less<>());
#endif
}

// Stores a value if it is greater than the word. Returns the previous word.
template <AtomicWord T>
VOX_HD T atomic_max(T* word, std::type_identity_t<T> value) {
#ifdef __CUDA_ARCH__
  return atomicMax(gpu_word(word), value);
#else
  return exchange_while(word, value, std::greater<>());
#endif
}

// Stores a value and returns the previous word. Orders no other reads and writes.
template <AtomicWord T>
VOX_HD T atomic_exchange(T* word, std::type_identity_t<T> value) {
#ifdef __CUDA_ARCH__
  return atomicExch(gpu_word(word), value);
#else
  return std::atomic_ref(*word).exchange(value, std::memory_order_relaxed);
#endif
}

// Stores `desired` if the word is `expected`. Returns the previous word. A thread that reads the new value
// with atomic_load() also sees everything that this thread wrote before.
VOX_HD inline uint32_t atomic_exchange_if(uint32_t* word, uint32_t expected, uint32_t desired) {
#ifdef __CUDA_ARCH__
  __threadfence();
  return atomicCAS(word, expected, desired);
#else
  std::atomic_ref(*word).compare_exchange_strong(expected, desired, std::memory_order_acq_rel,
                                                 std::memory_order_acquire);
  return expected;
#endif
}

// Does what atomic_exchange_if() does, for a thread that publishes nothing else through the word.
template <AtomicWord T>
VOX_HD T atomic_exchange_if_relaxed(T* word, std::type_identity_t<T> expected,
                                    std::type_identity_t<T> desired) {
#ifdef __CUDA_ARCH__
  return atomicCAS(gpu_word(word), expected, desired);
#else
  std::atomic_ref(*word).compare_exchange_strong(expected, desired, std::memory_order_relaxed);
  return expected;
#endif
}

// Stores a word. A thread that reads it with atomic_load() also sees everything that this thread wrote
// before.
VOX_HD inline void atomic_store(uint32_t* word, uint32_t value) {
#ifdef __CUDA_ARCH__
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
#else
  std::atomic_ref(*word).store(value, std::memory_order_release);
#endif
}

// Stores a word through which nothing else is published.
VOX_HD inline void atomic_store_relaxed(uint32_t* word, uint32_t value) {
#ifdef __CUDA_ARCH__
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
#else
  std::atomic_ref(*word).store(value, std::memory_order_relaxed);
#endif
}

VOX_HD inline void atomic_store_relaxed(uint64_t* word, uint64_t value) {
#ifdef __CUDA_ARCH__
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
#else
  std::atomic_ref(*word).store(value, std::memory_order_relaxed);
#endif
}

// Orders what this thread did before the fence and what it does after it, as other threads of the device see
// it.
VOX_HD inline void memory_fence() {
#ifdef __CUDA_ARCH__
  __threadfence();
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

// Loads a word, and sees everything that other threads of the device have published through it.
VOX_HD inline uint32_t atomic_load(const uint32_t* word) {
#ifdef __CUDA_ARCH__
  uint32_t value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
#else
  return std::atomic_ref(*const_cast<uint32_t*>(word)).load(std::memory_order_acquire);
#endif
}

// Loads a word, for a thread that reads nothing that the word publishes. On a GPU an acquiring load, such as
// atomic_load(), empties the L1 cache.
VOX_HD inline uint32_t atomic_load_relaxed(const uint32_t* word) {
#ifdef __CUDA_ARCH__
  uint32_t value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
#else
  return std::atomic_ref(*const_cast<uint32_t*>(word)).load(std::memory_order_relaxed);
#endif
}

// Loads a word, for a thread that then reads, with atomic_load_relaxed(), the data that the word leads to. A
// GPU cannot read from an address that it does not have yet, so a relaxed load is enough there.
VOX_HD inline uint32_t atomic_load_consume(const uint32_t* word) {
#ifdef __CUDA_ARCH__
  return atomic_load_relaxed(word);
#else
  return atomic_load(word);
#endif
}

VOX_HD inline uint64_t atomic_load_relaxed(const uint64_t* word) {
#ifdef __CUDA_ARCH__
  uint64_t value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
#else
  return std::atomic_ref(*const_cast<uint64_t*>(word)).load(std::memory_order_relaxed);
#endif
}

// Yields to other threads, inside a loop that waits for one of them.
VOX_HD inline void let_others_go_on() {
#ifdef __CUDA_ARCH__
  __nanosleep(20);
#else
  std::this_thread::yield();
#endif
}

// Waits until another thread has stored a word other than 0 with atomic_store(). That thread must not wait for anything
// itself.
VOX_HD inline void atomic_wait_for_any(const uint32_t* word) {
  while (atomic_load(word) == 0) let_others_go_on();
}

// Reads a word that other threads may be changing, and may miss what they wrote since the loop began. On a GPU the
// value may come from the L1 cache, which all threads of a multiprocessor share.
VOX_HD inline uint32_t load_perhaps_old(const uint32_t* word) {
#ifdef __CUDA_ARCH__
  return *word;
#else
  return atomic_load_relaxed(word);
#endif
}

}  // namespace vox::device
