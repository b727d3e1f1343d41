// Verifies that a file contains what it should.
#pragma once

#include <filesystem>

#include "formats/scene/scene_file.h"
#include "libvox/engine/engine.h"
#include "libvox/volume/value_rule.h"

namespace vox {

// Verifies the forms of a scene file after reading: everything that each form states about itself must be
// true, and the other forms must hold the scene's voxels. The SVDAG is checked on an engine with these
// options. All these functions throw Error that names the file.
void verify_scene(const dag::VoxelScene& scene, const OtherForms& forms, const std::filesystem::path& file,
                  const EngineOptions& options);
void verify_bricks(const bricks::FrozenBricks& bricks, const std::filesystem::path& file);

// Reads back a scene file that was written from this scene, or from its voxels in other forms alone.
void verify_written(const dag::VoxelScene& scene, const std::filesystem::path& file,
                    const EngineOptions& options);

// Reads back bricks or an NRRD file written from this volume, and compares them with the volume.
void verify_written(const volume::Volume& volume, const volume::ThresholdOptions& threshold,
                    const std::filesystem::path& file);

}  // namespace vox
