// Places of voxels as numbers of another type, and in arrays; sums over many of them.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <cstdint>

#include "libvox/base/geometry.h"
#include "libvox/base/vec.h"

namespace vox {

template <class To, class From>
constexpr Vec3<To> vec_of(const Vec3<From>& v) {
  return {static_cast<To>(v.x), static_cast<To>(v.y), static_cast<To>(v.z)};
}

// Returns the index of a place in an array of this size, x fastest.
constexpr uint64_t index_in(const Int3& size, const Int3& at) {
  const auto s = vec_of<uint64_t>(size), p = vec_of<uint64_t>(at);
  return (p.z * s.y + p.y) * s.x + p.x;
}

// Calls body(voxel) for the voxels of a box, x fastest.
template <class Body>
void for_each_place_in(const VoxelBox& box, const Body& body) {
  for (int32_t z = box.min.z; z < box.max.z; ++z)
    for (int32_t y = box.min.y; y < box.max.y; ++y)
      for (int32_t x = box.min.x; x < box.max.x; ++x) body(Int3{x, y, z});
}

// Sums over many items, on all cores.

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
