// Opens a volume from any kind of file that holds one.
#pragma once

#include <cstdint>
#include <filesystem>

#include "formats/volume/raw_volume.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// A volume, kept together with the bricks or the scene that it is read from.
struct AnyVolume {
  volume::Volume volume;
  bricks::FrozenBricks bricks;
  dag::VoxelScene scene;

  // Opens the volume of a file of values. Of a scene file it takes the bricks where there is nothing else,
  // else the scene's materials. Of a scene with more than `most_voxels` (0: any number) it takes the finest
  // level with no more voxels, not a part of the scene: what lies in its middle may well be empty.
  AnyVolume(const std::filesystem::path& path, const RawOptions& raw, uint64_t most_voxels);
  AnyVolume(const AnyVolume&) = delete;
  AnyVolume& operator=(const AnyVolume&) = delete;
};

}  // namespace vox
