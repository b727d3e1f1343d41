// The rays through the points of an image, in whole numbers: the form in which a device reads a camera.
#pragma once

#include "libvox/render/camera.h"
#include "libvox/render/ray.h"

namespace vox::render {

// Places along an axis of an image are counted in 2^-16 of a pixel.
inline constexpr uint32_t kSubpixelBits = 16;

struct PixelRays {
  FinePoint eye;         // 24 B
  FineDirection corner;  // 24 B, the direction to the image's upper left corner
  FineDirection right;   // 24 B, the step to the next pixel
  FineDirection down;    // 24 B
  float depth_one;       // 4 B, the length of a direction's part straight ahead, which is 1 in a Camera
  float spread;          // 4 B, the width of a pixel at distance 1; 0: no level of detail
  uint32_t log2_side;    // 4 B, log2 of the side of the scene's cube

  // Returns the direction to a point of the image that is `x` and `y` subpixels from its upper left corner.
  VOX_HD FineDirection direction(uint32_t x, uint32_t y) const {
    return corner + along(right, x) + along(down, y);
  }

 private:
  VOX_HD static FineDirection along(FineDirection pixel, uint32_t subpixels) {
    const auto pixels = static_cast<int64_t>(subpixels >> kSubpixelBits),
               rest = static_cast<int64_t>(subpixels & ((1u << kSubpixelBits) - 1));
    const auto part = [=](int64_t d) { return d * pixels + (d >> kSubpixelBits) * rest; };
    return {part(pixel.x), part(pixel.y), part(pixel.z)};
  }
};

// Directions have 57 bits, which leaves room for those to points some pixels outside of the image.
PixelRays pixel_rays(const Camera& camera);

}  // namespace vox::render
