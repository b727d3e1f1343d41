// Masks of a 4 × 4 × 4 lattice of boxes, and the sign tests that compute them row by row.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/base/morton.h"
#include "libvox/base/vec.h"

#if defined(__SSE2__) && !defined(__CUDA_ARCH__)
#include <emmintrin.h>
#endif

namespace vox::voxelize::lattice {

// Returns a mask. Bit i is set if first + i·step is negative, for i < 4.
template <class T>
VOX_HD uint32_t negative_row(T first, T step) {
  uint32_t bits = 0;
  for (uint32_t i = 0; i < 4; ++i, first += step) bits |= static_cast<uint32_t>(first < 0) << i;
  return bits;
}

// Returns a mask. Bit i + 4·j is set if first + i·u + j·v is negative, for i, j < 4.
template <class T>
VOX_HD uint32_t negative_squares(T first, T u, T v) {
  uint32_t bits = 0;
  for (uint32_t j = 0; j < 4; ++j, first += v) bits |= negative_row(first, u) << 4 * j;
  return bits;
}

// Returns the same mask for two such sums. A bit is set if either sum is negative.
template <class T>
VOX_HD uint32_t negative_squares(T first, T u, T v, T other_first, T other_u, T other_v) {
  return negative_squares(first, u, v) | negative_squares(other_first, other_u, other_v);
}

// Returns a mask. Bit i is set if values[i] is negative.
template <class T>
VOX_HD uint32_t negative_bits(const T (&values)[12]) {
  uint32_t bits = 0;
  for (uint32_t i = 0; i < 12; ++i) bits |= static_cast<uint32_t>(values[i] < 0) << i;
  return bits;
}

#if defined(__SSE2__) && !defined(__CUDA_ARCH__)
// This version reads the sign bits of two vectors of two lanes each.
template <>
inline uint32_t negative_row(int64_t first, int64_t step) {
  const __m128i low = _mm_add_epi64(_mm_set1_epi64x(first), _mm_set_epi64x(step, 0));
  const __m128i high = _mm_add_epi64(low, _mm_set1_epi64x(2 * step));
  return static_cast<uint32_t>(_mm_movemask_pd(_mm_castsi128_pd(low)) |
                               _mm_movemask_pd(_mm_castsi128_pd(high)) << 2);
}
#endif

// Exchanges bits a and b > a in the index of every bit. `mask` holds the bits whose index has bit a set and
// bit b clear; `shift` is 2^b - 2^a.
VOX_HD inline uint64_t swap_index_bits(uint64_t bits, uint64_t mask, int shift) {
  const uint64_t moved = (bits >> shift ^ bits) & (mask);
  return bits ^ moved ^ moved << shift;
}

// Reorders bits from row order, in which box (i, j, k) has the bit with the index i + 4·j + 16·k, to the
// order of base/morton.h. The bits of the index are exchanged three times:
//
//   bit of the index        5   4   3   2   1   0
//   row order               k1  k0  j1  j0  i1  i0
//   1 and 2 exchanged       k1  k0  j1  i1  j0  i0
//   2 and 4 exchanged       k1  i1  j1  k0  j0  i0
//   3 and 4 exchanged       k1  j1  i1  k0  j0  i0      Morton order
VOX_HD inline uint64_t rows_to_morton(uint64_t rows) {
  rows = swap_index_bits(rows, 0x0c0c0c0c0c0c0c0cull, 2);   // 1 and 2
  rows = swap_index_bits(rows, 0x0000f0f00000f0f0ull, 12);  // 2 and 4
  return swap_index_bits(rows, 0x0000ff000000ff00ull, 8);   // 3 and 4
}

VOX_HD inline uint64_t morton_to_rows(uint64_t bits) {
  bits = swap_index_bits(bits, 0x0000ff000000ff00ull, 8);
  bits = swap_index_bits(bits, 0x0000f0f00000f0f0ull, 12);
  return swap_index_bits(bits, 0x0c0c0c0c0c0c0c0cull, 2);
}

// Spreads 16 bits: bit n becomes the four bits of nibble n.
VOX_HD inline uint64_t bits_to_nibbles(uint64_t bits) {
  bits = (bits | bits << 24) & 0x000000ff000000ffull;
  bits = (bits | bits << 12) & 0x000f000f000f000full;
  bits = (bits | bits << 6) & 0x0303030303030303ull;
  bits = (bits | bits << 3) & 0x1111111111111111ull;
  return bits * 15;
}

// Spreads 4 bits: bit n becomes the 16 bits of group n.
VOX_HD inline uint64_t bits_to_groups(uint32_t bits) {
  return (bits & 1 ? 0xffffull : 0) | (bits & 2 ? 0xffff0000ull : 0) | (bits & 4 ? 0xffff00000000ull : 0) |
         (bits & 8 ? 0xffff000000000000ull : 0);
}

// Each function returns the mask, in row order, of the boxes over the squares of a projection. The squares are the bits
//   i + 4·j   of a projection along z
//   j + 4·k   of a projection along x
//   i + 4·k   of a projection along y
VOX_HD inline uint64_t over_z(uint64_t squares) {
  return squares * 0x0001000100010001ull;
}
VOX_HD inline uint64_t over_x(uint64_t squares) {
  return bits_to_nibbles(squares);
}
VOX_HD inline uint64_t over_y(uint64_t squares) {
  squares = (squares | squares << 24) & 0x000000ff000000ffull;
  squares = (squares | squares << 12) & 0x000f000f000f000full;
  return squares * 0x1111;
}

VOX_HD inline bool contains(Int3 place) {
  return ((place.x | place.y | place.z) & ~3) == 0;
}

// Returns a mask of four bits in which bits low to high are set. low and high may lie outside 0 to 3.
VOX_HD inline uint32_t range4(int32_t low, int32_t high) {
  if (high < 0 || low > 3) return 0;
  return ((2u << (high > 3 ? 3 : high)) - 1) & ~((1u << (low < 0 ? 0 : low)) - 1);
}

// Returns the boxes of side 2^log2_step at `corner` that begin below `end` along every axis, in Morton order.
VOX_HD inline uint64_t boxes_below(Int3 corner, int log2_step, int32_t end) {
  const Int3 last = {(end - 1 - corner.x) >> log2_step, (end - 1 - corner.y) >> log2_step,
                     (end - 1 - corner.z) >> log2_step};
  if (last.x >= 3 && last.y >= 3 && last.z >= 3) return ~uint64_t{0};
  return rows_to_morton(range4(0, last.x) * 0x1111111111111111ull & over_x(range4(0, last.y) * 0x1111u) &
                        bits_to_groups(range4(0, last.z)));
}

}  // namespace vox::voxelize::lattice

// Sixteen numbers, one for each square of a projection of a 4 × 4 × 4 lattice, on a processor. They are one,
// two or four vectors, as wide as the vectors of the processor that the code is compiled for. Square (i, j)
// is lane i + 4·j.

#if defined(__SSE4_1__) && !defined(__CUDA_ARCH__)
#define VOX_SQUARES
#ifdef __AVX2__
#include <immintrin.h>
#else
#include <smmintrin.h>
#endif

namespace vox::voxelize::lattice {

#if defined(__AVX512F__) && defined(__AVX512DQ__)
struct SquaresPart {
  __m512i lanes;
  static SquaresPart same(int32_t value) { return {_mm512_set1_epi32(value)}; }
  static SquaresPart load(const int32_t* values) { return {_mm512_loadu_si512(values)}; }
  SquaresPart operator+(SquaresPart other) const { return {_mm512_add_epi32(lanes, other.lanes)}; }
  SquaresPart operator-(SquaresPart other) const { return {_mm512_sub_epi32(lanes, other.lanes)}; }
  SquaresPart operator*(SquaresPart other) const { return {_mm512_mullo_epi32(lanes, other.lanes)}; }
  SquaresPart operator|(SquaresPart other) const { return {_mm512_or_si512(lanes, other.lanes)}; }
};
#elif defined(__AVX2__)
struct SquaresPart {
  __m256i lanes;
  static SquaresPart same(int32_t value) { return {_mm256_set1_epi32(value)}; }
  static SquaresPart load(const int32_t* values) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(values))};
  }
  SquaresPart operator+(SquaresPart other) const { return {_mm256_add_epi32(lanes, other.lanes)}; }
  SquaresPart operator-(SquaresPart other) const { return {_mm256_sub_epi32(lanes, other.lanes)}; }
  SquaresPart operator*(SquaresPart other) const { return {_mm256_mullo_epi32(lanes, other.lanes)}; }
  SquaresPart operator|(SquaresPart other) const { return {_mm256_or_si256(lanes, other.lanes)}; }
};
#else
struct SquaresPart {
  __m128i lanes;
  static SquaresPart same(int32_t value) { return {_mm_set1_epi32(value)}; }
  static SquaresPart load(const int32_t* values) {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(values))};
  }
  SquaresPart operator+(SquaresPart other) const { return {_mm_add_epi32(lanes, other.lanes)}; }
  SquaresPart operator-(SquaresPart other) const { return {_mm_sub_epi32(lanes, other.lanes)}; }
  SquaresPart operator*(SquaresPart other) const { return {_mm_mullo_epi32(lanes, other.lanes)}; }
  SquaresPart operator|(SquaresPart other) const { return {_mm_or_si128(lanes, other.lanes)}; }
};
#endif

class Squares {
 public:
  Squares() = default;
  // Returns i·u + j·v for each square.
  static Squares slope(int32_t u, int32_t v) {
    static constexpr int32_t kI[16] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
    static constexpr int32_t kJ[16] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
    return of([&](int p) {
      return Part::load(kI + p * kLanes) * Part::same(u) + Part::load(kJ + p * kLanes) * Part::same(v);
    });
  }

  Squares operator+(int32_t value) const {
    return of([&](int p) { return parts_[p] + Part::same(value); });
  }
  // Returns value - this for each square.
  Squares below(int32_t value) const {
    return of([&](int p) { return Part::same(value) - parts_[p]; });
  }
  // The result is negative in each square in which one of the two numbers is negative.
  Squares operator|(const Squares& other) const {
    return of([&](int p) { return parts_[p] | other.parts_[p]; });
  }

  // Returns the squares with negative numbers, one bit for each square.
  uint32_t negative() const {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    return _mm512_movepi32_mask(parts_[0].lanes);
#elif defined(__AVX2__)
    const auto bits = [](Part part) {
      return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(part.lanes)));
    };
    return bits(parts_[0]) | bits(parts_[1]) << 8;
#else
    // Packing keeps the signs.
    return static_cast<uint32_t>(
        _mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(parts_[0].lanes, parts_[1].lanes),
                                          _mm_packs_epi32(parts_[2].lanes, parts_[3].lanes))));
#endif
  }

 private:
  using Part = SquaresPart;
  static constexpr int kLanes = sizeof(Part) / sizeof(int32_t), kParts = 16 / kLanes;

  template <class F>
  static Squares of(F part) {
    Squares squares;
    for (int p = 0; p < kParts; ++p) squares.parts_[p] = part(p);
    return squares;
  }

  Part parts_[kParts];
};

}  // namespace vox::voxelize::lattice
#endif
