// Finds out how the bricks were made that a scene file has beside its SVDAG.
#pragma once

#include <filesystem>

#include "libvox/dag/voxel_scene.h"
#include "libvox/measure/make_bricks.h"

namespace vox {

// The recipe by which bricks of the scene become like those in the file, which holds both. Throws Error where
// the file's bricks are of other voxels.
measure::BricksRecipe recipe_beside(const dag::VoxelScene& scene, const std::filesystem::path& file);

}  // namespace vox
