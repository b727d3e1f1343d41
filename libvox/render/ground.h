// The ground of a picture: a level plane below the whole scene. It has the colour of the sky behind it and
// shows only the scene's shadow. Away from the scene it fades.
#pragma once

#include "libvox/render/course.h"

namespace vox::render {

struct GroundPlane {
  uint32_t shown;  // 4 B, 0: there is no ground
  int32_t height;  // 4 B, the height of the plane between voxels
  float x, z;      // 8 B, below the middle of the scene
  float reach;     // 4 B, in voxels from the middle; nothing is shown beyond it
};

// The point at which a ray meets the ground.
struct GroundPoint {
  FinePoint at = {};
  float distance = 0;  // from the eye, in voxels
  float share = 0;     // how much of a shadow is shown there; 0: none, or the ray misses the ground
};

VOX_HD inline GroundPoint ground_point(const GroundPlane& ground, FinePoint eye, const Course& course) {
  constexpr float kFarthest = 0x1p28f;  // in voxels: points are whole numbers up to 2^30
  const int64_t plane = int64_t{ground.height} << kFineBits;
  if (eye.y <= plane || (course.mirrored >> 1 & 1) == 0) return {};
  const float ahead = static_cast<float>(eye.y - plane) * 0x1p-32f / course.slope.y;
  if (!(ahead < kFarthest)) return {};
  const auto along = [&](uint32_t axis) {
    return (course.mirrored >> axis & 1) != 0 ? -course.slope[axis] * ahead : course.slope[axis] * ahead;
  };
  const float x = along(0), z = along(2);
  const float from_x = static_cast<float>(eye.x) * 0x1p-32f + x - ground.x,
              from_z = static_cast<float>(eye.z) * 0x1p-32f + z - ground.z;
  const float rest = 1 - (from_x * from_x + from_z * from_z) / (ground.reach * ground.reach);
  if (!(rest > 0)) return {};
  const auto fine = [](float part) { return static_cast<int64_t>(part * 0x1p32f); };
  return {{eye.x + fine(x), plane, eye.z + fine(z)},
          ahead * square_root(dot(course.slope, course.slope)),
          rest * rest};
}

}  // namespace vox::render
