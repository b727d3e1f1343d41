// The point where a ray hit, from which other rays start.
#pragma once

#include "libvox/render/trace.h"

namespace vox::render {

// The point in the face that was hit, exact along the face's axis: a ray that starts here and leaves the face
// does not hit what is behind it. Where the ray began inside a voxel, this is its origin.
VOX_HD inline Vec3d hit_point(Vec3d origin, Vec3d direction, const Ray& ray, const Hit& hit) {
  const double scale = distance_to(ray, hit.at) / std::sqrt(dot(direction, direction));
  const Vec3d at = origin + direction * scale;
  const uint32_t face = axis_of(hit.at);
  const auto along = [&](double value, double low, double high, uint32_t axis) {
    if (face == axis) return ray.mirrored >> axis & 1 ? high : low;
    return value < low ? low : value > high ? high : value;
  };
  return {along(at.x, hit.low.x, hit.high.x, 0), along(at.y, hit.low.y, hit.high.y, 1),
          along(at.z, hit.low.z, hit.high.z, 2)};
}

}  // namespace vox::render
