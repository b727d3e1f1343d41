#include "formats/voxels/surfaces/surface.h"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>

#include <array>
#include <atomic>
#include <cmath>
#include <optional>
#include <vector>

#include "formats/volume/places.h"
#include "formats/voxels/export.h"
#include "libvox/attributes/octahedral.h"
#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/walk.h"

namespace vox {
namespace {

constexpr uint64_t kMostPoints = INT32_MAX;  // the most that all readers accept

// Collective.
uint64_t filled_voxels(const dag::FrozenDag& dag, const VoxelBox& region, const std::vector<Int3>& corners,
                       ranks::Ranks& ranks) {
  if (region == cube_at({0, 0, 0}, dag.resolution)) return dag.voxels;
  std::atomic<uint64_t> voxels = 0;
  const ranks::Counts begins = share_begins(ranks, corners.size());
  parallel_for(begins[ranks.rank()], begins[ranks.rank() + 1], [&](uint64_t i) {
    throw_if_cancelled();
    const VoxelBox box = intersection(cube_at(corners[i], BorderedCube::kSide), region);
    dag::for_each_leaf(
        dag, box,
        [&](Int3, uint64_t mask, const uint32_t*) { voxels += static_cast<uint64_t>(popcount(mask)); },
        [&](const VoxelBox& solid, uint32_t) { voxels += solid.voxels(); });
  });
  throw_if_cancelled();  // counts of words that could not be read stay here
  return sum_of(ranks, voxels);
}

bool has_colors(const dag::VoxelScene& scene) {
  return scene.dag.materials || scene.colors;
}

std::string points_header(const dag::VoxelScene& scene, uint64_t points, FloatKind floats) {
  const std::string_view type = floats == FloatKind::Single ? "float" : "double";
  return fmt::format(
      "{3}element vertex {0}\n"
      "property {1} x\nproperty {1} y\nproperty {1} z\n"
      "property float nx\nproperty float ny\nproperty float nz\n{2}end_header\n",
      points, type,
      has_colors(scene) ? "property uchar red\nproperty uchar green\nproperty uchar blue\n" : "", kPlyBegin);
}

size_t bytes_of_point(const dag::VoxelScene& scene, FloatKind floats) {
  return (floats == FloatKind::Single ? 12 : 24) + 12 + (has_colors(scene) ? 3 : 0);
}

class PointsOfCube {
 public:
  // `colors` is nullptr for a scene without colors apart from the DAG, and `normals` for one without normals.
  PointsOfCube(const dag::VoxelScene& scene, const BorderedCube& cube, const CubeColors* colors,
               const CubeColors* normals, Int3 corner, FloatKind floats)
      : scene_(scene), cube_(cube), colors_(colors), normals_(normals), corner_(corner), floats_(floats) {}

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
    const uint32_t stored = normals_ != nullptr ? (*normals_)[at] : attributes::kNoDirection;
    const Vec3<float> normal =
        stored != attributes::kNoDirection ? attributes::unit_direction(stored) : normal_of_voxel(cube_, at);
    for (uint32_t axis = 0; axis < 3; ++axis) bytes.put(normal[axis]);
    if (!has_colors(scene_)) return;
    const scene::Rgb8 color =
        colors_ != nullptr ? scene::unpacked_color((*colors_)[at]) : surface_color(scene_, cube_.value(at));
    for (const uint8_t channel : {color.r, color.g, color.b}) bytes.put(channel);
  }

  const dag::VoxelScene& scene_;
  const BorderedCube& cube_;
  const CubeColors* colors_;
  const CubeColors* normals_;
  Int3 corner_;
  FloatKind floats_;
};

}  // namespace

void write_voxel_points(const dag::VoxelScene& scene, const std::filesystem::path& path,
                        const std::optional<VoxelBox>& clip, const attributes::PackedValues* normals,
                        ranks::Ranks& ranks) {
  const VoxelBox region = export_region(scene, clip, path);
  const std::vector<Int3> corners = corners_of_cubes(scene.dag, region, BorderedCube::kSide);
  const uint64_t points = filled_voxels(scene.dag, region, corners, ranks);
  if (points > kMostPoints)
    throw_surface_too_large(
        scene, fmt::format("has {} voxels, and a PLY file takes {} points", points, kMostPoints), path);
  const FloatKind floats = float_for(scene, region);
  ExportFile file(path, points * bytes_of_point(scene, floats), Writers::Several, ranks);
  file.write(points_header(scene, points, floats));
  const uint64_t begin = file.end();
  std::optional<dag::LeafColors> of_leaves, normals_of_leaves;
  if (scene.colors) of_leaves.emplace(scene);
  if (normals != nullptr) normals_of_leaves.emplace(scene.dag, *normals);
  tbb::enumerable_thread_specific<BorderedCube> cubes;
  tbb::enumerable_thread_specific<CubeColors> colors_of_cubes, normals_of_cubes;
  file.write_pieces(corners.size(), [&](uint64_t i) {
    BorderedCube& cube = cubes.local();
    cube.read(scene.dag, region, corners[i]);
    CubeColors* const colors = of_leaves ? &colors_of_cubes.local() : nullptr;
    if (colors != nullptr) colors->read(scene.dag, *of_leaves, corners[i]);
    CubeColors* const stored = normals_of_leaves ? &normals_of_cubes.local() : nullptr;
    if (stored != nullptr) stored->read(scene.dag, *normals_of_leaves, corners[i]);
    return PointsOfCube(scene, cube, colors, stored, corners[i], floats).bytes();
  });
  if (ranks.rank() == 0 && file.end() - begin != points * bytes_of_point(scene, floats))
    throw Error(fmt::format("the scene states {} voxels, but has another number", points))
        .hint("is the scene file damaged?");
  file.commit();
}

namespace {

// The sum of the directions to the neighbors is larger than this at the border of something solid, where a
// plane of neighbors and a layer behind it are filled: it is 4.33 along an axis. For half a plane the sum is
// 2, and for a corner of a plane less.
constexpr double kSolid = 3;

struct Neighbors {
  Vec3d sum = {0, 0, 0};                             // the directions, each divided by its squared length
  std::array<std::array<double, 3>, 3> extent = {};  // the sum of the products of coordinates
};

Neighbors neighbors_of(const BorderedCube& cube, const Int3& at) {
  Neighbors found;
  for (int32_t z = -1; z <= 1; ++z)
    for (int32_t y = -1; y <= 1; ++y)
      for (int32_t x = -1; x <= 1; ++x) {
        const int32_t square = x * x + y * y + z * z;
        if (square == 0 || cube.value(at + Int3{x, y, z}) == 0) continue;
        const std::array<double, 3> to = {double(x), double(y), double(z)};
        found.sum = found.sum + Vec3d{to[0], to[1], to[2]} * (1. / square);
        for (size_t i = 0; i < 3; ++i)
          for (size_t j = 0; j < 3; ++j) found.extent[i][j] += to[i] * to[j];
      }
  return found;
}

// Returns the eigenvector of a symmetric matrix's least eigenvalue, by Jacobi rotations. It uses only
// operations that IEEE 754 rounds in one way.
Vec3d least_direction(std::array<std::array<double, 3>, 3> m) {
  std::array<std::array<double, 3>, 3> axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};  // in columns
  for (int sweep = 0; sweep < 8; ++sweep)
    for (const auto& [p, q] : {std::pair<size_t, size_t>{0, 1}, {0, 2}, {1, 2}}) {
      if (std::abs(m[p][q]) < 1e-9) continue;
      const double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
      const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + square_root(theta * theta + 1));
      const double c = 1 / square_root(t * t + 1), s = t * c;
      for (size_t k = 0; k < 3; ++k) {
        const double a = m[k][p], b = m[k][q];
        m[k][p] = c * a - s * b, m[k][q] = s * a + c * b;
      }
      for (size_t k = 0; k < 3; ++k) {
        const double a = m[p][k], b = m[q][k], u = axes[k][p], v = axes[k][q];
        m[p][k] = c * a - s * b, m[q][k] = s * a + c * b;
        axes[k][p] = c * u - s * v, axes[k][q] = s * u + c * v;
      }
    }
  size_t least = 0;
  for (size_t i = 1; i < 3; ++i)
    if (m[i][i] < m[least][least] - 1e-9) least = i;
  return {axes[0][least], axes[1][least], axes[2][least]};
}

uint32_t largest_axis(const Vec3d& v) {
  const Vec3d size = {std::abs(v.x), std::abs(v.y), std::abs(v.z)};
  const uint32_t of_two = size.x >= size.y ? 0 : 1;
  return size[of_two] >= size.z ? of_two : 2;
}

}  // namespace

Vec3<float> normal_of_voxel(const BorderedCube& cube, const Int3& at) {
  const Neighbors found = neighbors_of(cube, at);
  Vec3d normal = found.sum * -1.;
  if (dot(normal, normal) < kSolid * kSolid) {
    const Vec3d direction = least_direction(found.extent);
    const double side = dot(direction, normal);
    const bool is_even = std::abs(side) < 1e-9;
    const bool is_turned = is_even ? direction[largest_axis(direction)] < 0 : side < 0;
    normal = direction * (is_turned ? -1. : 1.);
  }
  const double length = square_root(dot(normal, normal));
  return vec_of<float>(quotient(normal, {length, length, length}));
}

}  // namespace vox
