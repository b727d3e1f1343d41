// Colors: 8-bit sRGB ↔ linear light ↔ Oklab (Björn Ottosson, "A perceptual color space for image
// processing", 2020).
//
// Only + - * / and comparisons are used, which IEEE 754 rounds alike everywhere. pow and cbrt differ between
// C libraries, and these functions decide palette indices.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

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

// The ΔE of two colors is their distance in Oklab times kDeltaE. They are far apart if ΔE is more than 10.
inline constexpr double kDeltaE = 100, kFarInOklab = 10 / kDeltaE;

// The two steps of linear_to_oklab(): cube roots of the responses of the eye's cones, which grow with each of
// r, g and b, and a linear map of these.
Vec3d cone_roots(Vec3d rgb);
Vec3d roots_to_oklab(Vec3d roots);

// Finds the palette entry nearest to a color in Oklab; ties go to the lower index.

// The sRGB cube is cut into 32³ cells. If one entry is nearest to all colors of a cell, the cell stores it; in other
// cells every color stores its own entry. Answers are computed when they are first needed, by any number of threads; at
// worst, two threads compute the same answer. This takes 16 MiB.
class NearestEntry {
 public:
  explicit NearestEntry(const Palette& palette);

  uint8_t operator()(Rgb8 color) const {
    std::atomic<uint8_t>& cell =
        cells_[static_cast<uint32_t>(color.r >> 3 << 10 | color.g >> 3 << 5 | color.b >> 3)];
    uint8_t answer = cell.load(std::memory_order_relaxed);
    if (answer == 0) cell.store(answer = search_cell(color), std::memory_order_relaxed);
    if (answer == kMixed) {
      std::atomic<uint8_t>& one = colors_[uint32_t{color.r} << 16 | uint32_t{color.g} << 8 | color.b];
      answer = one.load(std::memory_order_relaxed);
      if (answer == 0) one.store(answer = search(color), std::memory_order_relaxed);
    }
    return static_cast<uint8_t>(answer - 1);
  }

 private:
  static constexpr uint8_t kMixed = 255;

  uint8_t search(Rgb8 color) const;       // the entry + 1
  uint8_t search_cell(Rgb8 color) const;  // the entry + 1, or kMixed

  std::array<Vec3d, kPaletteSize> entries_ = {};  // Oklab
  uint32_t count_;
  mutable std::vector<std::atomic<uint8_t>> cells_, colors_;  // 0: not computed yet
};

}  // namespace vox::scene
