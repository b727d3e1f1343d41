#include "libvox/scene/dither.h"

#include <algorithm>

#include "libvox/base/error.h"
#include "libvox/scene/oklab.h"

namespace vox::scene {
namespace {

// The sum of the squares of what differs, weighted roughly as the eye weighs red, green and blue.
double unlike(const Vec3d& a, const Vec3d& b) {
  constexpr Vec3d kWeights = {0.3, 0.5, 0.2};
  const Vec3d apart = a - b;
  return dot(product(apart, apart), kWeights);
}

}  // namespace

ColorMix mix_of(const Palette& palette, Rgb8 color) {
  if (palette.count == 0) throw Error("the palette has no colors to mix");
  std::array<Vec3d, kPaletteSize> light = {};
  for (uint32_t i = 0; i < palette.count; ++i) light[i] = srgb_to_linear(palette.colors[i]);
  const Vec3d wanted = srgb_to_linear(color);
  ColorMix mix = {};
  Vec3d left = {0, 0, 0};  // of the light that is wanted of all parts so far
  for (uint8_t& part : mix) {
    left = left + wanted;
    uint32_t best = 0;
    for (uint32_t i = 1; i < palette.count; ++i)
      if (unlike(left, light[i]) < unlike(left, light[best])) best = i;
    part = static_cast<uint8_t>(best);
    left = left - light[best];
  }
  const auto lightness = [&](uint8_t entry) { return linear_to_oklab(light[entry]).x; };
  std::ranges::stable_sort(mix, [&](uint8_t a, uint8_t b) {
    return lightness(a) != lightness(b) ? lightness(a) < lightness(b) : a < b;
  });
  return mix;
}

}  // namespace vox::scene
