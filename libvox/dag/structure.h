// The checks on which walks over a DAG rely.
#pragma once

#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

LevelForm form_of(const FrozenDag& dag, uint32_t level);

// Finds the places of the nodes of all levels, from the words alone. Throws Error if a node reaches beyond
// the end of its level.
void place_nodes(FrozenDag& dag);

// Checks that a walk over the DAG stays inside it: the number of levels fits the resolution, there is one
// root, nodes are at their places, and every child number is that of a node. Throws Error that names the
// level and the word.
void check_structure(const FrozenDag& dag);

}  // namespace vox::dag
