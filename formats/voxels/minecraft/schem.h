// Reads Sponge schematics, .schem, versions 1 to 3, of Minecraft's blocks.
// https://github.com/SpongePowered/Schematic-Specification
#pragma once

#include <filesystem>

#include "formats/voxels/voxel_file.h"

namespace vox {

// A voxel of 1 unit for each block that is not air, in the colour of formats/voxels/minecraft/block_colors.h; blocks that have
// none there are said. Throws Error that names the file.
VoxelFile open_schem(const std::filesystem::path& path);

}  // namespace vox
