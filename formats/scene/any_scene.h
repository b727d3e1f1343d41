// Reads a scene file, whichever form of its voxels it has.
#pragma once

#include <filesystem>

#include "libvox/dag/voxel_scene.h"
#include "libvox/engine/engine.h"

namespace vox {

// Reads a scene as read_scene() does. Of a file with a spatial hash and no SVDAG it makes the DAG, on an
// engine with these options. Throws Error where that is not the one whose digest the file has.
dag::VoxelScene read_any_scene(const std::filesystem::path& path, const EngineOptions& options);

}  // namespace vox
