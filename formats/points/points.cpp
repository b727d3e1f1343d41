#include "formats/points/points.h"

#include <utility>
#include <vector>

#include "formats/file_types.h"
#include "formats/points/ply_points.h"
#include "libvox/base/error.h"

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

bool is_points_path(const std::filesystem::path& path) {
  const FileType* type = file_type(path, FileRole::Points);
  return type != nullptr && (type->format != FileFormat::Ply || ply_points_of(path) != PlyPoints::None);
}

bool is_splats_path(const std::filesystem::path& path) {
  const FileType* type = file_type(path, FileRole::Points);
  return type != nullptr && type->format == FileFormat::Ply && ply_points_of(path) == PlyPoints::Splats;
}

PointCloud open_points(std::span<const std::filesystem::path> paths, const PointOptions& options) {
  std::vector<PointCloud> clouds;
  for (const std::filesystem::path& path : paths) {
    PointCloud cloud = open_cloud(path, options);
    const dag::UpAxis up = options.up.value_or(cloud.up);
    clouds.push_back(turned_up(std::move(cloud), up));
  }
  return joined(std::move(clouds));
}

}  // namespace vox
