// Reads MetaImage: a text header (.mhd) beside the values, or before them (.mha).
// https://itk.org/Wiki/ITK/MetaIO/Documentation
#pragma once

#include <filesystem>

#include "libvox/volume/volume.h"

namespace vox {

volume::Volume open_meta_image(const std::filesystem::path& path);

}  // namespace vox
