// Divides common data among ranks: a rank with more memory gets a larger share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "libvox/base/hd.h"
#include "libvox/ranks/ranks.h"

namespace vox::ranks {

struct Shares {
  std::vector<uint64_t> before;  // sums of the weights before each rank, and the sum of all

  // Returns where a rank's share of n things begins; n is at most 2^32.
  uint64_t begin(uint64_t n, uint32_t rank) const { return n * before[rank] / before.back(); }
  // Returns where each rank's share begins.
  std::vector<uint64_t> begins(uint64_t n) const {
    std::vector<uint64_t> result;
    for (uint32_t rank = 0; rank + 1 < before.size(); ++rank) result.push_back(begin(n, rank));
    return result;
  }
};

// Collective. `memory` is how many bytes this rank may use.
inline Shares agreed_shares(Ranks& ranks, uint64_t memory) {
  constexpr uint64_t kMost = uint64_t{1} << 24;  // in MiB; it keeps products below 2^64
  Shares shares = {{0}};
  for (const uint64_t weight : ranks.gather(1 + std::min(memory >> 20, kMost)))
    shares.before.push_back(shares.before.back() + weight);
  return shares;
}

// Returns the rank whose share holds a thing. `begins` says where the ranks' shares begin.
VOX_HD inline uint32_t share_that_holds(const uint64_t* begins, uint32_t ranks, uint64_t thing) {
  uint32_t low = 0, high = ranks;
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    if (begins[middle] <= thing) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace vox::ranks
