// Helpers for the tests of pictures.
#pragma once

#include "libvox/render/render.h"

namespace vox {

// 16 colors that all differ.
inline const scene::Palette& distinct_palette() {
  static const scene::Palette palette = [] {
    scene::Palette colors;
    colors.count = scene::kPaletteSize;
    for (uint32_t i = 0; i < scene::kPaletteSize; ++i)
      colors.colors[i] = {static_cast<uint8_t>(i * 16), static_cast<uint8_t>(255 - i * 9),
                          static_cast<uint8_t>(40 + i)};
    return colors;
  }();
  return palette;
}

inline scene::Rgba8 at(const render::Picture& picture, uint32_t x, uint32_t y) {
  return picture.image.pixels[size_t{y} * picture.image.width + x];
}

inline scene::Rgba8 opaque(scene::Rgb8 color) {
  return {color.r, color.g, color.b, 255};
}

}  // namespace vox
