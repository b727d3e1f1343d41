// Reads a scene from any file that contains one: a scene file with any form of its voxels, or a voxel file of
// another program.
#pragma once

#include <filesystem>

#include "formats/scene/scene_file.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/engine/engine.h"

namespace vox {

// Returns which forms the file contains, as scene_file_parts() does. Voxel files of other programs count as a
// DAG.
SceneFileParts scene_parts(const std::filesystem::path& path);

// The form from which a scene is read if its file has several. Any takes the SVDAG if there is one.
enum class SceneForm { Any, Svdag, Hash, Bricks };

// Reads a scene as read_scene() does. If the voxels come from a spatial hash or from bricks of a scene's
// materials, the function builds the DAG on an engine with these options. Throws Error if the digest of that
// DAG is not the file's, if the file does not have the requested form, or if it has only bricks of a volume.
dag::VoxelScene read_any_scene(const std::filesystem::path& path, const EngineOptions& options,
                               SceneForm form = SceneForm::Any);

}  // namespace vox
