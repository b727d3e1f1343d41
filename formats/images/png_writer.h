// Encodes images as PNG with stb_image_write: RGB where every pixel is opaque, RGBA elsewhere.
#pragma once

#include <string>
#include <vector>

#include "libvox/scene/scene.h"

namespace vox {

std::string encode_png(const scene::Image& image);
std::vector<std::string> encode_png(const std::vector<scene::Image>& images);  // in parallel

}  // namespace vox
