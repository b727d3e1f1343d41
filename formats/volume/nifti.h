// Reads NIfTI-1 and NIfTI-2: a volume in one file (.nii, .nii.gz), or a header (.hdr) beside its values (.img).
// https://nifti.nimh.nih.gov/nifti-1, https://nifti.nimh.nih.gov/nifti-2
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "formats/volume/stored_volume.h"

namespace vox {

// Opens a file of two or three dimensions, or one channel of a file that has several (channels.h). Values
// that the header scales become f32. The position in the world comes from the header's sform or, without one,
// its qform; z is up.
StoredVolume open_nifti(const std::filesystem::path& path, std::optional<uint32_t> channel);

}  // namespace vox
