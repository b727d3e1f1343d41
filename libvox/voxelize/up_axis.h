// Turns points of a file so that the axis that points up becomes y.
#pragma once

#include "libvox/base/vec.h"
#include "libvox/dag/voxel_scene.h"

namespace vox::voxelize {

// (x, y, z) becomes (z, x, y) for X, (x, y, z) for Y, and (x, z, -y) for Z.
inline Vec3d turned_up(const Vec3d& p, dag::UpAxis up) {
  switch (up) {
    case dag::UpAxis::X:
      return {p.z, p.x, p.y};
    case dag::UpAxis::Z:
      return {p.x, p.z, -p.y};
    default:
      return p;
  }
}

}  // namespace vox::voxelize
