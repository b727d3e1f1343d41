// A scene as a DAG and as a dense grid, with random rays through it, and helpers for the tests of pictures.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <ostream>
#include <vector>

#include "libvox/base/geometry.h"
#include "libvox/device/cpu_device.h"
#include "libvox/render/node_colors.h"
#include "libvox/render/render.h"
#include "libvox/render/trace.h"
#include "tests/common/random.h"
#include "tests/dag/dense_dag.h"

namespace vox {

// Finds what a ray hits by testing every voxel of a dense grid: slow and obviously right. The computation
// uses 128 bits, so that nothing overflows.

// A box of voxels and the time that a ray spends in it: after it has crossed all near planes and before it
// crosses a far one.
struct DensePass {
  using Wide = __int128;
  Wide in, out;
  bool passes;

  DensePass(const render::Ray& ray, const VoxelBox& box) {
    const Wide cube = Wide{1} << ray.log2_side;
    const std::array<Wide, 3> first = {ray.first.x, ray.first.y, ray.first.z};
    const std::array<Wide, 3> step = {ray.step.x, ray.step.y, ray.step.z};
    const std::array<Wide, 3> low = {box.min.x, box.min.y, box.min.z};
    const std::array<Wide, 3> high = {box.max.x, box.max.y, box.max.z};
    in = ray.start;
    out = Wide{1} << 100;
    for (size_t axis = 0; axis < 3; ++axis) {
      const bool down = ray.mirrored >> axis & 1;
      const Wide near = down ? cube - high[axis] : low[axis], far = down ? cube - low[axis] : high[axis];
      in = std::max(in, first[axis] + near * step[axis]);
      out = std::min(out, first[axis] + far * step[axis]);
    }
    passes = in < out;
  }
};

struct MaterialHit {
  render::Hit hit;
  int material = dag::kEmptyVoxel;
  friend bool operator==(const MaterialHit&, const MaterialHit&) = default;
};

class DenseScene {
 public:
  struct Voxel {
    Int3 at;
    int material;
  };

  DenseScene(uint32_t resolution, const DenseGrid& grid)
      : side_(dag::kLeafSide << dag::depth_for(resolution)) {
    for (uint32_t i = 0; i < resolution * resolution * resolution; ++i) {
      const uint32_t x = i % resolution, y = i / resolution % resolution, z = i / resolution / resolution;
      const int material = grid(x, y, z);
      if (material != dag::kEmptyVoxel) voxels_.push_back({{int(x), int(y), int(z)}, material});
    }
    for (uint32_t log2 = 0; side_ >> log2 > 1; ++log2) cubes_.push_back(cubes(log2));
  }

  // Returns the hit without level of detail.
  MaterialHit trace(const render::Ray& ray) const {
    MaterialHit first;
    for (const Voxel& voxel : voxels_) {
      const VoxelBox box = cube_at(voxel.at, 1);
      const DensePass pass(ray, box);
      if (pass.passes && (!first.hit.found() || pass.in < first.hit.at))
        first = {{static_cast<render::Crossing>(pass.in), box.min, box.max, 0}, voxel.material};
    }
    return first;
  }

  // Returns the hit with level of detail. It tests all voxels, and for all cubes of at least 4³ except the
  // whole grid, the boxes around their voxels that are no wider than a pixel where the ray enters them. The
  // box that the ray enters first wins, and among several entered at once that of the largest cube. Boxes of cubes below
  // `finest` stop no rays.
  render::Hit trace_cubes(const render::Ray& ray, uint32_t finest = dag::kLeafLog2) const {
    render::Hit first;
    for (uint32_t log2 = 0; side_ >> log2 > 1; log2 = log2 == 0 ? finest : log2 + 1)
      for (const Cube& cube : cubes_[log2]) {
        const DensePass enters(ray, cube_at(cube.corner, 1u << log2)), pass(ray, cube.filled);
        const DensePass::Wide ticks = std::min<DensePass::Wide>(ray.before + (enters.in >> 2), ray.widest);
        const bool stops = log2 == 0 || ticks >= (DensePass::Wide{ray.pixel_is_voxel} << log2);
        if (pass.passes && stops && (!first.found() || pass.in <= first.at))
          first = {static_cast<render::Crossing>(pass.in), cube.filled.min, cube.filled.max, log2};
      }
    return first;
  }

  const std::vector<Voxel>& voxels() const { return voxels_; }
  uint32_t side() const { return side_; }

 private:
  struct Cube {
    Int3 corner;
    VoxelBox filled;  // the box around its voxels
  };

  // Returns the cubes of this size that contain a voxel.
  std::vector<Cube> cubes(uint32_t log2) const {
    std::map<std::array<int32_t, 3>, VoxelBox> found;
    for (const Voxel& voxel : voxels_) {
      const std::array corner = {voxel.at.x >> log2 << log2, voxel.at.y >> log2 << log2,
                                 voxel.at.z >> log2 << log2};
      const VoxelBox box = cube_at(voxel.at, 1);
      const auto [at, added] = found.try_emplace(corner, box);
      if (!added) at->second = hull(at->second, box);
    }
    std::vector<Cube> list;
    for (const auto& [corner, filled] : found) list.push_back({{corner[0], corner[1], corner[2]}, filled});
    return list;
  }

  uint32_t side_;
  std::vector<Voxel> voxels_;
  std::vector<std::vector<Cube>> cubes_;  // of each size, as cubes() finds them
};

}  // namespace vox

namespace vox::render {

inline std::ostream& operator<<(std::ostream& out, const Hit& hit) {
  if (!hit.found()) return out << "nothing";
  return out << "(" << hit.low.x << ", " << hit.low.y << ", " << hit.low.z << ") to (" << hit.high.x << ", "
             << hit.high.y << ", " << hit.high.z << ") 2^" << hit.log2 << " at " << time_of(hit.at)
             << " axis " << axis_of(hit.at);
}

}  // namespace vox::render

namespace vox {

inline std::ostream& operator<<(std::ostream& out, const MaterialHit& found) {
  return out << found.hit << " material " << found.material;
}

// A scene as a DAG and as a dense grid.
struct Traced {
  device::CpuDevice device{0, false};
  dag::FrozenDag frozen;
  render::RayDag<device::CpuDevice> dag;
  DenseScene dense;

  // Nodes below `finest` have no boxes.
  Traced(uint32_t resolution, const DenseGrid& grid, uint32_t finest = dag::kLeafLog2 + 1)
      : frozen(dense_dag(resolution, true, grid)), dag(device, frozen), dense(resolution, grid) {
    dag.set_boxes(render::bound_nodes(device, dag.ref(), finest), finest);
  }

  uint32_t log2_side() const { return dag.ref().log2_side; }
  double side() const { return dense.side(); }
  render::Ray ray(Vec3d origin, Vec3d direction, double spread = 0) const {
    return render::make_ray(log2_side(), origin, direction, spread);
  }
  render::Hit trace(const render::Ray& ray) const { return render::trace(dag.ref(), ray); }
  render::Hit trace(Vec3d origin, Vec3d direction) const { return trace(ray(origin, direction)); }
  MaterialHit trace_material(const render::Ray& ray) const {
    const render::RayDagRef ref = dag.ref();
    const render::Hit hit = render::trace(ref, ray);
    return {hit, hit.found() ? static_cast<int>(render::hit_material(ref, ray, hit)) : dag::kEmptyVoxel};
  }

  // Expects the same hit in both; returns true if there is one.
  bool expect_same(const render::Ray& ray) const {
    const MaterialHit found = trace_material(ray);
    EXPECT_EQ(found, dense.trace(ray));
    return found.hit.found();
  }
};

// Returns the distance that a ray in this direction has traveled at a crossing, in doubles.
inline double distance_along(Vec3d direction, const render::Ray& ray, render::Crossing at) {
  const double longest = std::max({std::fabs(direction.x), std::fabs(direction.y), std::fabs(direction.z)});
  return std::ldexp(static_cast<double>(render::ticks_to(ray, at)),
                    -static_cast<int>(render::log2_ticks(ray.log2_side))) *
         (std::sqrt(dot(direction, direction)) / longest);
}

// Returns a ray from a point in or around the cube to a point in the cube.
inline render::Ray random_ray(const Traced& scene, Random& random) {
  const double side = scene.side();
  const Vec3d origin = random.below(2) ? random.in_cube(0, side) : random.in_cube(-2 * side, 3 * side);
  Vec3d direction = random.in_cube(0, side) - origin;
  if (random.below(8) == 0) direction.x = 0;
  if (random.below(8) == 0) direction.y *= 1e-7;
  return scene.ray(origin, direction);
}

// A grid in which one voxel in `one_in` is filled.
inline DenseGrid scattered(uint64_t one_in) {
  return [one_in](uint32_t x, uint32_t y, uint32_t z) {
    const uint64_t hash = mix64(x + 1000 * y + 1000000 * z + one_in);
    return hash % one_in == 0 ? static_cast<int>(hash >> 32 & 15) : dag::kEmptyVoxel;
  };
}

struct Case {
  uint32_t resolution;
  DenseGrid grid;
  int rays;
};

inline std::vector<Case> cases() {
  return {{4, scattered(3), 30000}, {4, scattered(20), 20000},  {8, scattered(8), 20000},
          {8, everywhere, 4000},    {15, scattered(50), 10000}, {16, scattered(4), 4000},
          {32, blocks, 1000},       {32, dust(1), 12000},       {37, checkered, 300},
          {64, shell, 1000},        {64, dust(2), 5000},        {64, blocks, 100}};
}

// Helpers for the tests of pictures.

// 16 colors that all differ.
inline const scene::Palette& distinct_palette() {
  static const scene::Palette palette = [] {
    scene::Palette colors;
    colors.count = scene::kPaletteSize;
    for (uint32_t i = 0; i < scene::kPaletteSize; ++i)
      colors.colors[i] = {static_cast<uint8_t>(i * 16), static_cast<uint8_t>(255 - i * 9),
                          static_cast<uint8_t>(40 + i)};
    return colors;
  }();
  return palette;
}

inline scene::Rgba8 at(const render::Picture& picture, uint32_t x, uint32_t y) {
  return picture.image.pixels[size_t{y} * picture.image.width + x];
}

inline scene::Rgba8 opaque(scene::Rgb8 color) {
  return {color.r, color.g, color.b, 255};
}

}  // namespace vox
