// Sixteen numbers, one for each square of a projection of a 4 × 4 × 4 lattice, on a processor. They are one,
// two or four vectors, as wide as the vectors of the processor that the code is compiled for. Square (i, j)
// is lane i + 4·j.
#pragma once

#include <cstdint>

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
