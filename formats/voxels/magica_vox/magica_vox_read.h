// Reads MagicaVoxel's .vox, versions 150 and 200.
#pragma once

#include <filesystem>

#include "formats/voxels/voxel_file.h"

namespace vox {

// Reads the first frame of all models at their places in the scene graph, turned so that y is up. Hidden
// models are left out, and a message says so. A file that vox wrote gives back the grid and the materials of
// its scene. Throws Error that names the file.
VoxelFile open_magica_vox(const std::filesystem::path& path);

}  // namespace vox
