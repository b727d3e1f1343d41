// Compares 32 bytes, words or pairs of words with a value and returns a bit mask of those that are equal.
// This is the processor's version, which uses SSE if it can.
#pragma once

#include <cstdint>

#ifdef __SSE4_1__
#include <smmintrin.h>
#endif

namespace vox::device {

#ifdef __SSE4_1__

inline __m128i load_sse(const uint32_t* words) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(words));
}

// Packs four times four words, each of which is all ones or zero, into 16 bits.
inline uint32_t pack_mask(__m128i a, __m128i b, __m128i c, __m128i d) {
  return static_cast<uint32_t>(
      _mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d))));
}

inline uint32_t match_bytes(const uint32_t* words, uint32_t value) {
  const __m128i wanted = _mm_set1_epi8(static_cast<char>(value));
  const auto low = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(load_sse(words), wanted)));
  const auto high = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(load_sse(words + 4), wanted)));
  return low | high << 16;
}

inline uint32_t match_words(const uint32_t* words, uint32_t value) {
  const __m128i wanted = _mm_set1_epi32(static_cast<int>(value));
  const auto same = [&](uint32_t i) { return _mm_cmpeq_epi32(load_sse(words + 4 * i), wanted); };
  return pack_mask(same(0), same(1), same(2), same(3)) | pack_mask(same(4), same(5), same(6), same(7)) << 16;
}

inline uint32_t match_pairs(const uint32_t* words, uint32_t first, uint32_t second) {
  const __m128i wanted = _mm_set1_epi64x(static_cast<int64_t>(uint64_t{second} << 32 | first));
  // Returns the low words of the comparison masks of four pairs.
  const auto same = [&](uint32_t i) {
    const __m128i a = _mm_cmpeq_epi64(load_sse(words + 8 * i), wanted);
    const __m128i b = _mm_cmpeq_epi64(load_sse(words + 8 * i + 4), wanted);
    return _mm_castps_si128(
        _mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), _MM_SHUFFLE(2, 0, 2, 0)));
  };
  return pack_mask(same(0), same(1), same(2), same(3)) | pack_mask(same(4), same(5), same(6), same(7)) << 16;
}

#else

inline uint32_t match_bytes(const uint32_t* words, uint32_t value) {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < 32; ++i)
    mask |= static_cast<uint32_t>((words[i / 4] >> i % 4 * 8 & 0xff) == value) << i;
  return mask;
}

inline uint32_t match_words(const uint32_t* words, uint32_t value) {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < 32; ++i) mask |= static_cast<uint32_t>(words[i] == value) << i;
  return mask;
}

inline uint32_t match_pairs(const uint32_t* words, uint32_t first, uint32_t second) {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < 32; ++i)
    mask |= static_cast<uint32_t>(words[2 * i] == first && words[2 * i + 1] == second) << i;
  return mask;
}

#endif

}  // namespace vox::device
