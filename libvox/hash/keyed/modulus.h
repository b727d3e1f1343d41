// Computes the remainder by a divisor that is used often, with two multiplications.
#pragma once

#include <cstdint>

#include "libvox/base/bits.h"

namespace vox::hash {

struct Modulus {
  uint64_t divisor;
  uint64_t reciprocal;  // (2^64 − 1) / divisor; quotients by it are right or too small by 1

  static Modulus of(uint64_t divisor) { return {divisor, UINT64_MAX / divisor}; }
  VOX_HD uint64_t operator()(uint64_t x) const {
    const uint64_t rest = x - multiply_high(x, reciprocal) * divisor;
    return rest >= divisor ? rest - divisor : rest;
  }
};

}  // namespace vox::hash
