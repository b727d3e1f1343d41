// Brings data that ranks have on their hosts to rank 0.
#pragma once

#include <numeric>
#include <type_traits>
#include <vector>

#include "libvox/ranks/ranks.h"

namespace vox::ranks {

// Collective. Returns the items of all ranks, those of rank 0 first, on rank 0, and nothing on the other
// ranks. `Items` is a vector or has a vector's functions.
template <class Items>
Items brought_to_first(Ranks& ranks, const Items& items) {
  using Item = std::remove_cvref_t<decltype(*items.data())>;
  static_assert(std::is_trivially_copyable_v<Item>);
  const std::vector<uint64_t> counts = ranks.gather(items.size());
  std::vector<uint64_t> send(ranks.count()), receive(ranks.count());
  send[0] = items.size() * sizeof(Item);
  Items all;
  if (ranks.rank() == 0) {
    all.resize(std::reduce(counts.begin(), counts.end()));
    for (size_t rank = 0; rank < counts.size(); ++rank) receive[rank] = counts[rank] * sizeof(Item);
  }
  ranks.exchange(items.data(), send, all.data(), receive);
  return all;
}

}  // namespace vox::ranks
