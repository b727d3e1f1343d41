// Reads MetaImage: a text header (.mhd) beside the values, or before them (.mha).
// https://itk.org/Wiki/ITK/MetaIO/Documentation
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "formats/volume/stored_volume.h"

namespace vox {

// Opens a file of two or three dimensions. If it has several channels, `channel` says which one is read
// (channels.h).
StoredVolume open_meta_image(const std::filesystem::path& path, std::optional<uint32_t> channel);

}  // namespace vox
