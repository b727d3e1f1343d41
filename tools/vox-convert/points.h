// The part of vox-convert that makes scenes of clouds of points.
#pragma once

#include <filesystem>

#include "formats/points/point_cloud.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/voxelize/grid.h"
#include "tools/vox-convert/conversion.h"
#include "tools/vox-convert/options.h"

namespace vox {

// True if the first input is a file of points.
bool is_points_input(const ConvertOptions& options);

// Reads all inputs, and fills the voxels in which points fall.
dag::VoxelScene convert_points(const ConvertOptions& options, Conversion& conversion);

// The steps of it. This one surveys a cloud and warns of its faults; it throws Error if the cloud has no points.
CloudSurvey surveyed(const PointCloud& cloud, const std::filesystem::path& path,
                     const ConvertOptions& options);
// Returns the box of the voxels that points in `box` fill.
voxelize::Box around_points(const voxelize::Box& box, const ConvertOptions& options);
ScenePlusError voxels_of(PointCloud cloud, const voxelize::Grid& grid, const ConvertOptions& options);

}  // namespace vox
