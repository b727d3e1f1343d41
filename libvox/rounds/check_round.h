// Whether a round that was read from somewhere can be loaded into a store.
#pragma once

#include "libvox/rounds/round.h"

namespace vox::rounds {

// What all rounds of a build have in common.
struct RoundForm {
  size_t dag_levels = 0;
  bool materials = true;  // whether leaves hold them
};

// Nodes stand one behind the other, each inner node has children, each leaf voxels, each child and each root has the
// number of a node; the roots are as many levels above the leaves as they say, no two in one place, and there are counts
// for each level of the DAG. What counts, digests and materials say of the nodes is left to the sum of what was read.
bool holds_together(const Round& round, const RoundForm& form);

}  // namespace vox::rounds
