// Checks that a round that was read from a file can be loaded into a store.
#pragma once

#include "libvox/rounds/round.h"

namespace vox::rounds {

// The properties that all rounds of a build share.
struct RoundForm {
  size_t dag_levels = 0;
  bool materials = true;  // true if leaves hold materials
};

// True if the parts of a round fit together. The nodes of a level fill its words, each inner node has
// children, each leaf has voxels, and each child and each root is the number of a node. The roots are as many
// levels above the leaves as the round says, no two at one place, and there are counts for each level of the
// DAG. The values of counts, digests and materials are not checked; the checksum of the file covers them.
bool holds_together(const Round& round, const RoundForm& form);

}  // namespace vox::rounds
