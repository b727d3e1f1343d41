#include <fmt/format.h>

#include "formats/voxels/export_file.h"
#include "formats/voxels/surfaces/record_bytes.h"
#include "formats/voxels/surfaces/surface.h"
#include "formats/voxels/surfaces/surface_files.h"

namespace vox {
namespace {

std::string surface_ply_header(const Surface& surface, FloatKind floats) {
  const std::string_view type = floats == FloatKind::Single ? "float" : "double";
  return fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment made by vox\n"
      "element vertex {0}\nproperty {1} x\nproperty {1} y\nproperty {1} z\n"
      "property uchar red\nproperty uchar green\nproperty uchar blue\n"
      "element face {2}\nproperty list uchar int vertex_indices\nend_header\n",
      surface.vertices(), type, surface.quads());
}

template <class Float>
std::vector<uint8_t> ply_vertices(const dag::VoxelScene& scene, const SurfaceMesh& mesh, scene::Rgb8 color) {
  RecordBytes bytes(mesh.vertices.size() * (3 * sizeof(Float) + 3));
  for (const Int3& at : mesh.vertices) {
    const Vec3d place = world_corner(scene, at);
    for (const double coordinate : {place.x, place.y, place.z}) bytes.put(static_cast<Float>(coordinate));
    for (const uint8_t channel : {color.r, color.g, color.b}) bytes.put(channel);
  }
  return bytes.finish();
}

std::vector<uint8_t> ply_faces(const SurfaceMesh& mesh, uint64_t first_vertex) {
  RecordBytes bytes(mesh.quads.size() * 17);
  for (const std::array<uint32_t, 4>& quad : mesh.quads) {
    bytes.put(uint8_t{4});
    for (const uint32_t vertex : quad) bytes.put(static_cast<int32_t>(first_vertex + vertex));
  }
  return bytes.finish();
}

}  // namespace

void write_surface_ply(const dag::VoxelScene& scene, const std::filesystem::path& path,
                       const std::optional<VoxelBox>& clip) {
  const VoxelBox region = export_region(scene, clip, path);
  const Surface surface(scene, region, path);
  const FloatKind floats = float_for(scene, region);
  const auto parts = surface.parts();
  ExportFile file(path, surface.vertices() * (floats == FloatKind::Single ? 15 : 27) + surface.quads() * 17);
  file.write(surface_ply_header(surface, floats));
  file.write_pieces(parts.size(), [&](uint64_t i) {
    const SurfaceMesh& mesh = surface.mesh(parts[i]);
    const scene::Rgb8 color = surface_color(scene, parts[i].value);
    return floats == FloatKind::Single ? ply_vertices<float>(scene, mesh, color)
                                       : ply_vertices<double>(scene, mesh, color);
  });
  file.write_pieces(parts.size(),
                    [&](uint64_t i) { return ply_faces(surface.mesh(parts[i]), parts[i].first_vertex); });
  file.commit();
}

}  // namespace vox
