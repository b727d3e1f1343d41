// Filled voxels of a scene at random, as places where a benchmark edits it.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/dag/frozen_dag.h"

namespace vox::measure {

// So many filled voxels, from a seed: at each node of the octree, on the way from the root, its children have
// equal chances. The same in every run and on every machine. The DAG is one that check_structure() accepts,
// with a voxel or more.
std::vector<Int3> filled_places(const dag::FrozenDag& dag, uint64_t seed, uint64_t count);

}  // namespace vox::measure
