// A volume, whatever kind of file holds it.
#pragma once

#include <cstdint>
#include <filesystem>

#include "formats/volume/raw_volume.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// What the volume is read from is kept with it.
struct AnyVolume {
  volume::Volume volume;
  bricks::FrozenBricks bricks;
  dag::VoxelScene scene;

  // Of a file of values, the volume; of a scene file, its bricks where it holds nothing else, else the scene's
  // materials. Of a scene that has more than `most_voxels` (0: any number), the finest level that has not: what
  // lies in its middle may well be nothing.
  AnyVolume(const std::filesystem::path& path, const RawOptions& raw, uint64_t most_voxels);
  AnyVolume(const AnyVolume&) = delete;
  AnyVolume& operator=(const AnyVolume&) = delete;
};

}  // namespace vox
