// Reads a scene from any file that contains one: a scene file with any form of its voxels, or a voxel file of
// another program.
#pragma once

#include <filesystem>

#include "formats/io/overwrite.h"
#include "formats/scene/scene_file.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/engine/engine.h"

namespace vox {

// Returns which forms the file contains, as scene_file_parts() does. Voxel files of other programs count as a
// DAG.
SceneFileParts scene_parts(const std::filesystem::path& path);

// The form from which a scene is read if its file has several. Any takes the SVDAG if there is one.
enum class SceneForm { Any, Svdag, Hash, Bricks };

// What a reader does if an SVDAG has another digest than the one in its file. Pictures and statistics ignore it; whoever
// writes a scene again refuses it, or accepts it: then a warning and the scene's source say so, and the scene gets the
// digest and the counts of what it holds.
enum class Damage { Ignored, Refused, Accepted };
Damage damage_with(Overwrite overwrite);  // Refused, or Accepted if all files may be overwritten

// Reads a scene as read_scene() does. Of a spatial hash, and of bricks of a scene's materials, it makes the DAG, on
// an engine with these options. Throws Error where that is not the one whose digest the file has and damage is not
// accepted, and where the file does not hold the form, or only bricks of a volume.
dag::VoxelScene read_any_scene(const std::filesystem::path& path, const EngineOptions& options,
                               SceneForm form = SceneForm::Any, Damage damage = Damage::Ignored);

// Computes the digest of a scene that read_scene() has read from this file, and compares it with the file's. Throws Error
// if they differ and damage is refused.
void check_content(dag::VoxelScene& scene, const std::filesystem::path& path, Damage damage);

}  // namespace vox
