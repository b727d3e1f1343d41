// Writes scenes in the formats of other programs. The extension chooses the format: .nrrd, .vox, .obj, …
#pragma once

#include <filesystem>
#include <optional>

#include "formats/voxels/binvox/binvox.h"
#include "formats/voxels/nanovdb/nvdb_writer.h"
#include "formats/voxels/vtk/vtkhdf.h"
#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

enum class PlyContent { Surface, Points };

struct ExportOptions {
  // Each of these applies to one format alone.
  BinvoxValues binvox = BinvoxValues::Filled;
  PlyContent ply = PlyContent::Surface;
  VtkKind vtk = VtkKind::Image;
  NvdbGrid nvdb = NvdbGrid::U8;
  uint64_t memory_limit = 0;  // as in EngineOptions, while a DAG is made for the file
};

bool is_export_path(const std::filesystem::path& path);

// Throws Error if the format stores dense grids and the resolution is too large for one.
void check_export_resolution(uint32_t resolution, const std::filesystem::path& path,
                             const ExportOptions& options);

// Writes the voxels inside the clip box, or all of them. The file appears complete or not at all. Throws
// Error that names the file.
void export_scene(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, const ExportOptions& options = {});

}  // namespace vox
