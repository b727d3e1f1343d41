// Reads Sponge schematics (.schem) of Minecraft's blocks, versions 1 to 3.
// https://github.com/SpongePowered/Schematic-Specification
#pragma once

#include <filesystem>

#include "formats/voxels/voxel_file.h"

namespace vox {

// Each block that is not air becomes a voxel of side 1 with a colour from
// formats/voxels/minecraft/block_colors.h. A message names blocks without a colour there. Throws Error that
// names the file.
VoxelFile open_schem(const std::filesystem::path& path);

}  // namespace vox
