// Opens files of volumes, by extension: .raw (.raw.gz), .nrrd, .nhdr, .mhd, .mha, .dat.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "formats/volume/raw_volume.h"
#include "formats/volume/stored_volume.h"
#include "libvox/volume/volume.h"

namespace vox {

bool is_volume_path(const std::filesystem::path& path);
// Whether the path is of a volume whose file itself says what it holds: any but a raw one.
bool has_volume_header(const std::filesystem::path& path);

// A path of another extension is taken for raw. The header alone is read. Of a file whose voxels have several
// values one channel is taken, from 0 on. Throws Error that names the file.
StoredVolume open_stored_volume(const std::filesystem::path& path, const RawOptions& raw,
                                std::optional<uint32_t> channel = std::nullopt);

// The same with values of a type that kernels know (known_volume.h), for which it may have to read all of them.
volume::Volume open_volume(const std::filesystem::path& path, const RawOptions& raw,
                           std::optional<uint32_t> channel = std::nullopt);

}  // namespace vox
