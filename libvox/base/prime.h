// Primes: numbers of slots that steps of every size go through.
#pragma once

#include <cstdint>

namespace vox {

// The least prime that is at least n, or 1.
inline uint64_t next_prime(uint64_t n) {
  const auto is_prime = [&] {
    for (uint64_t d = 2; d * d <= n; ++d)
      if (n % d == 0) return false;
    return true;
  };
  while (!is_prime()) ++n;
  return n;
}

}  // namespace vox
