// Reads WebP images, in builds that have libwebp.
#pragma once

#include <cstddef>
#include <span>

#include "libvox/scene/scene.h"

namespace vox {

bool can_read_webp();
bool is_webp(std::span<const std::byte> file);  // looks at the first bytes

struct ImageSize {
  uint64_t width, height;
};
ImageSize webp_size(std::span<const std::byte> file);  // throws Error

// Returns the image, without a name. Throws Error.
scene::Image decode_webp(std::span<const std::byte> file);

}  // namespace vox
