// Reads MagicaVoxel's .vox, versions 150 and 200.
#pragma once

#include <filesystem>

#include "formats/voxels/voxel_file.h"

namespace vox {

// All models where the scene graph puts them, turned so that y is up, in their first frame; what is hidden is left
// out, and said. A file that vox wrote has the grid and the materials of its scene again. Throws Error that
// names the file.
VoxelFile open_magica_vox(const std::filesystem::path& path);

}  // namespace vox
