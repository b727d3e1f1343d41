// The part of vox-convert that makes scenes of volumes.
#pragma once

#include <filesystem>

#include "libvox/dag/voxel_scene.h"
#include "tools/vox-convert/conversion.h"
#include "tools/vox-convert/options.h"

namespace vox {

// True if a volume becomes a scene: --structure asks for its SVDAG or its spatial hash, or the output has a
// format that holds scenes.
bool is_volume_scene(const ConvertOptions& options);

// Reads a volume and chooses its materials.
dag::VoxelScene scene_of_volume(const std::filesystem::path& path, const ConvertOptions& options);

// Reads it as the only input, and makes the level that --res asks for.
dag::VoxelScene convert_volume_to_scene(const ConvertOptions& options, Conversion& conversion);

}  // namespace vox
