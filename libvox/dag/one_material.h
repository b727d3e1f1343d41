// Gives the voxels of a DAG without materials all the same one: the DAG of the same voxels with material 0. Edits
// take scenes of one kind alone, and this makes a scene without materials one of those that have some.
#pragma once

#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

// The DAG has no materials, and is one that check_structure() accepts. Throws Error where the leaves would
// take more words than child pointers reach.
FrozenDag with_one_material(const FrozenDag& dag);

}  // namespace vox::dag
