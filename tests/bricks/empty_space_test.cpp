// Compares the empty space of volumes with what a look at every voxel finds, and rays that pass over it with
// rays that pass over nothing.
#include "libvox/bricks/empty_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "libvox/bricks/volume_iso.h"
#include "libvox/device/cpu_device.h"
#include "tests/bricks/brick_volumes.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"

namespace vox {
namespace {

using namespace testing_bricks;

using CpuEmptySpace = bricks::EmptySpace<device::CpuDevice>;

bricks::FrozenBricks bricks_of_side(const volume::Volume& volume, uint32_t log2_side) {
  return bricks::build_bricks(test_engine()->handle(), volume, {.log2_side = log2_side, .threshold = {}})
      .bricks;
}

// In some cubes of 16³, the volume has one filled voxel among so many.
volume::Volume sparse_volume(Int3 size, uint32_t one_of, uint32_t seed) {
  return memory_volume(size, volume::ValueType::U8, [=](Int3 v) {
    if (noise({v.x >> 4, v.y >> 4, v.z >> 4}, seed) % 4 != 0) return 0u;
    return noise(v, seed + 1) % one_of == 0 ? 1 + noise(v, seed + 2) % 255 : 0u;
  });
}

std::vector<volume::Volume> sparse_volumes() {
  const auto type = volume::ValueType::U8;
  return {sparse_volume({70, 45, 101}, 60, 1),
          sparse_volume({33, 130, 17}, 2000, 2),
          sparse_volume({1, 1, 90}, 5, 3),
          mixed_volume({64, 64, 64}, type, 4),
          constant_volume({40, 20, 30}, type, 0),
          constant_volume({40, 20, 30}, type, 9),
          one_voxel_volume({150, 60, 60}, type, {8, 8, 8}),
          one_voxel_volume({60, 200, 60}, type, {59, 199, 59}),
          one_voxel_volume({60, 60, 300}, type, {0, 31, 32})};
}

constexpr bricks::SampleReach kCell = bricks::SampleReach::Cell, kVoxel = bricks::SampleReach::Voxel;

// True if a sample that belongs to voxel v depends on a filled voxel.
bool touches(const DenseAccess& dense, Int3 v, bricks::SampleReach reach) {
  const int32_t further = reach == kCell ? 1 : 0;
  const Int3 high = {std::min(v.x + further, dense.size.x - 1), std::min(v.y + further, dense.size.y - 1),
                     std::min(v.z + further, dense.size.z - 1)};
  for (Int3 at = v; at.z <= high.z; ++at.z)
    for (at.y = v.y; at.y <= high.y; ++at.y)
      for (at.x = v.x; at.x <= high.x; ++at.x)
        if (dense.get<uint8_t>(at) != 0) return true;
  return false;
}

// The busy parts of a cell, in the order of EmptySpaceRef::busy.
using Parts = std::array<uint64_t, 8>;

bool any(const Parts& parts) {
  return std::ranges::any_of(parts, [](uint64_t block) { return block != 0; });
}

std::vector<Parts> expected_busy(const DenseAccess& dense, const bricks::EmptySpaceRef& space,
                                 bricks::SampleReach reach) {
  std::vector<Parts> busy(VoxelBox{{0, 0, 0}, space.grid}.voxels());
  const int32_t part = 1 << space.log2_part;
  for (Int3 v = {0, 0, 0}; v.z < dense.size.z; ++v.z)
    for (v.y = 0; v.y < dense.size.y; ++v.y)
      for (v.x = 0; v.x < dense.size.x; ++v.x)
        if (touches(dense, v, reach)) {
          const Int3 at = {v.x / part, v.y / part, v.z / part};
          const int32_t block = at.x / 4 % 2 + at.y / 4 % 2 * 2 + at.z / 4 % 2 * 4;
          busy[space.index({at.x / 8, at.y / 8, at.z / 8})][size_t(block)] |=
              uint64_t{1} << (at.x % 4 + 4 * (at.y % 4) + 16 * (at.z % 4));
        }
  return busy;
}

uint32_t expected_distance(const std::vector<Parts>& busy, const bricks::EmptySpaceRef& space, Int3 cell) {
  uint32_t least = bricks::kMostEmptyDistance;
  for (uint64_t i = 0; i < busy.size(); ++i) {
    const Int3 apart = space.cell(i) - cell;
    const int32_t most = std::max({std::abs(apart.x), std::abs(apart.y), std::abs(apart.z)});
    if (any(busy[i])) least = std::min(least, uint32_t(most));
  }
  return least;
}

void expect_found(const CpuEmptySpace& owner, const DenseAccess& dense, bricks::SampleReach reach) {
  const bricks::EmptySpaceRef space = owner.ref();
  const std::vector<Parts> busy = expected_busy(dense, space, reach);
  uint32_t count = 0;
  for (uint64_t i = 0; i < busy.size(); ++i) {
    if (!any(busy[i])) {
      ASSERT_EQ(space.cells[i], expected_distance(busy, space, space.cell(i))) << i;
      continue;
    }
    ASSERT_EQ(space.cells[i], bricks::EmptySpaceRef::kFirstBusy + count) << i;
    const uint64_t* const found = space.busy + 8 * uint64_t{count++};
    ASSERT_TRUE(std::equal(busy[i].begin(), busy[i].end(), found)) << i;
  }
}

struct Limits {
  uint64_t cells, busy;
};
constexpr Limits kUsual = {bricks::kMostEmptyCells, bricks::kMostBusyCells};

TEST(EmptySpace, IsWhatALookAtEveryVoxelFinds) {
  device::CpuDevice device(0, false);
  for (const volume::Volume& volume : sparse_volumes())
    for (uint32_t log2_side = bricks::kMinBrickLog2; log2_side <= bricks::kMostTriedLog2; ++log2_side) {
      const bricks::FrozenBricks bricks = bricks_of_side(volume, log2_side);
      const DenseAccess dense(volume, bricks.background);
      for (const Limits most : {kUsual, Limits{40, 40}, Limits{4000, 3}, Limits{1, 1}})
        for (const bricks::SampleReach reach : {kCell, kVoxel}) {
          const CpuEmptySpace owner(device, bricks::ref(bricks), bricks.info.type, reach, most.cells,
                                    most.busy);
          const VoxelBox cells = {{0, 0, 0}, owner.ref().grid};
          ASSERT_LE(cells.voxels(), most.cells);
          expect_found(owner, dense, reach);
          if (HasFailure()) FAIL() << log2_side << ' ' << most.cells;
        }
    }
}

// A view of one ray, from a place in the volume's coordinates along a direction.
bricks::CastView view_along(const bricks::FrozenBricks& bricks, Vec3d eye, Vec3d direction) {
  bricks::CastView view = {};
  view.eye = eye;
  view.corner = direction;
  view.step = 0.5f;
  view.meaning = {bricks.info.size, bricks.info.type, bricks.background};
  return view;
}

std::vector<uint32_t> samples_of(const bricks::DenseRootRef& access, const bricks::CastView& view) {
  std::vector<uint32_t> samples;
  const bricks::CastRay ray(view, 0, 0);
  bricks::VolumeWalk<bricks::DenseRootRef>{access, view}.each_sample(ray, [&](uint32_t n) {
    samples.push_back(n);
    return true;
  });
  return samples;
}

// Checks that a ray looks at all samples that touch a filled voxel, and at no sample of a part that is not busy.
// Returns how many samples it looks at.
size_t expect_all_that_count(const DenseAccess& dense, const bricks::DenseRootRef& access,
                             bricks::CastView view, const bricks::EmptySpaceRef& space,
                             bricks::SampleReach reach) {
  const bricks::CastRay ray(view, 0, 0);
  const Int3 size = dense.size;
  std::vector<uint32_t> expected;
  for (const uint32_t n : samples_of(access, view)) {
    const Vec3<float> at = ray.at(n);
    const bricks::SamplePlace place(at, size);
    const Int3 low = place.low(), high = place.high();
    const Vec3<float> share = place.from_low();
    const auto voxel = [&](int32_t a, int32_t b, float from) {
      return reach == kCell || from < 0.5f ? a : b;
    };
    const Int3 v = {voxel(low.x, high.x, share.x), voxel(low.y, high.y, share.y),
                    voxel(low.z, high.z, share.z)};
    const uint32_t cell = space.cells[space.index(space.shifted(v, space.log2_cell()))];
    const bool is_busy =
        cell >= bricks::EmptySpaceRef::kFirstBusy && (space.block_of(cell, v) >> space.part_of(v) & 1) != 0;
    EXPECT_TRUE(is_busy || !touches(dense, v, reach));
    if (is_busy) expected.push_back(n);
  }
  view.empty_space = space;
  const std::vector<uint32_t> found = samples_of(access, view);
  EXPECT_EQ(found, expected);
  return found.size();
}

TEST(EmptySpace, RaysPassOverNothingThatCounts) {
  device::CpuDevice device(0, false);
  Random random(11);
  const std::vector<Vec3d> straight = {{1, 0, 0},  {-1, 0, 0},   {0, 1, 0},      {0, -1, 0},    {0, 0, 1},
                                       {0, 0, -1}, {1, 1e-9, 0}, {-1e-12, 0, 1}, {-1, 1e-6, -1}};
  for (const volume::Volume& volume : sparse_volumes())
    for (const uint64_t most_cells : {bricks::kMostEmptyCells, uint64_t{30}}) {
      const bricks::FrozenBricks bricks = bricks_of_side(volume, 3);
      const CpuEmptySpace between(device, bricks::ref(bricks), bricks.info.type, kCell, most_cells);
      const CpuEmptySpace inside(device, bricks::ref(bricks), bricks.info.type, kVoxel, most_cells);
      const DenseAccess dense(volume, bricks.background);
      const Int3 size = volume.info.size;
      const Vec3d sides = {double(size.x), double(size.y), double(size.z)};
      for (uint32_t i = 0; i < 40 * kThoroughness; ++i) {
        // A ray begins in the volume or beside it, also in planes between voxels and in the volume's sides.
        const Vec3d share = random.in_cube(i % 2 == 0 ? 0 : -1, i % 2 == 0 ? 1 : 2);
        Vec3d eye = {share.x * sides.x, share.y * sides.y, share.z * sides.z};
        if (i % 3 == 0) eye = {std::floor(eye.x), std::floor(eye.y) + 0.5, std::floor(eye.z)};
        if (i % 7 == 0) eye.x = i % 2 == 0 ? 0 : sides.x;
        const Vec3d direction =
            i % 4 == 0 ? straight[random.below(uint32_t(straight.size()))] : random.in_cube(-1, 1);
        const bricks::CastView view = view_along(bricks, eye, direction);
        expect_all_that_count(dense, {bricks::ref(bricks)}, view, between.ref(), kCell);
        expect_all_that_count(dense, {bricks::ref(bricks)}, view, inside.ref(), kVoxel);
        if (HasFailure()) FAIL() << "ray " << i;
      }
    }
}

// Returns the number of times that a ray looks where it is, if it meets nothing.
uint32_t steps_of(const bricks::DenseRootRef& access, const bricks::CastView& view) {
  const bricks::CastRay ray(view, 0, 0);
  EXPECT_GT(ray.count, 1000u);
  uint32_t steps = 0;
  for (uint32_t n = 0; n < ray.count; ++steps) {
    const uint32_t next = bricks::VolumeWalk<bricks::DenseRootRef>{access, view}.past_empty(ray, n);
    EXPECT_GT(next, n);
    n = std::max(next, n + 1);
  }
  return steps;
}

TEST(EmptySpace, ARayThroughNothingTakesFewSteps) {
  device::CpuDevice device(0, false);
  const auto type = volume::ValueType::U8;
  // Beside a wall, cells are nearer than the volume's side, in whose half voxel rays must not become slow.
  const volume::Volume wall = memory_volume({600, 20, 20}, type, [](Int3 v) { return v.y == 12 ? 1u : 0u; });
  const volume::Volume corner = one_voxel_volume({600, 20, 20}, type, {599, 19, 19});
  for (const auto& [volume, most] : {std::pair(wall, 100u), std::pair(corner, 30u)}) {
    const bricks::FrozenBricks bricks = bricks_of_side(volume, 4);
    const CpuEmptySpace space(device, bricks::ref(bricks), bricks.info.type, kCell);
    for (const Vec3d& direction : {Vec3d{1, 0, 0}, Vec3d{-1, 0, 0}, Vec3d{-1, -1e-9, -1e-9}}) {
      bricks::CastView view = view_along(bricks, {direction.x > 0 ? -5.0 : 605.0, 0.25, 0.25}, direction);
      view.empty_space = space.ref();
      EXPECT_LT(steps_of({bricks::ref(bricks)}, view), most);
    }
  }
}

}  // namespace
}  // namespace vox
