// A scene's voxels as a volume of bytes: 0 where empty, else material + 1 (1 without materials).
#pragma once

#include "libvox/dag/voxel_scene.h"
#include "libvox/volume/volume.h"

namespace vox::dag {

// R³ voxels, decoded from the DAG as they are read. The scene outlives the volume.
volume::Volume scene_volume(const VoxelScene& scene);

}  // namespace vox::dag
