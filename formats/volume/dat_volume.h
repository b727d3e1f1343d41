// Reads two formats that are both called .dat: three uint16 that say the size and then uint16 values (as of
// the stag beetle and the Christmas tree of TU Wien), and text that names a raw file (ObjectFileName,
// Resolution, Format).
#pragma once

#include <filesystem>

#include "formats/volume/stored_volume.h"

namespace vox {

StoredVolume open_dat(const std::filesystem::path& path);

}  // namespace vox
