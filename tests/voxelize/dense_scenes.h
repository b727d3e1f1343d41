// Scenes that are given voxel by voxel, and their voxels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "libvox/dag/from_cubes.h"

namespace vox {

// The voxels of a scene, x fastest.
inline std::vector<int> dense_of(const dag::FrozenDag& dag) {
  std::vector<int> voxels;
  for (uint32_t z = 0; z < dag.resolution; ++z)
    for (uint32_t y = 0; y < dag.resolution; ++y)
      for (uint32_t x = 0; x < dag.resolution; ++x) voxels.push_back(dag::voxel_at(dag, x, y, z));
  return voxels;
}

// A scene in which a voxel is filled with this probability, or by a function of its place.
template <class Fills>
dag::FrozenDag scene_where(uint32_t side, bool materials, const Fills& fills) {
  const auto cubes = static_cast<uint32_t>((side + 63) / 64);
  dag::CubeSource source;
  source.resolution = side, source.materials = materials;
  for (uint64_t key = 0; key < (uint64_t{1} << 3 * (cubes < 2 ? 0 : cubes < 3 ? 1 : 2)); ++key) {
    const Int3 corner = dag::cube_corner(key);
    if (std::max({corner.x, corner.y, corner.z}) < static_cast<int32_t>(side)) source.cubes.push_back(key);
  }
  source.read = [&](size_t i, dag::VoxelCube& cube) {
    const Int3 corner = dag::cube_corner(source.cubes[i]);
    Int3 p;
    for (p.z = 0; p.z < 64; ++p.z)
      for (p.y = 0; p.y < 64; ++p.y)
        for (p.x = 0; p.x < 64; ++p.x) {
          const Int3 at = corner + p;
          if (std::max({at.x, at.y, at.z}) < static_cast<int32_t>(side) && fills(at))
            cube.put(p, static_cast<uint32_t>(at.x + at.y) % 5);
        }
  };
  return dag::dag_of_cubes(source).dag;
}

}  // namespace vox
