// Compares the paths of the benchmark of rays with paths through dense grids.

#include "libvox/measure/rays_bench.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "libvox/base/error.h"
#include "libvox/render/render.h"
#include "libvox/render/shade.h"
#include "tests/common/test_engine.h"
#include "tests/render/traced.h"

namespace vox {
namespace {

using measure::RaysBenchOptions;
using measure::RaysBenchResult;
using measure::RaysBenchRow;
using measure::RaysState;

RaysBenchOptions few_rays() {
  RaysBenchOptions options;
  options.bounces = {0, 1, 5};
  options.picture = 12;
  options.edits = 6;
  options.radius = 3;
  options.repetitions = 1;
  return options;
}

// The rays of a path's picture and the checksum of what they hit, where each ray tests every voxel.
struct DensePaths {
  uint64_t rays = 0, checksum = 0;

  DensePaths(const DenseScene& dense, const render::PixelRays& rays_of, uint32_t picture, uint32_t bounces) {
    const std::vector<render::Course> courses = render::open_courses(rays_of.log2_side);
    for (uint32_t pixel = 0; pixel < picture * picture; ++pixel) {
      const auto middle = [](uint32_t at) {
        return (at << render::kSubpixelBits) + (1u << (render::kSubpixelBits - 1));
      };
      render::Course course = render::make_course(
          rays_of.log2_side, rays_of.direction(middle(pixel % picture), middle(pixel / picture)));
      render::FinePoint from = rays_of.eye;
      uint64_t sum = mix64(pixel);
      bool goes_on = true;
      for (uint32_t bounce = 0; goes_on && bounce <= bounces; ++bounce) {
        const render::Ray ray = render::make_ray(course, from, 0);
        const MaterialHit found = dense.trace(ray);
        ++rays;
        goes_on = found.hit.found() && render::axis_of(found.hit.at) != render::kNoAxis;
        const Int3 low = found.hit.low;
        const uint64_t code = morton_encode(uint32_t(low.x), uint32_t(low.y), uint32_t(low.z));
        sum = mix64(sum ^ (found.hit.found() ? code << 4 | uint64_t(found.material) : UINT64_MAX));
        if (!goes_on) break;
        const Int3 normal = render::face_normal(ray, found.hit);
        from = render::hit_point(from, course, ray, found.hit);
        course = courses[render::open_courses_of(normal) + sum % render::kHemisphere];
      }
      checksum += mix64(sum + pixel);
    }
  }
};

TEST(RaysBench, PathsHitWhatTheyHitInTheDenseGrid) {
  for (const bool materials : {true, false}) {
    const DenseGrid grid = materials ? DenseGrid(shell) : DenseGrid(blocks);
    const dag::FrozenDag dag = dense_dag(26, materials, grid);
    const DenseScene dense(26, [&](uint32_t x, uint32_t y, uint32_t z) {
      return materials ? grid(x, y, z) : std::min(grid(x, y, z), 0);
    });
    RaysBenchOptions options = few_rays();
    options.tables = {"accel8"};
    options.states = {RaysState::Read};
    const RaysBenchResult result = measure::bench_rays(*test_engine(), dag, options);
    ASSERT_EQ(result.rows.size(), 2u * 2 * 3);
    for (const RaysBenchRow& row : result.rows) {
      const DensePaths expected(dense, render::pixel_rays(measure::camera_of(dag, row.view, 12)), 12,
                                row.bounces);
      EXPECT_EQ(row.work.rays, expected.rays) << row.table << " " << row.bounces;
      EXPECT_EQ(row.checksum, expected.checksum) << row.table << " " << row.bounces;
      EXPECT_EQ(row.error, "");
    }
  }
}

TEST(RaysBench, AllTablesLeadToTheSameHitsBeforeAndAfterEdits) {
  const dag::FrozenDag dag = dense_dag(64, true, shell);
  const RaysBenchResult result = measure::bench_rays(*test_engine(), dag, few_rays());
  const size_t memories = 1 + hash::table_names().size(), rows = 2 * 3;
  ASSERT_EQ(result.rows.size(), 2 * memories * rows);
  const auto sectors = [&](const std::string& table, RaysState state) {
    uint64_t sum = 0;
    for (const RaysBenchRow& row : result.rows)
      sum += row.table == table && row.state == state ? row.work.sectors : 0;
    return sum;
  };
  for (const RaysState state : {RaysState::Read, RaysState::Edited}) {
    const size_t first = state == RaysState::Read ? 0 : memories * rows;
    for (size_t i = first; i < first + memories * rows; ++i) {
      const RaysBenchRow &row = result.rows[i], &frozen = result.rows[first + (i - first) % rows];
      EXPECT_EQ(row.state, state);
      EXPECT_EQ(frozen.table, RaysBenchOptions::kFrozenName);
      EXPECT_EQ(row.error, "");
      EXPECT_EQ(row.checksum, frozen.checksum) << row.table;
      EXPECT_EQ(row.work.rays, frozen.work.rays) << row.table;
      EXPECT_EQ(row.work.nodes, frozen.work.nodes) << row.table;
    }
    // Items in two pieces are read in more sectors than whole ones.
    EXPECT_GT(sectors("atomic64", state), sectors("sector", state));
  }
  EXPECT_NE(result.rows.front().checksum, result.rows[memories * rows].checksum);
}

TEST(RaysBench, RefusesWhatCannotBeMeasured) {
  const auto refused = [](const auto& change) {
    RaysBenchOptions options = few_rays();
    change(options);
    EXPECT_THROW(measure::check(options), UsageError);
  };
  refused([](RaysBenchOptions& options) { options.tables = {}; });
  refused([](RaysBenchOptions& options) { options.tables = {"lines"}; });
  refused([](RaysBenchOptions& options) { options.bounces = {RaysBenchOptions::kMostBounces + 1}; });
  refused([](RaysBenchOptions& options) { options.picture = 0; });
  refused([](RaysBenchOptions& options) { options.radius = 0; });
  EXPECT_THROW(measure::bench_rays(*test_engine(), dag::empty_dag(16, true), few_rays()), Error);
}

}  // namespace
}  // namespace vox
