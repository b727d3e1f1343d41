// Places of voxels as numbers of another type, and in arrays.
#pragma once

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

}  // namespace vox
