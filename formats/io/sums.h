// Sums over many items, on all cores.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <cstdint>

namespace vox {

// Returns what add(sum, i) has added for the items [0, count), at least `grain` of them at a time. A Sum is empty at
// first, and another one can be added to it. The parts are added in the order of items.
template <class Sum, class Add>
Sum sum_of_items(uint64_t count, uint64_t grain, const Add& add) {
  using Range = tbb::blocked_range<uint64_t>;
  return tbb::parallel_reduce(
      Range(0, count, grain), Sum(),
      [&](const Range& range, Sum sum) {
        for (uint64_t i = range.begin(); i < range.end(); ++i) add(sum, i);
        return sum;
      },
      [](Sum a, const Sum& b) {
        a.add(b);
        return a;
      });
}

}  // namespace vox
