#include "libvox/render/sharing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "libvox/dag/walk.h"
#include "tests/common/test_engine.h"
#include "tests/dag/grids.h"
#include "tests/render/dense_trace.h"
#include "tests/render/pictures.h"

namespace vox {
namespace {

TEST(Sharing, ACodeIsALogarithmInQuarters) {
  for (uint32_t log2 = 0; log2 < 60; ++log2)
    for (uint64_t quarter = 0; quarter < 4; ++quarter) {
      // This is the first number that is at least that many quarters of the way between two powers of two.
      const uint64_t power = uint64_t{1} << log2;
      const uint64_t uses = power + (power * quarter + 3) / 4;
      if (uses >= 2 * power) continue;
      const uint64_t exact = (uses - power) * 4 / power;
      EXPECT_EQ(render::use_code(uses), log2 * 4 + exact) << uses;
      if (uses > power) {
        EXPECT_LT(render::use_code(uses - 1), render::use_code(uses)) << uses;
      }
    }
}

// A walk over the whole octree visits a node as often as it is used.
TEST(Sharing, APixelShowsHowOftenAWalkOverTheOctreeMeetsItsLeaf) {
  for (const DenseGrid& grid : {DenseGrid(shell), DenseGrid(blocks), DenseGrid(dust(1))}) {
    const dag::FrozenDag dag = dense_dag(64, true, grid);
    std::map<const uint32_t*, uint64_t> uses;
    std::map<std::array<int32_t, 3>, const uint32_t*> leaves;
    dag::for_each_leaf(dag, cube_at({0, 0, 0}, 64), [&](Int3 corner, uint64_t, const uint32_t* leaf) {
      ++uses[leaf];
      leaves[{corner.x, corner.y, corner.z}] = leaf;
    });
    uint64_t most = 0;
    for (const auto& [leaf, count] : uses) most = std::max(most, count);

    render::RenderOptions options;
    options.size = {64, 50};
    options.pose = render::framing(render::outline(dag), "iso", 0, 40, options.size);
    options.shade = render::Shade::Sharing;
    const render::Picture shown = test_engine()->renderer(dag, distinct_palette())->render(options);
    EXPECT_EQ(shown.low, 1);
    EXPECT_GE(shown.high, double(most));
    EXPECT_LT(shown.high, std::max(double(most) * 2, 2.5));

    const DenseScene dense(64, grid);
    const render::Camera camera = render::make_camera(options.pose, options.size, 6);
    for (uint32_t y = 0; y < options.size.height; y += 3)
      for (uint32_t x = 0; x < options.size.width; x += 3) {
        const render::Ray ray = render::make_ray(6, camera.eye, camera.direction(x + 0.5, y + 0.5), 0);
        const render::Hit hit = dense.trace(ray).hit;
        scene::Rgba8 expected = opaque(options.sky);
        if (hit.found()) {
          const uint64_t count = uses[leaves[{hit.low.x & ~3, hit.low.y & ~3, hit.low.z & ~3}]];
          const double log2 = render::use_code(count) / 4.0;
          expected = opaque(
              render::ramp_color(uint32_t(log2 / std::log2(shown.high) * (render::kRampColors - 1) + 0.5)));
        }
        ASSERT_EQ(at(shown, x, y), expected) << x << ' ' << y;
      }
  }
}

}  // namespace
}  // namespace vox
