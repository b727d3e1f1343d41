// Reads a scene of any file that holds one: a scene file, whichever form of its voxels it has, or voxels of another
// program.
#pragma once

#include <filesystem>

#include "formats/scene/scene_file.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/engine/engine.h"

namespace vox {

// The parts that a file holds, as scene_file_parts() tells them; other programs' voxels become a DAG.
SceneFileParts scene_parts(const std::filesystem::path& path);

// Reads a scene as read_scene() does. Of a file with a spatial hash and no SVDAG it makes the DAG, on an
// engine with these options. Throws Error where that is not the one whose digest the file has.
dag::VoxelScene read_any_scene(const std::filesystem::path& path, const EngineOptions& options);

}  // namespace vox
