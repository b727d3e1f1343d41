// Reads any file of points.
#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "formats/points/point_cloud.h"

namespace vox {

struct PointOptions {
  std::optional<dag::UpAxis> up = std::nullopt;  // the axis that points up, whatever the file says
  double splat_opacity = 0.5;                    // the least opacity of a splat that is kept
};

// Looks at the extension, and into PLY files, which hold points if they have no faces.
bool is_points_path(const std::filesystem::path& path);

// True if the file is a PLY file of Gaussian splats, which have an opacity.
bool is_splats_path(const std::filesystem::path& path);

// Opens several files as one cloud, in which y points up. `paths` must hold at least one. Throws an Error
// that names the file and, if there is one, the line.
PointCloud open_points(std::span<const std::filesystem::path> paths, const PointOptions& options = {});

// The readers of one format each. They do not rotate the points, and report which axis is up. open_points()
// adds the file's name to their Errors.
PointCloud open_las(const std::filesystem::path& path);
PointCloud open_ply_points(const std::filesystem::path& path, const PointOptions& options = {});
PointCloud open_point_text(const std::filesystem::path& path);  // .xyz and .pts

}  // namespace vox
