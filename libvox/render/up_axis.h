// The axis of a volume that points up in its pictures. Views expect y to point up, so the volume's boxes are
// turned accordingly, and the poses are turned back.
#pragma once

#include "libvox/base/vec.h"
#include "libvox/base/voxel_box.h"

namespace vox::render {

enum class Up { X, Y, Z, MinusX, MinusY, MinusZ };

// Returns the vector in axes in which y points up; X, Y and Z are turned as in voxelize/up_axis.h.
template <class T>
constexpr Vec3<T> turned_up(const Vec3<T>& v, Up up) {
  switch (up) {
    case Up::X:
      return {v.z, v.x, v.y};
    case Up::MinusX:
      return {v.z, -v.x, -v.y};
    case Up::MinusY:
      return {v.x, -v.y, -v.z};
    case Up::Z:
      return {v.x, v.z, -v.y};
    case Up::MinusZ:
      return {v.x, -v.z, v.y};
    case Up::Y:
      break;
  }
  return v;
}

// Returns the vector v for which turned_up(v, up) is this vector.
template <class T>
constexpr Vec3<T> turned_back(const Vec3<T>& v, Up up) {
  switch (up) {
    case Up::X:
      return {v.y, v.z, v.x};
    case Up::MinusX:
      return {-v.y, -v.z, v.x};
    case Up::Z:
      return {v.x, -v.z, v.y};
    case Up::MinusZ:
      return {v.x, v.z, -v.y};
    case Up::MinusY:
    case Up::Y:
      break;
  }
  return turned_up(v, up);
}

inline VoxelBox turned_up(const VoxelBox& box, Up up) {
  const Int3 a = turned_up(box.min, up), b = turned_up(box.max, up);
  VoxelBox turned = {a, b};
  for (uint32_t axis = 0; axis < 3; ++axis)
    if (a[axis] > b[axis]) turned.min[axis] = b[axis], turned.max[axis] = a[axis];
  return turned;
}

}  // namespace vox::render
