// Reads and writes NRRD: a dense grid of values behind a text header.
// https://teem.sourceforge.net/nrrd/format.html
#pragma once

#include <filesystem>
#include <optional>

#include "formats/volume/stored_volume.h"
#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/volume/volume.h"

namespace vox {

inline constexpr uint32_t kMaxDenseResolution = 2048;  // for a whole scene, which then takes 8 GiB

// Throws Error for a larger resolution, and says how to make it smaller.
void check_dense_resolution(uint32_t resolution, const std::filesystem::path& path);

// Writes raw uint8, x fastest: 0 for empty voxels, else material + 1 (1 without materials). It writes the
// whole scene, whose resolution may not exceed kMaxDenseResolution, or the part inside the clip box.
void write_nrrd(const dag::VoxelScene& scene, const std::filesystem::path& path,
                const std::optional<VoxelBox>& clip);

// Writes the values of the volume, in their own type.
void write_nrrd(const volume::Volume& volume, const std::filesystem::path& path);

// Opens a file of two or three dimensions, or of channels of such, of which one is wanted (channels.h); raw,
// gzip or text, with the values in the same file, in another or in several (.nhdr).
StoredVolume open_nrrd(const std::filesystem::path& path, std::optional<uint32_t> channel);

}  // namespace vox
