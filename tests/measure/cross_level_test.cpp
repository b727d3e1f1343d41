// Nodes that coarser views of nodes above show, compared with dense cubes of voxels.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "libvox/measure/compression.h"
#include "tests/measure/dense_cubes.h"

namespace vox {
namespace {

// Returns the cube at half the side: a voxel is filled if one of its eight parts is.
Cube coarse(const Cube& cube) {
  const uint32_t half = cube.side / 2;
  Cube to = {half, std::string(size_t{half} * half * half, '.')};
  for_each_voxel(cube.side, [&](const Int3& v) {
    if (cube.at(v) == '#') to.at({v.x / 2, v.y / 2, v.z / 2}) = '#';
  });
  return to;
}

TEST(CrossLevel, FindsNodesInTheCoarserViewsOfNodesAbove) {
  uint64_t found = 0;
  for (const CompressedScene& scene : scenes()) {
    SCOPED_TRACE(scene.name);
    const dag::FrozenDag dag = dense_dag(scene.resolution, false, scene.grid);
    // All different filled cubes of each side, from the whole scene's down to 4.
    std::vector<std::set<std::string>> cubes(dag.levels.size());
    const std::function<void(const Cube&, size_t)> collect = [&](const Cube& cube, size_t level) {
      if (!cube.filled() || !cubes[level].insert(cube.voxels).second || cube.side == 4) return;
      for (uint32_t octant = 0; octant < 8; ++octant) collect(part(cube, octant), level + 1);
    };
    collect(cube_of(scene, dag.side()), 0);
    const measure::CrossLevel counted = measure::cross_level(dag);
    ASSERT_EQ(counted.nodes.size(), cubes.size());
    std::set<std::string> views;  // of all cubes above, at this side
    for (size_t level = 0; level < cubes.size(); ++level) {
      const uint32_t side = dag.level_side(static_cast<uint32_t>(level));
      std::set<std::string> here;
      if (level > 0) {
        for (const std::string& view : views) here.insert(coarse({side * 2, view}).voxels);
        for (const std::string& cube : cubes[level - 1]) here.insert(coarse({side * 2, cube}).voxels);
      }
      views = std::move(here);
      uint64_t left = 0;
      for (const std::string& cube : cubes[level]) left += !views.contains(cube);
      EXPECT_EQ(counted.nodes[level], left) << "side " << side;
      found += cubes[level].size() - left;
    }
  }
  EXPECT_GT(found, 0u);
}

}  // namespace
}  // namespace vox
