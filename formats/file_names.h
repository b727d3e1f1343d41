// The names of files that programs write if the user gives none.
#pragma once

#include <cstdint>
#include <filesystem>

namespace vox {

// Returns the scene file that an input is converted to: "house.h5" in the current folder.
std::filesystem::path scene_file_name(const std::filesystem::path& input);

// Returns the picture of a scene: "house-view.png" beside the scene file.
std::filesystem::path picture_file_name(const std::filesystem::path& scene);

// Returns the name of one of `count` files: "house-07.png", with as many digits as the last number has.
std::filesystem::path numbered_file_name(const std::filesystem::path& file, uint32_t number, uint32_t count);

}  // namespace vox
