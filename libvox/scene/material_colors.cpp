#include "libvox/scene/material_colors.h"

#include "libvox/scene/oklab.h"

namespace vox::scene {
namespace {

double unit(float value) {
  return value > 0 ? (value < 1 ? static_cast<double>(value) : 1) : 0;  // NaN becomes 0
}

}  // namespace

Vec3d base_linear(const Material& material) {
  return {unit(material.base_color[0]), unit(material.base_color[1]), unit(material.base_color[2])};
}

double base_alpha(const Material& material) {
  return unit(material.base_color[3]);
}

Rgb8 base_color(const Material& material) {
  return linear_to_srgb(base_linear(material));
}

bool is_solid(const Material& material, double alpha) {
  double cutoff = static_cast<double>(material.alpha_cutoff);
  return !(cutoff > 0) || alpha >= cutoff * (1 - 1e-5);
}

MaterialColors::MaterialColors(const Material& material) {
  Vec3d base = base_linear(material);
  for (uint32_t code = 0; code < 256; ++code) {
    Vec3d linear = base * srgb_to_linear(static_cast<uint8_t>(code));
    Rgb8 color = linear_to_srgb(linear);
    codes_[0][code] = color.r, codes_[1][code] = color.g, codes_[2][code] = color.b;
  }
  while (first_solid_ < 256 && !is_solid(material, base_alpha(material) * first_solid_ / 255)) ++first_solid_;
}

}  // namespace vox::scene
