// Bit counts, reversals, products, square roots and prefetches, written once for the host and for GPUs.
#pragma once

#include <bit>
#include <cstdint>

#include "libvox/base/hd.h"

namespace vox {

VOX_HD inline int popcount(uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __popc(bits);
#else
  return std::popcount(bits);
#endif
}

VOX_HD inline int popcount(uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __popcll(bits);
#else
  return std::popcount(bits);
#endif
}

// The index of the lowest set bit; bits != 0.
VOX_HD inline int lowest_bit(uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __ffs(static_cast<int>(bits)) - 1;
#else
  return std::countr_zero(bits);
#endif
}

VOX_HD inline int lowest_bit(uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __ffsll(static_cast<long long>(bits)) - 1;
#else
  return std::countr_zero(bits);
#endif
}

// The index of the highest set bit; bits != 0.
VOX_HD inline int highest_bit(uint32_t bits) {
#ifdef __CUDA_ARCH__
  return 31 - __clz(static_cast<int>(bits));
#else
  return 31 - std::countl_zero(bits);
#endif
}

// The bits in the opposite order: the lowest becomes the highest, and so on.
VOX_HD inline uint32_t reversed_bits(uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __brev(bits);
#else
  bits = (bits >> 1 & 0x55555555) | (bits & 0x55555555) << 1;
  bits = (bits >> 2 & 0x33333333) | (bits & 0x33333333) << 2;
  bits = (bits >> 4 & 0x0f0f0f0f) | (bits & 0x0f0f0f0f) << 4;
  return __builtin_bswap32(bits);
#endif
}

// The upper 64 bits of the 128-bit product.
VOX_HD inline uint64_t multiply_high(uint64_t a, uint64_t b) {
#ifdef __CUDA_ARCH__
  return __umul64hi(a, b);
#else
  return static_cast<uint64_t>((static_cast<unsigned __int128>(a) * b) >> 64);
#endif
}

// The float with these bits.
VOX_HD inline float float_of_bits(uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(bits);
#else
  return std::bit_cast<float>(bits);
#endif
}

// Square roots that are rounded in the same way on the host and on a GPU.
VOX_HD inline float square_root(float value) {
#ifdef __CUDA_ARCH__
  return __fsqrt_rn(value);
#else
  return __builtin_sqrtf(value);
#endif
}
VOX_HD inline double square_root(double value) {
#ifdef __CUDA_ARCH__
  return __dsqrt_rn(value);
#else
  return __builtin_sqrt(value);
#endif
}

// Prefetches a cache line that will be read soon. GCC 12 takes a function that only prefetches for one without effect and
// drops the calls to it; the empty statement of assembly is an effect.
VOX_HD inline void prefetch_line(const void* at) {
#ifdef __CUDA_ARCH__
  asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
#else
  __builtin_prefetch(at);
  asm volatile("");
#endif
}

// Reads a word that is not read again. On a GPU, the word does not evict others from the cache.
VOX_HD inline uint32_t load_once(const uint32_t* at) {
#ifdef __CUDA_ARCH__
  return __ldcs(at);
#else
  return *at;
#endif
}

// Prefetches all cache lines of these bytes; on a GPU, all sectors of 32 bytes. `begin` may be unaligned.
VOX_HD inline void prefetch_lines(const void* begin, uint32_t bytes) {
#ifdef __CUDA_ARCH__
  constexpr uint32_t kStep = 32;
#else
  constexpr uint32_t kStep = 64;
#endif
  const char* at = static_cast<const char*>(begin);
  for (uint32_t byte = 0; byte < bytes; byte += kStep) prefetch_line(at + byte);
  if (bytes % kStep != 0) prefetch_line(at + bytes - 1);
}

// Functions that mix the bits of a word (the finalizers of MurmurHash3): changing one input bit changes each
// output bit with a probability of one half. Different words give different words, and 0 gives 0.

VOX_HD inline uint64_t mix64(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ull;
  x ^= x >> 33;
  return x;
}

VOX_HD inline uint32_t mix32(uint32_t x) {
  x ^= x >> 16;
  x *= 0x85ebca6b;
  x ^= x >> 13;
  x *= 0xc2b2ae35;
  x ^= x >> 16;
  return x;
}

// Returns the least prime that is at least n, or 1 for n = 1. In a table with a prime number of slots, a walk with
// any step visits all slots.
inline uint64_t next_prime(uint64_t n) {
  const auto is_prime = [&] {
    for (uint64_t d = 2; d * d <= n; ++d)
      if (n % d == 0) return false;
    return true;
  };
  while (!is_prime()) ++n;
  return n;
}

// The index of the n-th set bit of a word; n counts from 0. The word must have more than n set bits.
VOX_HD inline uint32_t nth_bit(uint32_t word, uint32_t n) {
  uint32_t at = 0;
  for (uint32_t width = 16; width > 0; width /= 2) {
    const auto low = static_cast<uint32_t>(popcount((word >> at) & ((1u << width) - 1)));
    if (n < low) continue;
    n -= low;
    at += width;
  }
  return at;
}

VOX_HD inline uint32_t nth_bit(uint64_t word, uint32_t n) {
  const auto low = static_cast<uint32_t>(word), high = static_cast<uint32_t>(word >> 32);
  const auto in_low = static_cast<uint32_t>(popcount(low));
  return n < in_low ? nth_bit(low, n) : 32 + nth_bit(high, n - in_low);
}

}  // namespace vox
