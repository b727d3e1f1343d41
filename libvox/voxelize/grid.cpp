#include "libvox/voxelize/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "libvox/base/error.h"

namespace vox::voxelize {
namespace {

void check_resolution(double resolution, const std::string& what) {
  if (resolution >= kMinResolution && resolution <= kMaxResolution) return;
  throw UsageError(
      fmt::format("{}, expected a resolution from {} to {}", what, kMinResolution, kMaxResolution));
}

uint32_t resolution_for(Vec3d extent, const VoxelSize& voxel_size) {
  double most = 0, longest = 0, side = 0;
  for (uint32_t axis = 0; axis < 3; ++axis) {
    if (!(voxel_size[axis] > 0) || !std::isfinite(voxel_size[axis]))
      throw UsageError(fmt::format("the voxel size is {}, expected a length above 0", voxel_size[axis]));
    const double voxels = extent[axis] / voxel_size[axis];
    if (axis == 0 || voxels > most) most = voxels, longest = extent[axis], side = voxel_size[axis];
  }
  // 1.1f / 0.1 is 11.0000002. A vertex less than 1/256 voxel beyond the grid is snapped inward
  // (docs/architecture.md, "Coverage and material"), so an excess of half of that needs no further voxel.
  const double resolution = std::ceil(most - kGridRounding);
  check_resolution(resolution, fmt::format("a voxel size of {} cuts the longest side, {}, into {} voxels",
                                           side, longest, resolution));
  return static_cast<uint32_t>(resolution);
}

void check_box(const Box& box, double longest, bool clip) {
  Vec3d extent = box.max - box.min;
  bool ordered = extent.x >= 0 && extent.y >= 0 && extent.z >= 0;
  if (ordered && std::isnormal(longest / kMaxResolution)) return;
  auto problem = fmt::format("{} from ({}, {}, {}) to ({}, {}, {}) has no size that voxels can divide",
                             clip ? "the clip box" : "the scene's bounding box", box.min.x, box.min.y,
                             box.min.z, box.max.x, box.max.y, box.max.z);
  if (clip) throw UsageError(problem);
  throw Error(problem);
}

// Moves the origin of a grid that spans `box` to a multiple of the voxel size. A vertex on a voxel's lower
// face is in that voxel, so that the far face of a mesh may need one voxel more. A clip box ends there, and
// may miss a voxel's face by rounding.
void snap_origin(Grid& grid, const Box& box, bool clip) {
  constexpr double kFarthest = 1e12;  // in voxels: their 512ths are exact
  const Vec3d low = grid.origin / grid.voxel_size, high = box.max / grid.voxel_size;
  auto first = [&](double voxels) { return std::floor(voxels + (clip ? kGridRounding : 0)); };
  const Vec3d start = {first(low.x), first(low.y), first(low.z)};
  if (!(std::max({std::abs(start.x), std::abs(start.y), std::abs(start.z)}) < kFarthest))
    throw Error("the scene is too far from the world's origin for a snapped grid");
  auto end = [&](double voxels) { return clip ? std::ceil(voxels - kGridRounding) : std::floor(voxels) + 1; };
  const double resolution = std::max({end(high.x) - start.x, end(high.y) - start.y, end(high.z) - start.z});
  check_resolution(resolution, fmt::format("with its origin snapped, the grid has {} voxels", resolution));
  grid.resolution = static_cast<uint32_t>(resolution);
  grid.first_voxel = start;
  grid.origin = start * grid.voxel_size;
}

}  // namespace

Box bounding_box(const scene::Scene& scene) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  Box box = {{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}};
  for (const scene::Triangle& triangle : scene.triangles)
    for (uint32_t index : triangle.position) {
      Vec3d p = scene.positions[index];
      box.min = {std::min(box.min.x, p.x), std::min(box.min.y, p.y), std::min(box.min.z, p.z)};
      box.max = {std::max(box.max.x, p.x), std::max(box.max.y, p.y), std::max(box.max.z, p.z)};
    }
  return box;
}

Grid fit_grid(const scene::Scene& scene, const GridOptions& options) {
  if ((options.resolution == 0) != options.has_voxel_size())
    throw UsageError("expected either a resolution or a voxel size");
  if (scene.triangles.empty() && !options.clip) throw Error("the scene has no triangles to voxelize");
  return fit_box(options.clip ? Box() : bounding_box(scene), options);
}

Grid fit_boxes(std::span<const Box> boxes, GridOptions options) {
  std::optional<Box> all = options.clip;
  for (const Box& box : boxes) {
    if (options.clip || box.min.x > box.max.x) continue;
    if (!all) all = box;
    for (uint32_t axis = 0; axis < 3; ++axis) {
      all->min[axis] = std::min(all->min[axis], box.min[axis]);
      all->max[axis] = std::max(all->max[axis], box.max[axis]);
    }
  }
  if (!all) throw Error("no voxel of the inputs is filled");
  options.clip = all;
  return fit_grid({}, options);
}

Grid fit_box(const Box& content, const GridOptions& options) {
  if ((options.resolution == 0) != options.has_voxel_size())
    throw UsageError("expected either a resolution or a voxel size");
  const Box box = options.clip ? *options.clip : content;
  Vec3d extent = box.max - box.min;
  double longest = std::max({extent.x, extent.y, extent.z});
  check_box(box, longest, options.clip.has_value());

  Grid grid = {.resolution = options.resolution, .origin = box.min, .voxel_size = options.voxel_size};
  Vec3d sides = {longest, longest,
                 longest};  // the grid's; exact, so that centring does not move the longest side
  if (options.resolution != 0) {
    check_resolution(options.resolution, fmt::format("the resolution is {}", options.resolution));
    grid.voxel_size = longest / options.resolution;
  } else {
    grid.resolution = resolution_for(extent, options.voxel_size);
    for (uint32_t axis = 0; axis < 3; ++axis)
      sides[axis] = std::max(grid.voxel_size.is_cube() ? longest : extent[axis],
                             grid.voxel_size[axis] * grid.resolution);
  }
  if (options.center) grid.origin = box.min - (sides - extent) * 0.5;
  if (options.snap) snap_origin(grid, box, options.clip.has_value());
  return grid;
}

VoxelBox voxels_touched(const dag::VoxelScene& scene, const Box& box) {
  const double last = scene.dag.resolution;
  VoxelBox touched = {};
  for (uint32_t axis = 0; axis < 3; ++axis) {
    const auto at = [&](const Vec3d& world) {
      return (world[axis] - scene.origin[axis]) / scene.voxel_size[axis];
    };
    touched.min[axis] = static_cast<int32_t>(std::clamp(std::floor(at(box.min)), 0.0, last));
    touched.max[axis] = static_cast<int32_t>(std::clamp(std::ceil(at(box.max)), 0.0, last));
  }
  return touched;
}

void turn_up(scene::Scene& scene, dag::UpAxis up) {
  for (Vec3d& p : scene.positions) p = turned_up(p, up);
}

}  // namespace vox::voxelize
