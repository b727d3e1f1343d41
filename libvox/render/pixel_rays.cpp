#include "libvox/render/pixel_rays.h"

#include <algorithm>
#include <cmath>

namespace vox::render {

PixelRays pixel_rays(const Camera& camera) {
  constexpr int kBits = 57;
  double largest = 0;
  for (const uint32_t corner : {0u, 1u, 2u, 3u}) {
    const Vec3d d = camera.direction(corner & 1 ? camera.size.width : 0, corner & 2 ? camera.size.height : 0);
    largest = std::max({largest, std::fabs(d.x), std::fabs(d.y), std::fabs(d.z)});
  }
  const int exponent = fine_exponent(largest, kBits);
  PixelRays rays;
  rays.eye = fine_point(camera.eye);
  rays.corner = fine_direction(camera.corner, exponent);
  rays.right = fine_direction(camera.right, exponent);
  rays.down = fine_direction(camera.down, exponent);
  rays.depth_one = std::ldexp(1.0f, exponent);
  rays.spread = static_cast<float>(camera.spread);
  rays.log2_side = camera.log2_side;
  return rays;
}

}  // namespace vox::render
