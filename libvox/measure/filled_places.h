// Chooses random filled voxels of a scene, as places where a benchmark edits it.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/dag/frozen_dag.h"

namespace vox::measure {

// Returns `count` filled voxels chosen by `seed`: on the way from the root, each child of a node is equally
// likely. The result is the same in every run and on every machine. The DAG must be one that
// check_structure() accepts, with at least one voxel.
std::vector<Int3> filled_places(const dag::FrozenDag& dag, uint64_t seed, uint64_t count);

}  // namespace vox::measure
