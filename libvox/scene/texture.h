// Textures of a scene: which texel a texture coordinate means, and images as indices into a palette.
#pragma once

#include <cmath>
#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/scene/oklab.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/scene.h"

namespace vox::scene {

// Returns the column (or row) of the texel of an image or of an atlas at a texture coordinate.
VOX_HD inline uint32_t wrapped_texel(double coordinate, uint32_t size, Wrap wrap) {
  double share = coordinate;
  if (wrap == Wrap::Repeat) {
    share -= floor(share);
  } else if (wrap == Wrap::Mirror) {
    share = share - 2 * floor(share / 2);
    share = share > 1 ? 2 - share : share;
  }
  const double texel = floor(share * size);
  if (!(texel > 0)) return 0;
  return texel >= size ? size - 1 : static_cast<uint32_t>(texel);
}

// Does the same for a coordinate in 2^-32 of the image's side.
VOX_HD inline uint32_t texel_of_share(int64_t share, uint32_t size, Wrap wrap) {
  if (wrap == Wrap::Clamp && (share < 0 || share >> 32 != 0)) return share < 0 ? 0 : size - 1;
  auto within = static_cast<uint32_t>(share);
  if (wrap == Wrap::Mirror && (share >> 32 & 1) != 0) within = ~within;
  return static_cast<uint32_t>((uint64_t{within} * size) >> 32);
}

// Does the same for a whole texel of a plane in which the image is repeated, mirrored, or continued by its
// border.
VOX_HD inline uint32_t wrapped_texel(int64_t texel, uint32_t size, Wrap wrap) {
  if (wrap == Wrap::Clamp) return texel < 0 ? 0 : texel >= size ? size - 1 : static_cast<uint32_t>(texel);
  const int64_t period = wrap == Wrap::Mirror ? 2 * int64_t{size} : int64_t{size};
  int64_t rest = texel % period;
  if (rest < 0) rest += period;
  return static_cast<uint32_t>(rest < size ? rest : period - 1 - rest);
}

// Turns an image into palette indices or colors, with its mip levels (see IndexedTexture).

IndexedTexture index_texture(const Image& image, const Material& material, const NearestEntry& nearest);

// Returns a texture with the colors of all levels' texels.
IndexedTexture color_texture(const Image& image, const Material& material);

// Returns a texture with holes alone: texels have neither indices nor colors.
IndexedTexture mask_texture(const Image& image, const Material& material);

bool has_holes(const Image& image, const Material& material);  // looks only at the largest mip level

}  // namespace vox::scene
