#include "formats/voxels/surfaces/voxel_points.h"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <atomic>

#include "formats/voxels/export_file.h"
#include "formats/voxels/surfaces/record_bytes.h"
#include "formats/voxels/surfaces/surface.h"
#include "formats/voxels/surfaces/voxel_normal.h"
#include "libvox/base/bits.h"
#include "libvox/base/cancel.h"
#include "libvox/base/error.h"
#include "libvox/dag/walk.h"

namespace vox {
namespace {

constexpr uint64_t kMostPoints = INT32_MAX;  // the most that all readers accept

uint64_t filled_voxels(const dag::FrozenDag& dag, const VoxelBox& region, const std::vector<Int3>& corners) {
  if (region == cube_at({0, 0, 0}, dag.resolution)) return dag.voxels;
  std::atomic<uint64_t> voxels = 0;
  tbb::parallel_for(size_t{0}, corners.size(), [&](size_t i) {
    throw_if_cancelled();
    const VoxelBox box = intersection(cube_at(corners[i], BorderedCube::kSide), region);
    dag::for_each_leaf(
        dag, box,
        [&](Int3, uint64_t mask, const uint32_t*) { voxels += static_cast<uint64_t>(popcount(mask)); },
        [&](const VoxelBox& solid, uint32_t) { voxels += solid.voxels(); });
  });
  return voxels;
}

std::string points_header(const dag::VoxelScene& scene, uint64_t points, FloatKind floats) {
  const std::string_view type = floats == FloatKind::Single ? "float" : "double";
  return fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment made by vox\nelement vertex {0}\n"
      "property {1} x\nproperty {1} y\nproperty {1} z\n"
      "property float nx\nproperty float ny\nproperty float nz\n{2}end_header\n",
      points, type,
      scene.dag.materials ? "property uchar red\nproperty uchar green\nproperty uchar blue\n" : "");
}

size_t bytes_of_point(const dag::VoxelScene& scene, FloatKind floats) {
  return (floats == FloatKind::Single ? 12 : 24) + 12 + (scene.dag.materials ? 3 : 0);
}

class PointsOfCube {
 public:
  PointsOfCube(const dag::VoxelScene& scene, const BorderedCube& cube, Int3 corner, FloatKind floats)
      : scene_(scene), cube_(cube), corner_(corner), floats_(floats) {}

  std::vector<uint8_t> bytes() const {
    size_t voxels = 0;
    for_each_row([&](Int3, uint64_t row) { voxels += static_cast<size_t>(popcount(row)); });
    RecordBytes bytes(voxels * bytes_of_point(scene_, floats_));
    for_each_row([&](Int3 first, uint64_t row) {
      for (; row != 0; row &= row - 1) put_point(bytes, first + Int3{lowest_bit(row), 0, 0});
    });
    return bytes.finish();
  }

 private:
  template <class Row>
  void for_each_row(Row visit) const {
    for (int32_t z = 0; z < BorderedCube::kSide; ++z)
      for (int32_t y = 0; y < BorderedCube::kSide; ++y) visit(Int3{0, y, z}, cube_.row(y, z));
  }

  void put_point(RecordBytes& bytes, Int3 at) const {
    const Vec3d half = Vec3d{0.5, 0.5, 0.5} * scene_.voxel_size;
    const Vec3d center = world_corner(scene_, corner_ + at) + half;
    for (uint32_t axis = 0; axis < 3; ++axis)
      floats_ == FloatKind::Single ? bytes.put(static_cast<float>(center[axis])) : bytes.put(center[axis]);
    const Vec3<float> normal = normal_of_voxel(cube_, at);
    for (uint32_t axis = 0; axis < 3; ++axis) bytes.put(normal[axis]);
    if (!scene_.dag.materials) return;
    const scene::Rgb8 color = surface_color(scene_, cube_.value(at));
    for (const uint8_t channel : {color.r, color.g, color.b}) bytes.put(channel);
  }

  const dag::VoxelScene& scene_;
  const BorderedCube& cube_;
  Int3 corner_;
  FloatKind floats_;
};

}  // namespace

void write_voxel_points(const dag::VoxelScene& scene, const std::filesystem::path& path,
                        const std::optional<VoxelBox>& clip) {
  const VoxelBox region = export_region(scene, clip, path);
  const std::vector<Int3> corners = corners_of_cubes(scene.dag, region, BorderedCube::kSide);
  const uint64_t points = filled_voxels(scene.dag, region, corners);
  if (points > kMostPoints)
    throw_surface_too_large(
        scene, fmt::format("has {} voxels, and a PLY file takes {} points", points, kMostPoints), path);
  const FloatKind floats = float_for(scene, region);
  ExportFile file(path, points * bytes_of_point(scene, floats));
  file.write(points_header(scene, points, floats));
  tbb::enumerable_thread_specific<BorderedCube> cubes;
  file.write_pieces(corners.size(), [&](uint64_t i) {
    BorderedCube& cube = cubes.local();
    cube.read(scene.dag, region, corners[i]);
    return PointsOfCube(scene, cube, corners[i], floats).bytes();
  });
  file.commit();
}

}  // namespace vox
