// Writes pictures as PNG files that say how they were made.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "libvox/scene/scene.h"

namespace vox {

// A tEXt chunk. Keys have 1 to 79 characters ("Software", "Command"). Keys and values are Latin-1 without
// zeros.
struct PngText {
  std::string key, value;
};

// Inserts the texts before the end of a PNG file's bytes.
std::string with_texts(std::string png, const std::vector<PngText>& texts);

// Returns the bytes of an image with the texts before its end. Throws Error.
std::string encode_png(const scene::Image& image, const std::vector<PngText>& texts);

// Replaces the file at `path` when everything is written. Throws an Error that names the file.
void write_png(const scene::Image& image, const std::vector<PngText>& texts,
               const std::filesystem::path& path);

}  // namespace vox
