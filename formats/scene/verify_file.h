// Verifies that a file holds what it should.
#pragma once

#include <filesystem>

#include "formats/scene/scene_file.h"
#include "libvox/engine/engine.h"
#include "libvox/volume/value_rule.h"

namespace vox {

// Verifies the parts of a scene file, as read: that everything that each says of itself is true, and that the
// other forms hold the scene's voxels. The SVDAG is gone through on an engine with these options. All functions
// throw Error that names the file.
void verify_scene(const dag::VoxelScene& scene, const OtherForms& forms, const std::filesystem::path& file,
                  const EngineOptions& options);
void verify_bricks(const bricks::FrozenBricks& bricks, const std::filesystem::path& file);

// Reads back a scene file that was made of this scene, or of its voxels in other forms alone.
void verify_written(const dag::VoxelScene& scene, const std::filesystem::path& file,
                    const EngineOptions& options);

// Reads back bricks, or an NRRD file, that were made of this volume, and compares them with it.
void verify_written(const volume::Volume& volume, const volume::ThresholdOptions& threshold,
                    const std::filesystem::path& file);

}  // namespace vox
