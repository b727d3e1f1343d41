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

// Throws Error with a hint how to make the result smaller if the resolution is larger.
void check_dense_resolution(uint32_t resolution, const std::filesystem::path& path);

// Writes raw uint8 values, x fastest: 0 for an empty voxel, otherwise material + 1 (1 if the scene has no
// materials). Without a clip box it writes the whole scene, whose resolution may not exceed
// kMaxDenseResolution; with one, only the part inside it.
void write_nrrd(const dag::VoxelScene& scene, const std::filesystem::path& path,
                const std::optional<VoxelBox>& clip);

// Writes the values of the volume in their own type.
void write_nrrd(const volume::Volume& volume, const std::filesystem::path& path);

// Opens a file of two or three dimensions, or one channel of a file that has several (channels.h). The
// encoding may be raw, gzip or text, and the values may lie in the same file, in another one or in several
// (.nhdr).
StoredVolume open_nrrd(const std::filesystem::path& path, std::optional<uint32_t> channel);

}  // namespace vox
