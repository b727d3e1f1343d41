// The point at which a ray hit, from which other rays start.
#pragma once

#include "libvox/render/trace.h"

namespace vox::render {

// Returns the point in the face that was hit. It is exact along the face's axis, so that a ray that starts
// here and leaves the face does not hit what is behind the face. Along the other axes it is exact to 2^-22 of
// the width of the box that was hit. The ray came from `eye` on `course`, and must not have begun inside the
// box.
VOX_HD inline FinePoint hit_point(FinePoint eye, const Course& course, const Ray& ray, const Hit& hit) {
  const int64_t side = int64_t{1} << ray.log2_side;
  const auto along = [&](int32_t low, int32_t high, uint32_t axis) {
    const bool down = (ray.mirrored >> axis & 1) != 0;
    const int64_t near = down ? side - high : low, width = high - low;
    int64_t at = near << kFineBits;
    if (axis_of(hit.at) != axis) {
      int64_t inside;
      if ((course.still >> axis & 1) != 0) {
        inside = detail::RayAxis(eye[axis], course, axis).still_at(ticks_to(ray, hit.at), ray.log2_side) - at;
      } else {
        const Crossing since = hit.at - (ray.first[axis] + near * ray.step[axis]);
        inside =
            static_cast<int64_t>(static_cast<float>(since) / static_cast<float>(ray.step[axis]) * 0x1p32f);
      }
      at += inside < 0 ? 0 : inside > width << kFineBits ? width << kFineBits : inside;
    }
    return down ? (side << kFineBits) - at : at;
  };
  return {along(hit.low.x, hit.high.x, 0), along(hit.low.y, hit.high.y, 1), along(hit.low.z, hit.high.z, 2)};
}

// Returns the voxel that contains a point.
VOX_HD inline Int3 voxel_at(FinePoint point) {
  const auto along = [](int64_t at) { return static_cast<int32_t>(at >> kFineBits); };
  return {along(point.x), along(point.y), along(point.z)};
}

// Returns the voxel in front of the face that was hit, at a point of the face.
VOX_HD inline Int3 voxel_before(const Hit& hit, Int3 normal, FinePoint point) {
  const auto along = [](int32_t low, int32_t high, int32_t out, int64_t at) {
    return out > 0 ? high : out < 0 ? low - 1 : static_cast<int32_t>(at >> kFineBits);
  };
  return {along(hit.low.x, hit.high.x, normal.x, point.x), along(hit.low.y, hit.high.y, normal.y, point.y),
          along(hit.low.z, hit.high.z, normal.z, point.z)};
}

}  // namespace vox::render
