// Finds out how the bricks beside the SVDAG of a scene file were made.
#pragma once

#include <filesystem>

#include "libvox/dag/voxel_scene.h"
#include "libvox/measure/make_bricks.h"

namespace vox {

// Returns the recipe that makes bricks like those in the file, which has both the SVDAG and bricks. Throws
// Error if the file's bricks contain other voxels than the scene.
measure::BricksRecipe recipe_beside(const dag::VoxelScene& scene, const std::filesystem::path& file);

}  // namespace vox
