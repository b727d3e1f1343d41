#include "libvox/render/ray_hits.h"

#include <cmath>

namespace vox::render {
namespace {

double largest_part(Vec3d v) {
  return std::fmax(std::fabs(v.x), std::fmax(std::fabs(v.y), std::fabs(v.z)));
}

bool all_finite(Vec3d v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

// A ray that begins outside of the cube and goes away from it.
constexpr GridRay kMissing = {
    {-(int64_t{1} << kFineBits), -(int64_t{1} << kFineBits), -(int64_t{1} << kFineBits)},
    {-(int64_t{1} << 60), -(int64_t{1} << 60), -(int64_t{1} << 60)}};

}  // namespace

bool RayPlacer::accepts(Vec3d from, Vec3d direction) const {
  return all_finite(from) && all_finite(direction) && largest_part(direction) > 0 &&
         largest_part((from - origin_) / voxel_size_) < kFarthest;
}

PlacedRay RayPlacer::placed(Vec3d from, Vec3d direction) const {
  const double side = std::ldexp(1.0, static_cast<int>(log2_side_));
  const double shortest = voxel_size_.shortest();
  const double largest = largest_part(direction);  // its reciprocal may be infinite
  const Vec3d world = {direction.x / largest, direction.y / largest, direction.z / largest};
  const Vec3d grid =
      quotient(world, voxel_size_.shape());  // in voxels, while `world` is in their shortest sides
  Vec3d at = (from - origin_) / voxel_size_;
  double before = 0;
  // A ray that begins far away is moved to a place in front of the cube, because the error of a ray grows with its length.
  const Vec3d to_middle = Vec3d{side, side, side} * 0.5 - at;
  if (largest_part(to_middle) > 4 * side) {
    const double speed = std::sqrt(dot(grid, grid));
    before = dot(to_middle, grid) / (speed * speed) - 2 * side / speed;
    const Vec3d nearer = at + grid * before, left = to_middle - grid * before;
    if (!(before > 0) || largest_part(left) > 4 * side) return {kMissing, 0, 0};
    at = nearer;
  }
  const double unit = std::sqrt(dot(world, world)) * shortest;
  return {{fine_point(at), fine_direction(grid)},
          before * unit,
          std::ldexp(unit / largest_part(grid), -static_cast<int>(log2_ticks(log2_side_)))};
}

}  // namespace vox::render
