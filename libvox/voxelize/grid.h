// The place of the R³ voxels in the world (docs/architecture.md, "Axes and numbers"). Voxel (i, j, k) is the box
// that begins at origin + voxel_size · (i, j, k), axis by axis. It is a cube unless the user asks for other sides.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "libvox/base/geometry.h"
#include "libvox/base/vec.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/scene/scene.h"

namespace vox::voxelize {

inline constexpr uint32_t kMinResolution = 4;
inline constexpr uint32_t kMaxResolution = 1u << 20;

struct Grid {
  uint32_t resolution = 0;
  Vec3d origin = {0, 0, 0};
  VoxelSize voxel_size = 1;

  // The origin in voxels, as whole numbers, if the grid is snapped. All snapped grids of one voxel size are
  // windows of one world grid, so a triangle that lies in several of them fills the same voxels in each.
  std::optional<Vec3d> first_voxel = std::nullopt;
};

struct Box {
  Vec3d min, max;
};

Box bounding_box(const scene::Scene& scene);  // around the triangles; min > max if there are none

struct GridOptions {
  uint32_t resolution = 0;   // voxels along the longest side; 0 if voxel_size is given
  VoxelSize voxel_size = 0;  // world units per voxel; 0 if resolution is given
  bool center = false;       // put the shorter sides in the middle of the cube instead of at its origin
  bool snap = false;         // move the origin to a multiple of the voxel size
  std::optional<Box> clip = std::nullopt;  // the grid spans this box instead of the scene's

  bool has_voxel_size() const { return voxel_size != VoxelSize(0); }
};

// Fits a grid to the scene. With a resolution, the longest side of the box spans the R voxels exactly. With a voxel
// size, R is the number of voxels that the longest side (in voxels) needs. Snapping moves the origin down to a
// multiple of the voxel size (to the nearest multiple if a clip box misses it only by rounding), and adds one voxel if
// the other end needs it. Throws UsageError if not exactly one of resolution and voxel size is given, if the
// resolution is outside [kMinResolution, kMaxResolution], or if the clip box is empty. Throws Error if the scene is
// empty.
Grid fit_grid(const scene::Scene& scene, const GridOptions& options);

// Does the same for several boxes, of which empty ones (min > max) do not count. Throws Error if all are empty.
Grid fit_boxes(std::span<const Box> boxes, GridOptions options);

// Returns the voxels of a scene that a box of the world touches. The result may be empty.
VoxelBox voxels_touched(const dag::VoxelScene& scene, const Box& box);

// Turns the scene so that its `up` axis becomes y: (x, y, z) becomes (z, x, y) for X, (x, y, z) for Y, and
// (x, z, -y) for Z.
void turn_up(scene::Scene& scene, dag::UpAxis up);

// Does the same as fit_grid(), for a box instead of a scene's bounding box. Throws Error if the box is empty.
Grid fit_box(const Box& box, const GridOptions& options);

// The rounding error, in voxels, of a grid that is not snapped. A point on its far side may seem to lie this
// far beyond it, because a quotient of lengths is rounded.
inline constexpr double kGridRounding = 1.0 / 512;

// Turns a point of a file so that the file's axis `up` becomes y: (x, y, z) becomes (z, x, y) for X, (x, y, z) for Y,
// and (x, z, -y) for Z.
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
