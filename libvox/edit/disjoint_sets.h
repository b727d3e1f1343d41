// Disjoint sets that many threads unite at the same time. The least member stands for its set, in whatever
// order the sets are united.
#pragma once

#include "libvox/device/atomics.h"

namespace vox::edit {

struct DisjointSets {
  uint32_t* parents;  // no parent is greater than its child; at first each member is its own parent

  VOX_HD uint32_t root(uint32_t member) const {
    for (;;) {
      const uint32_t parent = device::atomic_load_relaxed(parents + member);
      if (parent == member) return member;
      const uint32_t above = device::atomic_load_relaxed(parents + parent);
      if (above != parent)
        device::atomic_exchange_if_relaxed(parents + member, parent, above);  // shortens the path
      member = above;
    }
  }

  VOX_HD void unite(uint32_t a, uint32_t b) const {
    for (;;) {
      a = root(a);
      b = root(b);
      if (a == b) return;
      const uint32_t upper = a > b ? a : b, lower = a > b ? b : a;
      if (device::atomic_exchange_if_relaxed(parents + upper, upper, lower) == upper) return;
    }
  }
};

}  // namespace vox::edit
