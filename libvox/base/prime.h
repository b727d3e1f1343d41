// Primes, for tables whose number of slots must have no divisor in common with any step through them.
#pragma once

#include <cstdint>

namespace vox {

// Returns the least prime that is at least n. Returns 1 for n = 1.
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
