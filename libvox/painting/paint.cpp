#include "libvox/painting/paint.h"

#include "libvox/scene/oklab.h"

namespace vox::painting {
namespace {

Vec3d light_of(Paint paint) {
  return Vec3d{static_cast<double>(paint.r), static_cast<double>(paint.g), static_cast<double>(paint.b)};
}

}  // namespace

Paint full_paint(scene::Rgb8 color) {
  const Vec3d linear = scene::srgb_to_linear(color) * kFullShare;
  const auto rounded = [](double value) { return static_cast<uint16_t>(value + 0.5); };
  return {rounded(linear.x), rounded(linear.y), rounded(linear.z), kFullShare};
}

scene::Rgb8 color_over(Paint paint, scene::Rgb8 below) {
  const Vec3d light =
      light_of(paint) + scene::srgb_to_linear(below) * static_cast<double>(kFullShare - paint.share);
  return scene::linear_to_srgb(light * (1.0 / kFullShare));
}

scene::Rgb8 color_of(Paint paint) {
  return scene::linear_to_srgb(light_of(paint) * (1.0 / paint.share));
}

}  // namespace vox::painting
