// Opens files of volumes by extension: .raw (.raw.gz), .nrrd, .nhdr, .mhd, .mha, .dat, .nii (.nii.gz), .hdr.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "formats/volume/raw_volume.h"
#include "formats/volume/stored_volume.h"
#include "libvox/volume/volume.h"

namespace vox {

bool is_volume_path(const std::filesystem::path& path);
// True if the file of a volume describes itself, as all but raw ones do.
bool has_volume_header(const std::filesystem::path& path);

// Opens a volume and reads only its header. A path with an unknown extension counts as raw. If the voxels
// have several values, `channel` says which one is read, counted from 0. Throws Error that names the file.
StoredVolume open_stored_volume(const std::filesystem::path& path, const RawOptions& raw,
                                std::optional<uint32_t> channel = std::nullopt);

// Does the same and converts the values to a type that kernels support (known_volume.h), for which it may
// have to read all of them.
volume::Volume open_volume(const std::filesystem::path& path, const RawOptions& raw,
                           std::optional<uint32_t> channel = std::nullopt);

}  // namespace vox
