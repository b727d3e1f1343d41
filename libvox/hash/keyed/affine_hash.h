// The hash functions of both tables of Alcantara et al.: (c0 + c1 k) mod a prime.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"

namespace vox::hash {

// 2^32 - 5. Keys of 32 bits that differ leave different rests by it, but for the greatest five.
constexpr uint32_t kAffineLargePrime = 4294967291;

// The constants are less than the prime, and c1 is not 0.
template <uint32_t kPrime>
struct AffineHash {
  uint32_t c0, c1;

  // The function that follows from two random words.
  VOX_HD static AffineHash from(uint32_t a, uint32_t b) { return {a % kPrime, b % (kPrime - 1) + 1}; }
  VOX_HD static AffineHash from(uint64_t word) {
    return from(static_cast<uint32_t>(word), static_cast<uint32_t>(word >> 32));
  }

  // Is less than the prime. The sum fits, whatever k is.
  VOX_HD uint32_t operator()(uint32_t k) const {
    return static_cast<uint32_t>((c0 + uint64_t{c1} * k) % kPrime);
  }
};

}  // namespace vox::hash
