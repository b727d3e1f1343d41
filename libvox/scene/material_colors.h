// The colours that a material makes of texels: it applies its base colour in linear light, and compares alpha
// with its cutoff.
#pragma once

#include <array>
#include <cstdint>

#include "libvox/scene/palette.h"

namespace vox::scene {

Vec3d base_linear(const Material& material);  // clamped to [0, 1]
double base_alpha(const Material& material);  // clamped to [0, 1]
Rgb8 base_color(const Material& material);    // sRGB

// True if the alpha reaches the cutoff. Averaged alphas carry rounding errors, which must not open holes at a
// cutoff of 1.
bool is_solid(const Material& material, double alpha);

inline bool has_image(const Scene& scene, const Material& material) {
  return material.image != kNone && scene.images[material.image].width > 0;
}

// True if vertex colours decide the colour of the material's triangles.
inline bool has_vertex_colors(const Scene& scene, const Material& material) {
  return !scene.colors.empty() && !has_image(scene, material);
}

class MaterialColors {
 public:
  explicit MaterialColors(const Material& material);

  Rgb8 color(Rgba8 texel) const { return {codes_[0][texel.r], codes_[1][texel.g], codes_[2][texel.b]}; }
  bool solid(Rgba8 texel) const { return texel.a >= first_solid_; }
  bool any_hole() const { return first_solid_ > 0; }  // true if some alpha makes a hole

 private:
  std::array<std::array<uint8_t, 256>, 3> codes_;
  uint16_t first_solid_ = 0;  // the smallest alpha that is solid; 256 if none is
};

}  // namespace vox::scene
