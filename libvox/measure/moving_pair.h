// Two meshes that move through each other on one grid, the stage of Alcantara et al. 2009, §6 ("Spatial hashing"):
// the first rests in the middle, the second passes through it and turns once about the vertical axis.
#pragma once

#include "libvox/base/hd.h"
#include "libvox/base/vec.h"
#include "libvox/voxelize/grid.h"

namespace vox::measure {

// Where a mesh stands in one frame. The result is the same on every device: only operations are used that
// IEEE 754 rounds in one way.
struct MeshPlace {
  Vec3d center;     // 24 B, of the mesh's box, in its own units
  double scale;     // 8 B, voxels a unit
  double cos, sin;  // 16 B, of the turn about the y axis
  Vec3d to;         // 24 B, where the centre comes to, in voxels

  VOX_HD Vec3d operator()(const Vec3d& point) const {
    const Vec3d p = point - center;
    return to + Vec3d{cos * p.x + sin * p.z, p.y, cos * p.z - sin * p.x} * scale;
  }
};
static_assert(sizeof(MeshPlace) == 72);

struct MovingPair {
  // The longest side of each mesh's box, as a share of the grid, and how far the second one is from the middle in
  // the first frame and, on the other side, in the last, along x. However it turns, it stays inside: half its
  // diagonal across and this way are 0.4 / √2 + 0.2 < ½.
  static constexpr double kShare = 0.4, kWay = 0.2;

  uint32_t resolution = 0, frames = 0;

  double turn(uint32_t frame) const;   // of the second mesh: a share of a whole turn, in [0, 1)
  double shift(uint32_t frame) const;  // of the second mesh, in voxels along x

  // `box` is that of the mesh. Throws Error where it has no extent.
  MeshPlace resting(const voxelize::Box& box) const;
  MeshPlace moving(const voxelize::Box& box, uint32_t frame) const;
};

}  // namespace vox::measure
