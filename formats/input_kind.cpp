#include "formats/input_kind.h"

#include "formats/file_types.h"
#include "formats/mesh/mesh.h"
#include "formats/points/points.h"
#include "formats/scene/scene_file.h"
#include "formats/voxels/openvdb/vdb.h"

namespace vox {
namespace {

// A PLY file holds a mesh if it has faces.
InputKind kind_of_points(const FileType& type, const std::filesystem::path& path) {
  if (type.format == FileFormat::Splat || type.format == FileFormat::Spz) return InputKind::Splats;
  if (type.format != FileFormat::Ply) return InputKind::Points;
  switch (ply_points_of(path)) {
    case PlyPoints::None:
      return InputKind::Mesh;
    case PlyPoints::Plain:
      return InputKind::Points;
    case PlyPoints::Splats:
      return InputKind::Splats;
  }
  return InputKind::Mesh;
}

}  // namespace

InputKind kind_of_input(const std::filesystem::path& path, const RawOptions& raw) {
  if (const FileType* volume = file_type(path, FileRole::Volume)) {
    if (volume->format == FileFormat::Vdb) return is_vdb_volume(path) ? InputKind::Volume : InputKind::Voxels;
    return volume->format == FileFormat::Raw ? InputKind::RawVolume : InputKind::Volume;
  }
  if (has_role(path, FileRole::Voxels)) return InputKind::Voxels;
  if (has_role(path, FileRole::Scene)) return InputKind::Scene;
  const FileType* points = file_type(path, FileRole::Points);
  if (raw.any() && points == nullptr && !is_mesh_path(path)) return InputKind::RawVolume;
  if (is_scene_file(path)) return InputKind::Scene;
  return points != nullptr ? kind_of_points(*points, path) : InputKind::Mesh;
}

std::vector<InputKind> kinds_of_inputs(std::span<const std::filesystem::path> paths, const RawOptions& raw) {
  std::vector<InputKind> kinds;
  kinds.reserve(paths.size());
  for (const std::filesystem::path& path : paths) kinds.push_back(kind_of_input(path, raw));
  return kinds;
}

std::string names_of_inputs(std::span<const std::filesystem::path> paths) {
  std::string text;
  for (const auto& path : paths) text += (text.empty() ? "" : ", ") + path.filename().string();
  return text;
}

}  // namespace vox
