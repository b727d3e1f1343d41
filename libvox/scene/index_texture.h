// Turns an image into palette indices, with its mip levels (see IndexedTexture).
#pragma once

#include "libvox/scene/nearest_entry.h"
#include "libvox/scene/palette.h"

namespace vox::scene {

IndexedTexture index_texture(const Image& image, const Material& material, const NearestEntry& nearest);

// Returns a texture with the same holes and the same index everywhere.
IndexedTexture mask_texture(const Image& image, const Material& material, uint8_t index);

bool has_holes(const Image& image, const Material& material);  // looks only at the largest mip level

}  // namespace vox::scene
