// Reads scenes of HashDAG (formats/voxels/dag_files/hash_dag_file.h).
#pragma once

#include <filesystem>

#include "formats/voxels/voxel_file.h"

namespace vox {

// Reads the nodes, and the colours of the file beside it where there is one with a colour for each voxel. Throws
// Error that says what is wrong in them.
ScenePlusError read_hash_dag(const std::filesystem::path& path, const VoxelFileOptions& options);

}  // namespace vox
