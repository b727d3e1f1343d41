// Colours: 8-bit sRGB ↔ linear light ↔ Oklab (Björn Ottosson, "A perceptual color space for image
// processing", 2020).
//
// Only + - * / and comparisons are used, which IEEE 754 rounds alike everywhere. pow and cbrt differ between
// C libraries, and these functions decide palette indices.
#pragma once

#include <cstdint>

#include "libvox/base/vec.h"
#include "libvox/scene/palette.h"

namespace vox::scene {

double srgb_to_linear(uint8_t code);
uint8_t linear_to_srgb(double value);  // the nearest code; values outside [0, 1] are clamped

Vec3d srgb_to_linear(Rgb8 color);
Rgb8 linear_to_srgb(Vec3d rgb);

// In Oklab, x = L (0 black, 1 white), y = a (green to red), z = b (blue to yellow).
Vec3d linear_to_oklab(Vec3d rgb);
Vec3d oklab_to_linear(Vec3d lab);

// The ΔE of two colours is their distance in Oklab times kDeltaE. They are far apart if ΔE is more than 10.
inline constexpr double kDeltaE = 100, kFarInOklab = 10 / kDeltaE;

// The two steps of linear_to_oklab(): cube roots of the responses of the eye's cones, which grow with each of
// r, g and b, and a linear map of these.
Vec3d cone_roots(Vec3d rgb);
Vec3d roots_to_oklab(Vec3d roots);

}  // namespace vox::scene
