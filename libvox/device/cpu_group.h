// A group of 32 lanes on the processor: one thread that plays all lanes in turn. CudaGroup is a warp with the
// same calls. Code between the calls is the same for all lanes; only what is passed in depends on the lane.
#pragma once

#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "libvox/device/atomics.h"

namespace vox {

struct CpuGroup {
  static constexpr uint32_t kLanes = 32;
  static constexpr uint32_t kAtOnce = 512;  // groups that may run at the same time, at most

  // Bit l is set where f(l) holds.
  template <class F>
  uint32_t ballot(F f) const {
    uint32_t mask = 0;
    for (uint32_t lane = 0; lane < kLanes; ++lane) mask |= static_cast<uint32_t>(f(lane)) << lane;
    return mask;
  }

  // f(l) by every lane l < count.
  template <class F>
  void each(uint32_t count, F f) const {
    for (uint32_t lane = 0; lane < count; ++lane) f(lane);
  }

  // f() by one lane; all get its result.
  template <class F>
  auto once(F f) const {
    return f();
  }

  // Bit l is set where byte l of the 32 at `bytes` (in words, low byte first) is `value`.
  uint32_t match_bytes(const uint32_t* bytes, uint32_t value) const {
#ifdef __SSE2__
    const __m128i wanted = _mm_set1_epi8(static_cast<char>(value));
    const auto* at = reinterpret_cast<const __m128i*>(bytes);
    auto low = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(at), wanted)));
    auto high = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(at + 1), wanted)));
    return low | high << 16;
#else
    return ballot([&](uint32_t lane) { return (bytes[lane / 4] >> lane % 4 * 8 & 0xff) == value; });
#endif
  }

  // The same while other threads change the bytes.
  uint32_t match_shared_bytes(const uint32_t* bytes, uint32_t value) const {
    uint32_t seen[8];
    for (uint32_t i = 0; i < 8; ++i) seen[i] = atomic_load(bytes + i);
    return match_bytes(seen, value);
  }

  bool equal_words(const uint32_t* a, const uint32_t* b, uint32_t count) const {
    return std::memcmp(a, b, count * sizeof(uint32_t)) == 0;
  }
};

}  // namespace vox
