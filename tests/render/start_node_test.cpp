// Tests rays that begin in a node that another ray has passed: they must hit the same as from the root.
#include <gtest/gtest.h>

#include "libvox/base/length.h"
#include "tests/common/thoroughness.h"
#include "tests/render/traced.h"

namespace vox {
namespace {

Vec3d place_in(Int3 voxel, Random& random) {
  const Vec3d corner = {double(voxel.x), double(voxel.y), double(voxel.z)};
  return corner + (random.below(4) == 0 ? Vec3d{1.0 * random.below(2), 1.0 * random.below(2), 0.5}
                                        : random.in_cube(0, 1));
}

Vec3d any_direction(Random& random) {
  const Vec3d direction = random.in_cube(-1, 1);
  return random.below(6) == 0 ? Vec3d{0, direction.y < 0 ? -1.0 : 1.0, 0} : direction;
}

// Returns a ray that is already several voxels wide where it begins.
render::Ray wide_ray(const Traced& scene, Vec3d from, Vec3d direction) {
  const render::Ray ray = scene.ray(from - direction * 60, direction, 0.2);
  return render::begun_later(ray, static_cast<int64_t>(60 * length(direction) / ray.voxels_per_tick));
}

// Compares rays from voxels near the hit of a ray. Returns the number of rays that know a node below the
// root.
int expect_same_from(const Traced& scene, const render::Ray& first, Random& random) {
  const render::RayDagRef dag = scene.dag.ref();
  render::PassedNodes passed;
  const render::Hit hit = render::trace(dag, first, {}, passed);
  EXPECT_EQ(hit, scene.trace(first));
  if (!hit.found()) return 0;
  int below = 0;
  for (int i = 0; i < 6; ++i) {
    const auto off = [&] { return static_cast<int32_t>(random.below(5)) - 2; };
    const Int3 voxel = hit.low + Int3{off(), off(), i < 3 ? 0 : off()};
    const render::StartNode start = render::start_near(dag, passed, hit, voxel);
    below += start.node != nullptr && start.log2 < dag.log2_side;
    const Vec3d from = place_in(voxel, random), direction = any_direction(random);
    const render::Ray next = i % 2 == 0 ? scene.ray(from, direction) : wide_ray(scene, from, direction);
    EXPECT_EQ(render::trace(dag, next, start), scene.trace(next));
  }
  return below;
}

TEST(StartNode, RaysHitTheSameAsFromTheRoot) {
  Random random(17);
  for (const DenseGrid& grid : {DenseGrid(shell), DenseGrid(dust(2)), DenseGrid(blocks), scattered(90)}) {
    const Traced scene(64, grid);
    int below = 0;
    for (int i = 0; i < 200 * static_cast<int>(kThoroughness) && !testing::Test::HasFailure(); ++i) {
      const Vec3d origin = random.in_cube(-100, 164);
      const render::Ray first = scene.ray(origin, random.in_cube(0, 64) - origin, i % 3 * 0.01);
      below += expect_same_from(scene, first, random);
    }
    EXPECT_GT(below, 100);
  }
}

TEST(StartNode, AVoxelOutsideOfTheCubeIsInNoNode) {
  const Traced scene(16, everywhere);
  render::PassedNodes passed;
  const render::RayDagRef dag = scene.dag.ref();
  const render::Hit hit = render::trace(dag, scene.ray({-5, 3, 3}, {1, 0, 0}), {}, passed);
  ASSERT_TRUE(hit.found());
  EXPECT_EQ(render::start_near(dag, passed, hit, {-1, 3, 3}).node, nullptr);
}

}  // namespace
}  // namespace vox
