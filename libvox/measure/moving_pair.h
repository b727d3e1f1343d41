// Two meshes that move through each other on one grid, as in Alcantara et al. 2009, §6 ("Spatial hashing"):
// the first rests in the middle; the second passes through it and makes one full turn about the vertical
// axis.
#pragma once

#include "libvox/base/hd.h"
#include "libvox/base/vec.h"
#include "libvox/voxelize/grid.h"

namespace vox::measure {

// The transformation of a mesh to its place in one frame. It uses only operations that IEEE 754 rounds in one
// way, so the result is the same on every device.
struct MeshPlace {
  Vec3d center;     // 24 B, the centre of the mesh's box, in its own units
  double scale;     // 8 B, voxels per unit
  double cos, sin;  // 16 B, of the rotation about the y axis
  Vec3d to;         // 24 B, the centre's new place, in voxels

  VOX_HD Vec3d operator()(const Vec3d& point) const {
    const Vec3d p = point - center;
    return to + Vec3d{cos * p.x + sin * p.z, p.y, cos * p.z - sin * p.x} * scale;
  }
};
static_assert(sizeof(MeshPlace) == 72);

struct MovingPair {
  // kShare is the longest side of each mesh's box as a share of the grid. kWay is the second mesh's distance
  // from the middle along x, as a share, in the first frame and, on the other side, in the last. It stays
  // inside the grid however it turns: half its diagonal plus the distance is 0.4 / √2 + 0.2 < ½.
  static constexpr double kShare = 0.4, kWay = 0.2;

  uint32_t resolution = 0, frames = 0;

  double turn(uint32_t frame) const;   // the second mesh's rotation as a share of a full turn, in [0, 1)
  double shift(uint32_t frame) const;  // the second mesh's position, in voxels along x

  // `box` is the mesh's bounding box. Throws Error if it has no extent.
  MeshPlace resting(const voxelize::Box& box) const;
  MeshPlace moving(const voxelize::Box& box, uint32_t frame) const;
};

}  // namespace vox::measure
