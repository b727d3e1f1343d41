// A part of a DAG in canonical form: of each level a run of its nodes, one behind the other. Parts in order, one
// behind the other, are the whole. A child pointer is the number of the child among all nodes of the next level,
// so that it does not depend on where parts begin.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

struct LevelPart {
  Words words;
  uint64_t first = 0;  // the number of its first node among those of the level
  uint64_t nodes = 0;
};

struct DagPart {
  std::vector<LevelPart> levels;  // the root's first
};

// The parts as a whole, without digest and without the counts of the octree, which whoever made them knows. Throws
// Error where they do not follow on each other.
FrozenDag joined(std::vector<DagPart> parts, uint32_t resolution, bool materials);

}  // namespace vox::dag
