// Reads any file of points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "libvox/base/vec.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/voxelize/grid.h"

namespace vox {

// A cloud of points. The reader of a file provides it piece by piece, so that files of any size are read in
// bounded memory.

struct CloudPoint {
  Vec3d place;
  uint32_t rgb = 0;  // see rgb_value(); 0 without colours
};

// Some of a cloud's points, and the number of points in the same part of the file that are left out: those
// that the file marks as withheld, and splats that are too transparent.
struct CloudPiece {
  std::vector<CloudPoint> points;
  uint64_t left_out = 0;
};

struct PointCloud {
  bool has_colors = false;
  dag::UpAxis up = dag::UpAxis::Y;  // the axis that points up

  // Several threads call read() at once, and a piece may be read more than once. The function keeps alive
  // what it needs, and throws an Error that names the file.
  size_t pieces = 0;
  std::function<CloudPiece(size_t piece)> read;
};

// The number of records in a piece of a file whose records have equal lengths.
inline constexpr uint64_t kPieceRecords = 1 << 14;

// Rotates the cloud so that its `up` axis becomes y; see voxelize::turn_up().
PointCloud turned_up(PointCloud cloud, dag::UpAxis up);

// Joins clouds into one, which has colours if all of them have. `clouds` must hold at least one.
PointCloud joined(std::vector<PointCloud> clouds);

// The results of a first pass over a cloud.
struct CloudSurvey {
  voxelize::Box box;        // box of all points with finite coordinates; if there are none, min > max
  uint64_t points = 0;      // number of points in the box
  uint64_t not_finite = 0;  // number of points with coordinates that are not finite
  uint64_t left_out = 0;    // see CloudPiece
};
CloudSurvey survey(const PointCloud& cloud);

inline bool is_finite(const Vec3d& place) {
  const double sum = place.x * 0 + place.y * 0 + place.z * 0;  // NaN for infinity and NaN
  return sum == 0;
}

struct PointOptions {
  std::optional<dag::UpAxis> up = std::nullopt;  // the axis that points up, whatever the file says
  double splat_opacity = 0.5;                    // the least opacity of a splat that is kept
};

// Opens several files as one cloud, in which y points up. `paths` must hold at least one. Throws an Error
// that names the file and, if there is one, the line.
PointCloud open_points(std::span<const std::filesystem::path> paths, const PointOptions& options = {});

// The readers of one format each. They do not rotate the points, and report which axis is up. open_points()
// adds the file's name to their Errors.
PointCloud open_las(const std::filesystem::path& path);
PointCloud open_ply_points(const std::filesystem::path& path, const PointOptions& options = {});
PointCloud open_point_text(const std::filesystem::path& path);  // .xyz and .pts

// Tells if a PLY file holds points instead of a mesh.

enum class PlyPoints {
  None,   // a mesh, or not a PLY file
  Plain,  // points, with or without colours
  Splats  // 3D Gaussian splats (Kerbl et al. 2023): with a colour as spherical harmonics, and an opacity
};

// Reads only the header.
PlyPoints ply_points_of(const std::filesystem::path& path);

}  // namespace vox
