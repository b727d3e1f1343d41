// Finds which of many bytes have a given value, within a single thread of either device.
#pragma once

#include <cstdint>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"

#if defined(__SSE2__) && !defined(__CUDA_ARCH__)
#include <emmintrin.h>
#endif

namespace vox::hash {

// A set of up to 128 slots, one bit each.
struct SlotMask {
  uint64_t low = 0, high = 0;

  VOX_HD bool any() const { return (low | high) != 0; }
  // Removes the lowest slot and returns it. The set must not be empty.
  VOX_HD uint32_t take_lowest() {
    uint64_t& word = low != 0 ? low : high;
    const uint32_t slot = static_cast<uint32_t>(lowest_bit(word)) + (low != 0 ? 0 : 64);
    word &= word - 1;
    return slot;
  }
};

// Returns a mask in which bit b is set if byte b of `word` equals the byte that `repeated` holds four times.
VOX_HD inline uint32_t match_bytes_of_word(uint32_t word, uint32_t repeated) {
  const uint32_t differ = word ^ repeated;
  // Sets 0x80 where a byte of `differ` is 0, because adding 0x7f to its lower bits does not reach the highest
  // bit.
  const uint32_t same = ~(((differ & 0x7f7f7f7f) + 0x7f7f7f7f) | differ) & 0x80808080;
  return same * 0x00204081 >> 28;  // bits 7, 15, 23, 31 → 0, 1, 2, 3
}

// The inverse: returns a word in which byte b is 0xff if bit b, of four, is set, and 0 otherwise.
VOX_HD inline uint32_t bytes_of_bits(uint32_t bits) {
  return (bits * 0x00204081 & 0x01010101) * 0xff;  // bits 0, 1, 2, 3 → 0, 8, 16, 24
}

// Returns a mask in which bit s is set if byte s of the first `Bytes` is `value`. `Bytes` must be a multiple
// of 4. The bytes lie in words, low byte first. On a GPU, with 16 bytes or more, `words` must be aligned to
// 16 bytes.
template <uint32_t Bytes>
VOX_HD SlotMask match_bytes(const uint32_t* words, uint32_t value) {
  SlotMask mask;
  uint32_t word = 0;
  auto add = [&](uint64_t bits) { (word < 16 ? mask.low : mask.high) |= bits << word % 16 * 4; };
#if defined(__CUDA_ARCH__)
  const uint32_t repeated = value * 0x01010101;
#pragma unroll
  for (; word + 4 <= Bytes / 4; word += 4) {
    const uint4 four = *reinterpret_cast<const uint4*>(words + word);
    add(match_bytes_of_word(four.x, repeated) | match_bytes_of_word(four.y, repeated) << 4 |
        match_bytes_of_word(four.z, repeated) << 8 | match_bytes_of_word(four.w, repeated) << 12);
  }
#pragma unroll
  for (; word < Bytes / 4; ++word) add(match_bytes_of_word(words[word], repeated));
#else
#ifdef __SSE2__
  const __m128i wanted = _mm_set1_epi8(static_cast<char>(value));
  for (; word + 4 <= Bytes / 4; word += 4) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(words + word));
    add(static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted))));
  }
#endif
  for (; word < Bytes / 4; ++word) add(match_bytes_of_word(words[word], value * 0x01010101));
#endif
  return mask;
}

}  // namespace vox::hash
