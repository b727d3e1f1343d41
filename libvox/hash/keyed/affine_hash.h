// The hash functions of both tables of Alcantara et al.: (c0 + c1 k) mod a prime.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"

namespace vox::hash {

// 2^32 - 5. Different keys of 32 bits have different remainders by it, except the greatest five.
constexpr uint32_t kAffineLargePrime = 4294967291;

// The constants must be less than the prime, and c1 must not be 0.
template <uint32_t kPrime>
struct AffineHash {
  uint32_t c0, c1;

  // Returns the function that two random words define.
  VOX_HD static AffineHash from(uint32_t a, uint32_t b) { return {a % kPrime, b % (kPrime - 1) + 1}; }
  VOX_HD static AffineHash from(uint64_t word) {
    return from(static_cast<uint32_t>(word), static_cast<uint32_t>(word >> 32));
  }

  // Returns a value less than the prime. The sum fits in 64 bits for every k.
  VOX_HD uint32_t operator()(uint32_t k) const {
    return static_cast<uint32_t>((c0 + uint64_t{c1} * k) % kPrime);
  }
};

}  // namespace vox::hash
