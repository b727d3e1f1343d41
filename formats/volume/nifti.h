// Reads NIfTI-1 and NIfTI-2: a volume in one file (.nii, .nii.gz), or a header (.hdr) beside its values (.img).
// https://nifti.nimh.nih.gov/nifti-1, https://nifti.nimh.nih.gov/nifti-2
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "formats/volume/stored_volume.h"

namespace vox {

// Opens a file of two or three dimensions, or of several such, of which one is wanted (channels.h). Values that
// the header scales become f32. The world is the one of the header's sform, else of its qform; z is up.
StoredVolume open_nifti(const std::filesystem::path& path, std::optional<uint32_t> channel);

}  // namespace vox
