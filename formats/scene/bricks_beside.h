// The bricks that a scene file has beside its SVDAG.
#pragma once

#include <filesystem>

#include "libvox/dag/voxel_scene.h"
#include "libvox/measure/make_bricks.h"

namespace vox {

// How bricks of the scene have to be made to be such as the file has, which holds both. Throws Error where these
// are bricks of other voxels.
measure::BricksRecipe recipe_beside(const dag::VoxelScene& scene, const std::filesystem::path& file);

}  // namespace vox
