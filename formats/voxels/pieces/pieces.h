// Writes a scene that is too large for one file as a folder of pieces: cubes of the grid, each a complete file.
// pieces.json states the place of each piece and the meaning of its values. Pieces without voxels are left out.
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

// True if the format of this path can be written in pieces. "cells/part.raw" stands for cells/part_0_0_0.raw, …, with
// the piece's numbers along x, y and z.
bool is_format_of_pieces(const std::filesystem::path& path);

// Throws Error if the path names no separate folder, or if files in it would be lost.
void check_pieces_writable(const std::filesystem::path& path, Overwrite overwrite);

// Writes the voxels inside the clip box, or all of them, in pieces of options.pieces.side voxels a side.
void write_in_pieces(const dag::VoxelScene& scene, const std::filesystem::path& path,
                     const std::optional<VoxelBox>& clip, const ExportOptions& options);

}  // namespace vox
