// Opens files of volumes, by extension: .raw (.raw.gz), .nrrd, .nhdr, .mhd, .mha, .dat.
#pragma once

#include <filesystem>

#include "formats/volume/raw_volume.h"
#include "libvox/volume/volume.h"

namespace vox {

bool is_volume_path(const std::filesystem::path& path);
// Whether the path is of a volume whose file itself says what it holds: any but a raw one.
bool has_volume_header(const std::filesystem::path& path);

// A path of another extension is taken for raw. The file is mapped, not read. Throws Error that names it.
volume::Volume open_volume(const std::filesystem::path& path, const RawOptions& raw);

}  // namespace vox
