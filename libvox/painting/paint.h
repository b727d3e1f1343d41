// The paint on a texel, and how paint is painted over. Whole numbers decide, so that all devices agree. Each
// stroke is rounded by itself, so that it does not matter which strokes are applied together.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/scene/palette.h"

namespace vox::painting {

inline constexpr uint32_t kFullShare = 65535;

// Linear light, multiplied by the share of the texel that the paint covers.
struct Paint {
  uint16_t r, g, b;  // 6 B
  uint16_t share;    // 2 B, out of kFullShare
  friend bool operator==(const Paint&, const Paint&) = default;
};
static_assert(sizeof(Paint) == 8);

Paint full_paint(scene::Rgb8 color);

// Returns `below` after `above`, which is opaque, has been painted over this share of it.
VOX_HD inline Paint painted_over(Paint above, uint32_t share, Paint below) {
  const auto mix = [share](uint32_t a, uint32_t b) {  // the sum is below 2^32
    return static_cast<uint16_t>((a * share + b * (kFullShare - share) + kFullShare / 2) / kFullShare);
  };
  return {mix(above.r, below.r), mix(above.g, below.g), mix(above.b, below.b), mix(above.share, below.share)};
}

// Returns the colour of paint over a surface of this colour.
scene::Rgb8 color_over(Paint paint, scene::Rgb8 below);

// Returns the colour of the paint alone. Its share must not be 0.
scene::Rgb8 color_of(Paint paint);

}  // namespace vox::painting
