#include "formats/voxels/surfaces/surface.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <tuple>

#include "formats/voxels/export_file.h"
#include "libvox/base/cancel.h"
#include "libvox/base/error.h"
#include "libvox/base/morton.h"

namespace vox {
namespace {

constexpr uint64_t kMostNumbers = INT32_MAX;
constexpr scene::Rgb8 kSurfaceOfNoMaterial = {200, 200, 200};

SurfacePart surface_part(SurfaceMesher& mesher, const FaceFinder& finder, Int3 corner, uint8_t value) {
  const std::span<const FaceRectangle> rectangles = finder.rectangles(value);
  const SurfaceMesh& mesh = mesher.mesh(corner, rectangles);
  VoxelBox bounds = {mesh.vertices[0], mesh.vertices[0]};
  for (const Int3& at : mesh.vertices) bounds = hull(bounds, {at, at});
  return {.corner = corner,
          .value = value,
          .bounds = bounds,
          .rectangles = {rectangles.begin(), rectangles.end()},
          .vertices = mesh.vertices.size()};
}

uint64_t order_of(const Int3& corner) {
  return morton_encode(static_cast<uint32_t>(corner.x), static_cast<uint32_t>(corner.y),
                       static_cast<uint32_t>(corner.z));
}

}  // namespace

void throw_surface_too_large(const dag::VoxelScene& scene, const std::string& problem,
                             const std::filesystem::path& target) {
  const uint32_t resolution = scene.dag.resolution;
  throw Error(problem)
      .at(target.string())
      .hint(coarser_hint(coarser_resolution(resolution, resolution / 2)))
      .about("resolution");
}

Surface::Surface(const dag::VoxelScene& scene, const VoxelBox& region, const std::filesystem::path& target) {
  const std::vector<Int3> corners = corners_of_cubes(scene.dag, region, BorderedCube::kSide);
  tbb::enumerable_thread_specific<FaceFinder> finders;
  tbb::enumerable_thread_specific<std::vector<SurfacePart>> found;
  std::atomic<uint64_t> vertices = 0, quads = 0;
  tbb::parallel_for(size_t{0}, corners.size(), [&](size_t i) {
    throw_if_cancelled();
    FaceFinder& finder = finders.local();
    finder.read(scene.dag, region, corners[i]);
    for (uint8_t value = 1; value < FaceFinder::kValues; ++value) {
      if (finder.rectangles(value).empty()) continue;
      const SurfacePart& part =
          found.local().emplace_back(surface_part(meshers_.local(), finder, corners[i], value));
      if ((vertices += part.vertices) > kMostNumbers || (quads += part.rectangles.size()) > kMostNumbers)
        throw_surface_too_large(
            scene, fmt::format("its surface has more than {} faces or vertices", kMostNumbers), target);
    }
  });
  for (std::vector<SurfacePart>& parts : found) std::ranges::move(parts, std::back_inserter(parts_));
  std::ranges::sort(parts_, {},
                    [](const SurfacePart& part) { return std::tuple(part.value, order_of(part.corner)); });
  for (size_t i = 1; i < parts_.size(); ++i) {
    parts_[i].first_vertex = parts_[i - 1].first_vertex + parts_[i - 1].vertices;
    parts_[i].first_quad = parts_[i - 1].first_quad + parts_[i - 1].rectangles.size();
  }
}

std::span<const SurfacePart> Surface::parts_of(uint8_t value) const {
  const auto first = std::ranges::lower_bound(parts_, value, {}, &SurfacePart::value);
  return {first, std::ranges::upper_bound(first, parts_.end(), value, {}, &SurfacePart::value)};
}

uint64_t Surface::vertices() const {
  return parts_.empty() ? 0 : parts_.back().first_vertex + parts_.back().vertices;
}

uint64_t Surface::quads() const {
  return parts_.empty() ? 0 : parts_.back().first_quad + parts_.back().rectangles.size();
}

const SurfaceMesh& Surface::mesh(const SurfacePart& part) const {
  return meshers_.local().mesh(part.corner, part.rectangles);
}

scene::Rgb8 surface_color(const dag::VoxelScene& scene, uint8_t value) {
  return scene.dag.materials ? scene.palette.colors[value - 1u] : kSurfaceOfNoMaterial;
}

std::string surface_name(const dag::VoxelScene& scene, uint8_t value) {
  if (!scene.dag.materials) return "voxels";
  const std::string& name = scene.palette.names[value - 1u];
  return name.empty() ? fmt::format("material {}", value - 1) : name;
}

FloatKind float_for(const dag::VoxelScene& scene, const VoxelBox& region) {
  // The relative error of a float is at most 2^-24.
  constexpr double kMostVoxels = 1 << 16;
  double most = 0;
  for (const Vec3d& corner : {world_corner(scene, region.min), world_corner(scene, region.max)})
    most = std::max({most, std::abs(corner.x), std::abs(corner.y), std::abs(corner.z)});
  return most <= kMostVoxels * scene.voxel_size ? FloatKind::Single : FloatKind::Double;
}

}  // namespace vox
