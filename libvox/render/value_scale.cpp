#include "libvox/render/value_scale.h"

#include <algorithm>
#include <array>

#include "libvox/render/render.h"
#include "libvox/scene/oklab.h"

namespace vox::render {
namespace {

constexpr uint32_t kScaleColors = 256;

}  // namespace

ValueScale gray_scale() {
  ValueScale scale;
  for (uint32_t i = 0; i < kScaleColors; ++i) {
    const auto code = static_cast<uint8_t>(i);
    scale.push_back({code, code, code});
  }
  return scale;
}

ValueScale bone_scale() {
  constexpr std::array<scene::Rgb8, 4> kStops = {
      {{0, 0, 0}, {76, 76, 104}, {162, 190, 190}, {255, 255, 255}}};
  return scale_through(kStops);
}

ValueScale viridis_scale() {
  ValueScale scale;
  for (uint32_t i = 0; i < kRampColors; ++i) scale.push_back(ramp_color(i));
  return scale;
}

ValueScale scale_through(std::span<const scene::Rgb8> stops) {
  ValueScale scale;
  for (uint32_t i = 0; i < kScaleColors; ++i)
    scale.push_back(color_between(
        stops, static_cast<double>(i) * static_cast<double>(stops.size() - 1) / (kScaleColors - 1)));
  return scale;
}

scene::Rgb8 scale_color(const ValueScale& scale, double share) {
  return scale[static_cast<size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(scale.size() - 1) +
                                   0.5)];
}

scene::Rgb8 color_between(std::span<const scene::Rgb8> stops, double at) {
  const size_t stop = std::min(static_cast<size_t>(at), stops.size() - 2);
  const Vec3d a = scene::linear_to_oklab(scene::srgb_to_linear(stops[stop]));
  const Vec3d b = scene::linear_to_oklab(scene::srgb_to_linear(stops[stop + 1]));
  return scene::linear_to_srgb(scene::oklab_to_linear(a + (b - a) * (at - static_cast<double>(stop))));
}

}  // namespace vox::render
