// A small scene from which seeds are written.
#pragma once

#include <string>

#include "libvox/dag/voxel_scene.h"

namespace vox::fuzz {

std::string sample_vl32();                // its voxels
const dag::VoxelScene& sample_scene();    // with materials
const dag::VoxelScene& colored_sample();  // with 24-bit colors

}  // namespace vox::fuzz
