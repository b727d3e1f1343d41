// What results are called where nobody says.
#pragma once

#include <cstdint>
#include <filesystem>

namespace vox {

// Of what a file is converted to: "house.h5" in the current folder.
std::filesystem::path scene_file_name(const std::filesystem::path& input);

// Of a picture of a scene: "house-view.png" beside it.
std::filesystem::path picture_file_name(const std::filesystem::path& scene);

// One of `count` files: "house-07.png", as many digits as the last has.
std::filesystem::path numbered_file_name(const std::filesystem::path& file, uint32_t number, uint32_t count);

}  // namespace vox
