// Reads two formats that are both called .dat. One is binary: three uint16 state the size, and uint16 values
// follow (the stag beetle and the Christmas tree of TU Wien). The other is a text that names a raw file
// (ObjectFileName, Resolution, Format).
#pragma once

#include <filesystem>

#include "formats/volume/stored_volume.h"

namespace vox {

StoredVolume open_dat(const std::filesystem::path& path);

}  // namespace vox
