// Builds the DAG of voxels that come cube by cube, as readers of files have them. It runs on the host,
// because the host's memory and files are the bottleneck.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/voxel_cube.h"

namespace vox::dag {

// A function that prepares cubes before they are read, for sources whose memory has room for only some of
// them. It prepares the cubes from `begin` on, at least one, and returns the end of the prepared ones, at
// most `end`. It may drop all other cubes. One thread calls it, while no cube is being read.
using CubeLoading = std::function<size_t(size_t begin, size_t end)>;

struct CubeSource {
  uint32_t resolution = 0;  // R: voxels lie in [0, R)³
  bool materials = true;
  // The Morton keys of the cubes of 64³ that may hold voxels, in ascending order. The key of the cube with
  // the lower corner (64 x, 64 y, 64 z) is the Morton code of (x, y, z).
  std::vector<uint64_t> cubes;
  // Fills in the voxels of cubes[i]; the cube is empty at first. Several threads call it concurrently.
  std::function<void(size_t i, VoxelCube& cube)> read;
  CubeLoading load = {};
};

struct GatheredDag {
  FrozenDag dag;
  std::array<uint64_t, 16> voxels_of = {};  // the number of voxels of each material
};

// `memory_limit` bounds the memory of the whole process, as for an engine; 0 stands for 80 % of what is free.
// Throws Error if a voxel lies outside [0, R)³, and anything that `read` throws.
GatheredDag dag_of_cubes(const CubeSource& source, uint64_t memory_limit = 0);

// The lower corner of a cube.
inline Int3 cube_corner(uint64_t key) {
  return morton_decode(key) * VoxelCube::kSide;
}

// The key of the cube that holds a voxel.
inline uint64_t cube_key(Int3 voxel) {
  return morton_encode(static_cast<uint32_t>(voxel.x) >> VoxelCube::kLog2,
                       static_cast<uint32_t>(voxel.y) >> VoxelCube::kLog2,
                       static_cast<uint32_t>(voxel.z) >> VoxelCube::kLog2);
}

}  // namespace vox::dag
