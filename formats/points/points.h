// Reads any file of points.
#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "formats/points/point_cloud.h"

namespace vox {

struct PointOptions {
  std::optional<dag::UpAxis> up = std::nullopt;  // the axis that points up, whatever the file says
  double splat_opacity = 0.5;                    // of splats those that are at least so opaque
};

// Looks at the extension, and into PLY files: those without faces are points.
bool is_points_path(const std::filesystem::path& path);

// Whether it is a PLY file of Gaussian splats, which have an opacity.
bool is_splats_path(const std::filesystem::path& path);

// Several files as one cloud, in which y points up. `paths` must hold at least one. Throws Error that names the
// file, and the line where there is one.
PointCloud open_points(std::span<const std::filesystem::path> paths, const PointOptions& options = {});

// The readers of one format each. They leave the points as the file has them, and say what is up. It is
// open_points() that names the file in an Error.
PointCloud open_las(const std::filesystem::path& path);
PointCloud open_ply_points(const std::filesystem::path& path, const PointOptions& options = {});
PointCloud open_point_text(const std::filesystem::path& path);  // .xyz and .pts

}  // namespace vox
