// Compares materials by depth with a search around every voxel.

#include "libvox/voxelize/shells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "libvox/dag/frozen_dag.h"
#include "tests/common/test_engine.h"
#include "tests/voxelize/soup.h"

namespace vox {
namespace {

constexpr uint8_t kMark = 15;

// Returns the material that a voxel inside should have, by the distances to all surface voxels near it.
uint8_t expected(const std::vector<int>& marked, int resolution, Int3 voxel, const VoxelSize& size,
                 const voxelize::Shells& shells) {
  std::array<int64_t, 3> sides = {}, reach = {};
  const auto deepest = static_cast<int64_t>(shells.shells.back().depth);
  for (uint32_t k = 0; k < 3; ++k) {
    sides[k] = std::llround(1024 * size[k] / size.shortest());
    reach[k] = std::min<int64_t>(deepest / sides[k], resolution);
  }
  int64_t nearest = INT64_MAX;
  for (int64_t z = -reach[2]; z <= reach[2]; ++z)
    for (int64_t y = -reach[1]; y <= reach[1]; ++y)
      for (int64_t x = -reach[0]; x <= reach[0]; ++x) {
        const Int3 other = voxel + Int3{static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)};
        if (std::min({other.x, other.y, other.z}) < 0 || std::max({other.x, other.y, other.z}) >= resolution)
          continue;
        const int place = other.x + resolution * (other.y + resolution * other.z);
        const int material = marked[static_cast<size_t>(place)];
        if (material == dag::kEmptyVoxel || material == kMark) continue;
        const int64_t dx = x * sides[0], dy = y * sides[1], dz = z * sides[2];
        nearest = std::min(nearest, dx * dx + dy * dy + dz * dz);
      }
  for (const voxelize::Shell& shell : shells.shells)
    if (nearest <= static_cast<int64_t>(shell.depth * shell.depth)) return shell.material;
  return shells.interior;
}

void expect_shells(const Soup& soup, uint32_t resolution, const VoxelSize& size,
                   const voxelize::Shells& shells, uint32_t samples) {
  const dag::FrozenDag marked =
      build_soup(*test_engine(), soup, resolution, {.solid = true, .inside = kParity, .interior = kMark}).dag;
  const dag::FrozenDag result = voxelize::with_shells(marked, kMark, size, shells);
  ASSERT_NO_THROW(dag::verify(result));
  EXPECT_EQ(result.voxels, marked.voxels);
  std::vector<int> dense;
  for (uint32_t z = 0; z < resolution; ++z)
    for (uint32_t y = 0; y < resolution; ++y)
      for (uint32_t x = 0; x < resolution; ++x) dense.push_back(dag::voxel_at(marked, x, y, z));
  Random random(resolution);
  std::array<uint64_t, 16> found = {};
  for (uint32_t i = 0; i < samples; ++i) {
    const uint32_t x = random.below(resolution), y = random.below(resolution), z = random.below(resolution);
    const int before = dag::voxel_at(marked, x, y, z), after = dag::voxel_at(result, x, y, z);
    if (before != kMark) {
      ASSERT_EQ(after, before);
      continue;
    }
    const Int3 voxel = {static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)};
    ASSERT_EQ(after, expected(dense, static_cast<int>(resolution), voxel, size, shells))
        << x << ' ' << y << ' ' << z;
    ++found[static_cast<size_t>(after)];
  }
  for (const voxelize::Shell& shell : shells.shells) EXPECT_GT(found[shell.material], 0u);
  EXPECT_GT(found[shells.interior], 0u);
}

TEST(Shells, AreTheDistancesToTheNearestSurfaceVoxels) {
  const uint32_t samples = 500 * kThoroughness;
  const Soup ball = bumpy_sphere({50, 50, 50}, 46, 16, 0.2, 3);
  expect_shells(ball, 100, 1, {{{2 * 1024, 3}, {5 * 1024 + 300, 4}, {11 * 1024, 0}}, 7}, samples);
  expect_shells(ball, 100, {1, 2, 0.7}, {{{3 * 1024, 3}, {9 * 1024, 4}}, 7}, samples);
  // Squares of these depths need more than 32 bits.
  expect_shells(ball, 100, {1, 2, 0.7}, {{{20 * 1024, 3}, {33 * 1024, 4}}, 7}, 100 * kThoroughness);
  // The grid cuts a part of the ball off, whose surface does not count.
  const Soup cut = bumpy_sphere({70, 40, 50}, 50, 16, 0.1, 3);
  expect_shells(cut, 77, 0.3, {{{1024, 1}, {8 * 1024, 2}}, 3}, samples);
}

TEST(Shells, AreThoseOfSeveralBodiesThatLieApart) {
  std::vector<Soup> bodies;
  Random random(5);
  for (int i = 0; i < 30; ++i) {
    const Vec3d center = {20 + 160 * random.uniform(0, 1), 20 + 160 * random.uniform(0, 1),
                          20 + 160 * random.uniform(0, 1)};
    bodies.push_back(bumpy_sphere(center, 4 + 14 * random.uniform(0, 1), 6, 0.1, 3));
  }
  expect_shells(all_of(bodies), 200, 1, {{{1500, 3}, {6 * 1024, 4}}, 7}, 2000 * kThoroughness);
}

TEST(Shells, ThatReachBeyondABodyFillAllOfIt) {
  const Soup ball = bumpy_sphere({50, 50, 50}, 40, 16, 0, 3);
  const dag::FrozenDag marked =
      build_soup(*test_engine(), ball, 100, {.solid = true, .inside = kParity, .interior = kMark}).dag;
  const auto shells = [&](uint64_t depth, uint8_t first, uint8_t rest) {
    return voxelize::with_shells(marked, kMark, 1, {{{depth, first}}, rest}).digest;
  };
  const dag::Digest filled =
      build_soup(*test_engine(), ball, 100, {.solid = true, .inside = kParity, .interior = 6}).dag.digest;
  EXPECT_EQ(shells(voxelize::kMostDepth, 6, 2), filled);
  EXPECT_EQ(shells(1, 2, 6), filled);
  EXPECT_EQ(shells(1024, 6, 6), filled);
  EXPECT_NE(shells(1024, 2, 6), filled);
}

}  // namespace
}  // namespace vox
