// Gives all voxels of a DAG without materials the material 0. Edits combine only scenes that have materials,
// or only scenes that have none; this turns a scene of the second kind into one of the first.
#pragma once

#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

// The DAG must have no materials, and must be one that check_structure() accepts. Throws Error if the leaves
// would need more words than child pointers can reach.
FrozenDag with_one_material(const FrozenDag& dag);

}  // namespace vox::dag
