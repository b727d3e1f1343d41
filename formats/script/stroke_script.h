// Reads scripts of strokes, which are painted on a surface: plain text, one stroke on each line.
// stroke_script_help() describes the language. Places and lengths are read as doubles.
#pragma once

#include <filesystem>
#include <string>

#include "libvox/painting/paint_scene.h"

namespace vox {

inline constexpr uint32_t kMaxStrokes = 1'000'000, kMaxStrokePoints = 4'000'000;  // limits on a script

// Throws Error with file, line and column, also if the script has no stroke.
painting::Strokes read_stroke_script(const std::filesystem::path& path);
painting::Strokes parse_stroke_script(const std::string& text, const std::filesystem::path& path);

// Returns a description of the language, for --help.
std::string stroke_script_help();

}  // namespace vox
