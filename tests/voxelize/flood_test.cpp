// Compares what a flood from outside leaves with a dense flood, voxel by voxel.

#include "libvox/voxelize/flood.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/voxelize/dense_scenes.h"
#include "tests/voxelize/soup.h"

namespace vox {
namespace {

constexpr int kFill = 9;

// Fills the empty voxels that no path leads to from outside of the grid.
void fill_dense(std::vector<int>& voxels, uint32_t side) {
  std::vector<uint8_t> reached(voxels.size());
  std::vector<Int3> front;
  const auto last = static_cast<int32_t>(side) - 1;
  const auto reach = [&](Int3 p) {
    if (p.x < 0 || p.y < 0 || p.z < 0 || p.x > last || p.y > last || p.z > last) return;
    const auto at = static_cast<size_t>(p.x) + side * (static_cast<size_t>(p.y) + side * size_t(p.z));
    if (voxels[at] != dag::kEmptyVoxel || reached[at] != 0) return;
    reached[at] = 1;
    front.push_back(p);
  };
  for (int32_t a = 0; a <= last; ++a)
    for (int32_t b = 0; b <= last; ++b)
      for (const int32_t c : {0, last}) reach({a, b, c}), reach({a, c, b}), reach({c, a, b});
  while (!front.empty()) {
    const Int3 p = front.back();
    front.pop_back();
    for (uint32_t axis = 0; axis < 3; ++axis)
      for (const int32_t step : {-1, 1}) {
        Int3 next = p;
        next[axis] += step;
        reach(next);
      }
  }
  for (size_t i = 0; i < voxels.size(); ++i)
    if (voxels[i] == dag::kEmptyVoxel && reached[i] == 0) voxels[i] = kFill;
}

// Returns the number of voxels that are filled.
uint64_t expect_as_dense(const dag::FrozenDag& surface) {
  std::vector<int> expected = dense_of(surface);
  fill_dense(expected, surface.resolution);
  const voxelize::FloodedScene result = voxelize::flooded(surface, surface.materials ? kFill : 0);
  EXPECT_NO_THROW(dag::verify(result.dag));
  EXPECT_EQ(result.filled, result.dag.voxels - surface.voxels);
  std::vector<int> found = dense_of(result.dag);
  if (!surface.materials)
    for (int& voxel : expected) voxel = voxel == dag::kEmptyVoxel ? voxel : 0;
  EXPECT_EQ(found, expected);
  if (result.filled == 0) {
    EXPECT_EQ(result.dag.digest, surface.digest);
  }
  return result.filled;
}

TEST(InsideByFlood, IsWhatADenseFloodDoesNotReach) {
  for (const uint32_t side : {4u, 9u, 30u, 64u, 100u, 128u})
    for (const uint32_t share : {20u, 30u, 45u, 70u}) {
      if (side > 64 && kThoroughness == 1 && share != 30) continue;
      const auto noise = [&](Int3 p) {
        const auto at = static_cast<uint64_t>(p.x) | uint64_t(p.y) << 20 | uint64_t(p.z) << 40;
        return mix64(at * 100 + share) % 100 < share;
      };
      expect_as_dense(scene_where(side, share != 45, noise));
    }
}

TEST(InsideByFlood, IsTheInsideOfClosedShellsOfAnySize) {
  for (const uint32_t side : {32u, 63u, 130u, 170u}) {
    const auto shells = [&](Int3 p) {
      const auto middle = static_cast<double>(side) / 2;
      const double far = length(Vec3d{p.x - middle, p.y - middle, p.z - middle}) / middle;
      const double thick = 3 / middle;
      return (far > 0.9 - thick && far < 0.9) || (far > 0.4 - thick && far < 0.4);
    };
    EXPECT_GT(expect_as_dense(scene_where(side, true, shells)), 0u);
    const auto torn = [&](Int3 p) { return shells(p) && (p.x < 2 * p.y || p.y != p.z); };
    expect_as_dense(scene_where(side, true, torn));
  }
}

TEST(InsideByFlood, LeaksThroughOneVoxelAndFillsNothingThen) {
  for (const Int3 gap : {Int3{10, 60, 64}, {90, 64, 63}, {50, 50, 10}, {63, 10, 63}}) {
    const auto box = [](Int3 p) {
      const int32_t low = std::min({p.x, p.y, p.z}), high = std::max({p.x, p.y, p.z});
      return low >= 10 && high <= 90 && (low == 10 || high == 90);
    };
    EXPECT_EQ(expect_as_dense(scene_where(100, true, box)), 79u * 79 * 79);
    EXPECT_EQ(expect_as_dense(scene_where(100, true, [&](Int3 p) { return box(p) && p != gap; })), 0u);
  }
}

TEST(InsideByFlood, IsThatOfCrossingsForAClosedConvexMesh) {
  Soup ball = bumpy_sphere({250, 250, 250}, 240, 20, 0, 7);
  voxelize::BuildOptions options = {.materials = false};
  const dag::FrozenDag surface = build_soup(*test_engine(), ball, 500, options).dag;
  options.solid = true, options.inside = kParity;
  const dag::FrozenDag solid = build_soup(*test_engine(), ball, 500, options).dag;
  const voxelize::FloodedScene flooded = voxelize::flooded(surface, 0);
  EXPECT_NO_THROW(dag::verify(flooded.dag));
  EXPECT_EQ(flooded.dag.digest, solid.digest);
}

}  // namespace
}  // namespace vox
