// What a walk over a DAG relies on.
#pragma once

#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

LevelForm form_of(const FrozenDag& dag, uint32_t level);

// Finds where the nodes of all levels are, from the words alone. Throws Error where a node reaches beyond the end
// of its level.
void place_nodes(FrozenDag& dag);

// Checks what a walk over the DAG needs to stay inside of it: as many levels as the resolution asks for, one root,
// nodes where the places say, every child number that of a node. Throws Error that names level and word.
void check_structure(const FrozenDag& dag);

}  // namespace vox::dag
