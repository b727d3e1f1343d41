// Writes a scene that is too large for one file as many: a folder of pieces, cubes of the grid, each a whole file of its
// format, with pieces.json, which says where each piece lies and what its values mean. Pieces without voxels are left out.
#pragma once

#include <filesystem>
#include <optional>

#include "formats/io/overwrite.h"
#include "formats/voxels/export.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// The smallest and the largest side of a piece.
inline constexpr uint32_t kLeastPieceSide = 16, kMostPieceSide = kMaxDenseResolution;

// True if scenes are written in pieces in the format of this path. "cells/part.raw" stands for cells/part_0_0_0.raw, …,
// with the number of the piece along x, y and z.
bool is_format_of_pieces(const std::filesystem::path& path);

// Throws Error if the path names no folder of its own, or if files in it would be lost.
void check_pieces_writable(const std::filesystem::path& path, Overwrite overwrite);

// Writes the voxels inside the clip box, or all of them, in pieces of options.pieces.side voxels a side.
void write_in_pieces(const dag::VoxelScene& scene, const std::filesystem::path& path,
                     const std::optional<VoxelBox>& clip, const ExportOptions& options);

}  // namespace vox
