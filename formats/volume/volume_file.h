// Opens files of volumes by extension: .raw (.raw.gz), .nrrd, .nhdr, .npy, .mhd, .mha, .dat, .nii (.nii.gz), .hdr.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "formats/input_kind.h"
#include "formats/volume/stored_volume.h"
#include "formats/volume/volume_formats.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/volume/volume.h"

namespace vox {

// Opens a volume and reads only its header. A path with an unknown extension counts as raw. If the voxels
// have several values, `channel` selects one, counted from 0. Throws Error that names the file.
StoredVolume open_stored_volume(const std::filesystem::path& path, const RawOptions& raw,
                                std::optional<uint32_t> channel = std::nullopt);

// Does the same and converts the values to a type that kernels support (stored_volume.h), for which it may
// have to read all of them.
volume::Volume open_volume(const std::filesystem::path& path, const RawOptions& raw,
                           std::optional<uint32_t> channel = std::nullopt);

// AnyVolume opens a volume from any kind of file that contains one.

// A volume together with the bricks or the scene from which it is read.
struct AnyVolume {
  volume::Volume volume;
  bricks::FrozenBricks bricks;
  dag::VoxelScene scene;

  // Opens the volume of a file of this kind (kind_of_input()). From a scene file it takes the scene's materials, or the bricks if
  // the file has nothing else. A scene with more than `most_voxels` (0: no limit) is read at the finest level
  // that has no more voxels. A coarser whole is better than a part of the scene, because the middle of a
  // scene may well be empty.
  AnyVolume(const std::filesystem::path& path, InputKind kind, const RawOptions& raw, uint64_t most_voxels);
  AnyVolume(const AnyVolume&) = delete;
  AnyVolume& operator=(const AnyVolume&) = delete;
};

}  // namespace vox
