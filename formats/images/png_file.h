// Writes pictures as PNG files that say how they were made.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "libvox/scene/scene.h"

namespace vox {

// A tEXt chunk. Keys have 1 to 79 characters ("Software", "Command"); both are Latin-1 without zeros.
struct PngText {
  std::string key, value;
};

// Puts these texts before the end of a file's bytes.
std::string with_texts(std::string png, const std::vector<PngText>& texts);

// The bytes of an image with these texts before its end. Throws Error.
std::string encode_png(const scene::Image& image, const std::vector<PngText>& texts);

// Replaces what is at `path` once all is written. Throws Error that names the file.
void write_png(const scene::Image& image, const std::vector<PngText>& texts,
               const std::filesystem::path& path);

}  // namespace vox
