// Opens a volume from any kind of file that contains one.
#pragma once

#include <cstdint>
#include <filesystem>

#include "formats/volume/raw_volume.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// A volume together with the bricks or the scene from which it is read.
struct AnyVolume {
  volume::Volume volume;
  bricks::FrozenBricks bricks;
  dag::VoxelScene scene;

  // Opens the volume of a file of values. From a scene file it takes the scene's materials, or the bricks if
  // the file has nothing else. A scene with more than `most_voxels` (0: no limit) is read at the finest level
  // that has no more voxels. A coarser whole is better than a part of the scene, because the middle of a
  // scene may well be empty.
  AnyVolume(const std::filesystem::path& path, const RawOptions& raw, uint64_t most_voxels);
  AnyVolume(const AnyVolume&) = delete;
  AnyVolume& operator=(const AnyVolume&) = delete;
};

}  // namespace vox
