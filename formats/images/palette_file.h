// Reads and writes palettes: GIMP (.gpl), JASC (.pal), lines of rrggbb (.hex), or an image of at most 16
// colours.
#pragma once

#include <filesystem>
#include <string>

#include "libvox/scene/palette.h"

namespace vox {

// The extension decides the format; all but .gpl, .pal and .hex is read as an image, whose colours count in
// order of first appearance, invisible pixels left out. Entries without a name are called "#rrggbb". Throws
// Error that names the file and the line; no entry, or more than 16, is an error.
scene::Palette read_palette(const std::filesystem::path& path);

// Whether write_palette() knows the extension, and those that it knows: ".gpl, .pal, .hex or .png".
bool is_palette_path(const std::filesystem::path& path);
std::string palette_extensions();

// Writes .gpl, .pal, .hex or .png (one pixel for each entry). Only .gpl keeps names.
void write_palette(const std::filesystem::path& path, const scene::Palette& palette);

}  // namespace vox
