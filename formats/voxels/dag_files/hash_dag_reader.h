// Reads scenes of HashDAG (formats/voxels/dag_files/hash_dag_file.h).
#pragma once

#include <filesystem>

#include "formats/voxels/voxel_file.h"

namespace vox {

// Reads the nodes, and the colours from the file beside it if that has one for each voxel. Throws Error that
// names the defect.
ScenePlusError read_hash_dag(const std::filesystem::path& path, const VoxelFileOptions& options);

}  // namespace vox
