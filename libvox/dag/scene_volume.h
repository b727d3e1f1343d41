// A scene's voxels as a volume of bytes: 0 if empty, else material + 1 (1 without materials).
#pragma once

#include "libvox/dag/voxel_scene.h"
#include "libvox/volume/volume.h"

namespace vox::dag {

// Returns a volume of R³ voxels, which are decoded from the DAG when they are read. The scene must outlive
// the volume.
volume::Volume scene_volume(const VoxelScene& scene);

}  // namespace vox::dag
