// A scene as a DAG and as a dense grid, with random rays through it.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <vector>

#include "libvox/device/cpu_device.h"
#include "libvox/render/node_boxes.h"
#include "tests/common/random.h"
#include "tests/dag/grids.h"
#include "tests/render/dense_trace.h"

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

  Traced(uint32_t resolution, const DenseGrid& grid)
      : frozen(dense_dag(resolution, true, grid)), dag(device, frozen), dense(resolution, grid) {
    dag.set_boxes(render::bound_nodes(device, dag.ref()));
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

// Returns the distance that a ray in this direction has travelled at a crossing, in doubles.
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

}  // namespace vox
