// A cloud of points, as the reader of a file tells it: piece by piece, so that files of any size are read in
// bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "libvox/base/vec.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/voxelize/grid.h"

namespace vox {

struct CloudPoint {
  Vec3d place;
  uint32_t rgb = 0;  // see rgb_value(); without colours 0
};

// Some of a cloud's points, and how many more the file holds there that are none: those that it calls withheld,
// and splats that are too transparent.
struct CloudPiece {
  std::vector<CloudPoint> points;
  uint64_t left_out = 0;
};

struct PointCloud {
  bool has_colors = false;
  dag::UpAxis up = dag::UpAxis::Y;  // the axis that points up

  // Several threads call read() at once, and more than once for a piece. It keeps what it needs alive, and throws
  // Error that names the file.
  size_t pieces = 0;
  std::function<CloudPiece(size_t piece)> read;
};

// The records of a piece of a file whose records are equally long.
inline constexpr uint64_t kPieceRecords = 1 << 14;

// Turns the cloud so that its `up` axis becomes y, see voxelize::turn_up().
PointCloud turned_up(PointCloud cloud, dag::UpAxis up);

// Several clouds as one, which has colours where all of them have. `clouds` holds at least one.
PointCloud joined(std::vector<PointCloud> clouds);

// What a first pass over a cloud finds.
struct CloudSurvey {
  voxelize::Box box;        // of the points, but for those that are not finite; without any, min > max
  uint64_t points = 0;      // in the box
  uint64_t not_finite = 0;  // points with coordinates that are not finite
  uint64_t left_out = 0;    // see CloudPiece
};
CloudSurvey survey(const PointCloud& cloud);

inline bool is_finite(const Vec3d& place) {
  const double sum = place.x * 0 + place.y * 0 + place.z * 0;  // of infinity and NaN NaN
  return sum == 0;
}

}  // namespace vox
