// Encodes images as PNG with stb_image_write: as RGB if every pixel is opaque, otherwise as RGBA.
#pragma once

#include <string>
#include <vector>

#include "libvox/scene/scene.h"

namespace vox {

std::string encode_png(const scene::Image& image);
std::vector<std::string> encode_png(const std::vector<scene::Image>& images);  // in parallel

}  // namespace vox
