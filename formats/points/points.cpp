#include "formats/points/points.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "formats/file_types.h"
#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/voxelize/grid.h"

namespace vox {
namespace {

PointCloud open_cloud(const std::filesystem::path& path, const PointOptions& options) {
  const FileType* type = file_type(path, FileRole::Points);
  if (type == nullptr) throw Error("is not a point cloud, but the first file is").at(path.string());
  try {
    switch (type->format) {
      case FileFormat::Las:
        return open_las(path);
      case FileFormat::Ply:
        return open_ply_points(path, options);
      case FileFormat::Splat:
        return open_splat(path, options);
      case FileFormat::Spz:
        return open_spz(path, options);
      default:
        return open_point_text(path);
    }
  } catch (const Cancelled&) {
    throw;
  } catch (Error& error) {
    if (!error.has_place()) error.at(path.string());
    throw;
  }
}

}  // namespace

PointCloud open_points(std::span<const std::filesystem::path> paths, const PointOptions& options) {
  std::vector<PointCloud> clouds;
  for (const std::filesystem::path& path : paths) {
    PointCloud cloud = open_cloud(path, options);
    const dag::UpAxis up = options.up.value_or(cloud.up);
    clouds.push_back(turned_up(std::move(cloud), up));
  }
  return joined(std::move(clouds));
}

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr CloudSurvey kNothingFound = {.box = {.min = {kFar, kFar, kFar}, .max = {-kFar, -kFar, -kFar}}};

Vec3d lower(const Vec3d& a, const Vec3d& b) {
  return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
}
Vec3d upper(const Vec3d& a, const Vec3d& b) {
  return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}

CloudSurvey sum_of(const CloudSurvey& a, const CloudSurvey& b) {
  return {.box = {.min = lower(a.box.min, b.box.min), .max = upper(a.box.max, b.box.max)},
          .points = a.points + b.points,
          .not_finite = a.not_finite + b.not_finite,
          .left_out = a.left_out + b.left_out};
}

CloudSurvey survey_of(const CloudPiece& piece) {
  CloudSurvey found = kNothingFound;
  found.left_out = piece.left_out;
  for (const CloudPoint& point : piece.points) {
    if (!is_finite(point.place)) {
      ++found.not_finite;
      continue;
    }
    ++found.points;
    found.box = {.min = lower(found.box.min, point.place), .max = upper(found.box.max, point.place)};
  }
  return found;
}

}  // namespace

PointCloud turned_up(PointCloud cloud, dag::UpAxis up) {
  cloud.up = dag::UpAxis::Y;
  if (up == dag::UpAxis::Y) return cloud;
  cloud.read = [up, read = std::move(cloud.read)](size_t piece) {
    CloudPiece part = read(piece);
    for (auto& [p, rgb] : part.points) p = voxelize::turned_up(p, up);
    for (SplatShape& shape : part.shapes)
      for (Vec3d& axis : shape.axes) axis = voxelize::turned_up(axis, up);
    return part;
  };
  return cloud;
}

PointCloud joined(std::vector<PointCloud> clouds) {
  if (clouds.size() == 1) return std::move(clouds[0]);
  PointCloud all = {.has_colors = true, .has_shapes = clouds[0].has_shapes, .read = {}};
  std::vector<size_t> ends;
  for (const PointCloud& cloud : clouds) {
    if (cloud.has_shapes != all.has_shapes) throw Error("points and splats with sizes are no one cloud");
    all.has_colors &= cloud.has_colors;
    all.pieces += cloud.pieces;
    ends.push_back(all.pieces);
  }
  all.read = [clouds = std::move(clouds), ends = std::move(ends)](size_t piece) {
    const auto cloud = static_cast<size_t>(std::ranges::upper_bound(ends, piece) - ends.begin());
    return clouds[cloud].read(piece - (ends[cloud] - clouds[cloud].pieces));
  };
  return all;
}

CloudSurvey survey(const PointCloud& cloud) {
  return tbb::parallel_reduce(
      tbb::blocked_range<size_t>(0, cloud.pieces), kNothingFound,
      [&](const tbb::blocked_range<size_t>& range, CloudSurvey found) {
        for (size_t piece = range.begin(); piece < range.end(); ++piece) {
          throw_if_cancelled();
          found = sum_of(found, survey_of(cloud.read(piece)));
        }
        return found;
      },
      sum_of);
}

}  // namespace vox
